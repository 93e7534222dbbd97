"""What a shell completes: traces, and the words of options that take one of a few. Never fails.

A shell runs what it is offered: zsh evaluates the words and the texts beside them when Tab is pressed, and
the other shells put a word into the command line as it is. Ids, titles and names come from traces: `_offer`
lets nothing through that means something to a shell.
"""

from __future__ import annotations

import re
from collections.abc import Callable

#: A word that means itself in every shell, without quotes, and is not an option.
_WORD = re.compile(r"\w[\w.:@+/-]*")
#: What a text beside a word may not contain: everything that a shell, or the markup of rich, could act on.
_UNFIT = re.compile(r"[^\w .,:@+/?⇄~…-]+")

#: Ids that a shell shows when nothing is typed yet.
_NEWEST = 20

#: The format that is a directory; the others are one file each.
PARQUET = "parquet"

#: The two sides of every trace.
SIDES = ("client", "agent")


def traces(incomplete: str) -> list[tuple[str, str]]:
    """Ids that begin so, whole or their last digits, each with when it was, and agent ⇄ client."""
    from acp_trace.analyze.listing import command_name
    from acp_trace.report import units
    from acp_trace.store.glimpse import glimpses
    from acp_trace.trace.home import Home
    from acp_trace.trace.names import short

    try:
        all_glimpses = glimpses(Home.find())
    except OSError:  # there is no home
        return []
    items = []
    for glimpse in all_glimpses:
        name = next((id_ for id_ in (short(glimpse.id), glimpse.id) if id_.startswith(incomplete)), None)
        if name is None:
            continue
        when = units.when_short(glimpse.began) if glimpse.began else "not in the store yet"
        sides = (
            f"{glimpse.agent or command_name(glimpse.argv)} ⇄ {glimpse.client or '?'}"
            if glimpse.began
            else ""
        )
        items += _offer(name, f"{when} {sides}")
    names = [("last", "the newest trace")]
    if sum(not glimpse.is_run for glimpse in all_glimpses) > 1:
        names.append(("last~1", "the trace before the newest"))
    if any(glimpse.is_run for glimpse in all_glimpses):
        names.append(("last-run", "the newest run of replay or mock"))
    names = [name for name in names if name[0].startswith(incomplete)]
    return names + (items if incomplete else items[:_NEWEST])


def filters(incomplete: str) -> list[tuple[str, str]]:
    """What the last term of a filter may be: a field, or one of the values that are always known."""
    from acp_trace.report.frame_filter.fields import COMPARED, FIELDS

    before, space, last = incomplete.rpartition(" ")
    made = []
    for each in FIELDS.values():
        ending = ">" if each.type in COMPARED else ":"
        made.append((f"{each.name}{ending}", each.meaning))
        made += [(f"{each.name}:{value}", each.meaning) for value in each.values]
    started = [(word, about) for word, about in made if word.startswith(last) and word != last]
    is_named = ":" in last
    shown = [(word, about) for word, about in started if is_named or not word.partition(":")[2]]
    return [(f"{before}{space}{word}", _UNFIT.sub(" ", about)) for word, about in shown]


def traces_and_sessions(incomplete: str) -> list[tuple[str, str]]:
    """The same, then the ids of sessions that begin so."""
    from acp_trace.store.glimpse import session_glimpses
    from acp_trace.trace.counts import counted
    from acp_trace.trace.home import Home

    try:
        sessions = [one for one in session_glimpses(Home.find()) if one.id.startswith(incomplete)]
    except OSError:  # there is no home
        return traces(incomplete)
    items: list[tuple[str, str]] = []
    for one in sessions:
        items += _offer(one.id, f"session in {counted(one.traces, 'trace')}  {one.title or ''}")
    return traces(incomplete) + (items if incomplete else items[:_NEWEST])


def _offer(word: str, about: str) -> list[tuple[str, str]]:
    """Return a word with the text beside it, in which nothing is left to run; nothing for an unfit word."""
    return [(word, _UNFIT.sub(" ", about).rstrip())] if _WORD.fullmatch(word) else []


def words(choices: Callable[[], tuple[str, ...]]) -> Callable[[str], list[str]]:
    """Complete one of a few words, which are looked up when they are needed."""

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices() if choice.startswith(incomplete)]

    return complete


def topics(incomplete: str) -> list[tuple[str, str]]:
    """Complete the name of a page, with its line in the index."""
    from acp_trace.manual import files, index

    place = files.directory()
    listed = index.of_docs(files.text(place, files.INDEX)) if place else []
    fitting = [one for one in listed if one.name.startswith(incomplete)]
    return [row for one in fitting for row in _offer(one.name, one.about or one.title)]


def sections() -> tuple[str, ...]:
    """What `show --section` takes."""
    from acp_trace.report.text.show import SECTIONS

    return tuple(SECTIONS)


def sides() -> tuple[str, ...]:
    """What `--side`, `--from` and `--raw` take."""
    return SIDES


def origins() -> tuple[str, ...]:
    """What `--origin` takes."""
    from acp_trace.store.wanted import ORIGINS

    return ORIGINS


def log_formats() -> tuple[str, ...]:
    """What `import --from` takes."""
    from acp_trace.formats.reading.formats import READERS

    return tuple(READERS)


def matches() -> tuple[str, ...]:
    """What `--match` takes."""
    from acp_trace.compare.codes import MATCHES

    return MATCHES


def meta_merges() -> tuple[str, ...]:
    """What `--meta-merge` takes."""
    from acp_trace.analyze.merge import RULES

    return RULES


def failing() -> tuple[str, ...]:
    """What `check --fail-on` takes."""
    from acp_trace.analyze.findings.codes import CODES, SEVERITIES
    from acp_trace.analyze.verdict import NEVER

    return (*SEVERITIES, NEVER, *CODES)


def unmatched_of_mock() -> tuple[str, ...]:
    """What `mock --unmatched` takes."""
    from acp_trace.replay.declared import SETTINGS

    return tuple(word for word in SETTINGS["unmatched"].choices if word != "workspace")


def clients() -> tuple[str, ...]:
    """What `drive --as` takes."""
    from acp_trace.replay.written.profiles import PROFILES

    return tuple(PROFILES)


def agents() -> tuple[str, ...]:
    """What `conform --as` takes."""
    from acp_trace.replay.faults.agents import AGENTS

    return tuple(AGENTS)


def agents_of_mock() -> tuple[str, ...]:
    """What `mock --as` takes."""
    from acp_trace.replay.faults.agents import AGENTS

    return tuple(name for name, row in AGENTS.items() if row.in_mock)


def formats_to_write() -> tuple[str, ...]:
    """The formats of `--to`."""
    from acp_trace.formats.writing.formats import WRITERS

    return (*WRITERS, PARQUET)
