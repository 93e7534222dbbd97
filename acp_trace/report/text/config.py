"""The config section of `show`: each option's final value, its history, and changes that were not applied."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rich.console import Group, RenderableType

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.text.final_state import StateRow, StateStep, state_table
from acp_trace.report.text.sessions import limited, titles

_CAUSES = {"setup": "on opening", "set": "by client", "agent": "by agent"}

_Option = tuple[str, bool]  #: its id, and whether it is the legacy mode


def configuration(trace_facts: facts.Facts, width: int, *, all_: bool) -> RenderableType | None:
    """Every session that has a configuration; None if none has."""
    entries = group(trace_facts.config_entries, lambda entry: entry.session_id)
    changes = group(trace_facts.config_changes, lambda change: change.session_id)
    parts: list[RenderableType] = []
    shown, rest = limited([one for one in trace_facts.sessions if one.session_id in entries], all_)
    for session in shown:
        rows = _rows(session, entries[session.session_id], changes.get(session.session_id, []))
        parts += [*titles(session, trace_facts, width), state_table(rows, width, all_=all_)]
    return Group(*parts, *rest) if parts else None


def _rows(
    session: facts.Session, entries: Iterable[facts.ConfigEntry], changes: Iterable[facts.ConfigChange]
) -> list[StateRow]:
    """Options that there are, in their order; then those that were removed; then the legacy mode."""
    causes = {(entry.frame, entry.legacy): _CAUSES.get(entry.cause, "") for entry in entries}
    steps: dict[_Option, list[StateStep]] = {}
    notes: dict[_Option, list[str]] = {}
    for change in sorted(changes, key=lambda change: change.frame):
        option = change.option or "all options", change.legacy
        cause = causes.get((change.frame, change.legacy), "")
        if change.change in ("added", "value", "removed"):
            steps.setdefault(option, []).append(StateStep(change.after, change.frame, cause))
        else:
            notes.setdefault(option, []).append(f"{_other(change)} #{change.frame}")
    for entry in entries:
        if entry.honoured is False:
            option = entry.requested_id or "?", entry.legacy
            text = f"not applied: {phrases.value(entry.requested_value)} #{entry.frame}"
            notes.setdefault(option, []).append(text)
    now: dict[_Option, str | None] = {
        (name, False): msgspec.json.encode(value).decode()
        for name, value in msgspec.json.decode(session.config).items()
    }
    now |= {option: None for option in [*steps, *notes] if option not in now}
    if session.mode is not None:
        now["mode", True] = msgspec.json.encode(session.mode).decode()
    return [
        StateRow(
            safe(option[0]) + (" (legacy)" if option[1] else ""),
            value,
            steps.get(option, []),
            notes.get(option, []),
        )
        for option, value in now.items()
    ]


def _other(change: facts.ConfigChange) -> str:
    if change.change == "choices":
        return f"choices {phrases.list_change(change.before, change.after)}"
    return f"other {change.change}"
