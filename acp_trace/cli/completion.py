"""What a shell completes: traces, and the words of options that take one of a few. Never fails."""

from __future__ import annotations

from collections.abc import Callable

#: Ids that a shell shows when nothing is typed yet.
_NEWEST = 20


def traces(incomplete: str) -> list[tuple[str, str]]:
    """Ids that begin so, whole or their last digits, each with when it was, and agent ⇄ client."""
    from acp_trace.analyze.listing import command_name
    from acp_trace.report import units
    from acp_trace.report.safe import safe
    from acp_trace.store.glimpse import glimpses
    from acp_trace.trace.home import Home
    from acp_trace.trace.names import short

    try:
        found = glimpses(Home.find())
    except OSError:  # there is no home
        return []
    items = []
    for one in found:
        name = next((id_ for id_ in (short(one.id), one.id) if id_.startswith(incomplete)), None)
        if name is None:
            continue
        when = units.when_short(one.started_at) if one.started_at else "not in the store yet"
        sides = f"{one.agent or command_name(one.argv)} ⇄ {one.client or '?'}" if one.started_at else ""
        items.append((safe(name), safe(f"{when} {sides}".rstrip())))
    words = [(word, "the newest trace") for word in ("last",) if word.startswith(incomplete)]
    return words + (items if incomplete else items[:_NEWEST])


def words(choices: Callable[[], tuple[str, ...]]) -> Callable[[str], list[str]]:
    """Completes one of a few words; they are looked up when somebody asks."""

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices() if choice.startswith(incomplete)]

    return complete


def sections() -> tuple[str, ...]:
    """What `show --section` takes."""
    from acp_trace.report.text.show import SECTIONS

    return tuple(SECTIONS)
