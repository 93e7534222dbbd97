"""The config section of `show`: every change of a session's configuration, and who made it."""

from __future__ import annotations

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.json.report import group
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.report.text.sessions import title
from acp_trace.report.text.timeline import asked_first, honoured, unchanged

_MOST = 40  #: lines of one session, unless all are asked for


def ledger(found: facts.Facts, width: int, *, all_: bool) -> RenderableType | None:
    """Every session that has a configuration; None where none has."""
    entries = group(found.config_entries, lambda one: one.session_id)
    changes = group(found.config_changes, lambda one: (one.session_id, one.frame, one.legacy))
    parts: list[RenderableType] = []
    for session in found.sessions:
        mine = sorted(entries.get(session.session_id, ()), key=lambda one: (one.frame, one.legacy))
        if not mine:
            continue
        rows = [
            row
            for one in mine
            for row in _rows(one, changes.get((one.session_id, one.frame, one.legacy), ()), all_=all_)
        ]
        parts += [title(session), _table(rows if all_ else rows[:_MOST], width), _final(session)]
        if left := 0 if all_ else max(len(rows) - _MOST, 0):
            parts.append(Text(f"   … and {units.number(left)} more: show --all", words.FAINT))
    return Group(*parts) if parts else None


def _rows(
    one: facts.ConfigEntry, changes: list[facts.ConfigChange] | tuple[()], *, all_: bool
) -> list[list[list[Cell]]]:
    told = [(_option(change), _before_after(change)) for change in asked_first(one, changes)]
    if not told and (all_ or one.cause == "set"):
        told = [(safe(one.requested_id or ""), unchanged(one))]
    how, style = honoured(one)
    legacy = "mode" if one.legacy else ""
    return [
        [
            [Cell(units.since_start(one.t_ns) if first else "")],
            [Cell(f"#{one.frame}" if first else "", words.FAINT)],
            [Cell(option), Cell(" (legacy)" if legacy else "", words.FAINT)],
            [Cell(what)],
            [Cell(how if first else "", style)],
        ]
        for first, (option, what) in ((at == 0, row) for at, row in enumerate(told))
    ]


def _option(change: facts.ConfigChange) -> str:
    name = safe(change.option) if change.option is not None else "all options"
    return name if change.change in ("value", "added", "removed") else f"{name}: {change.change}"


def _before_after(change: facts.ConfigChange) -> str:
    if change.change == "choices":
        return words.list_change(change.before, change.after)
    return f"{words.value(change.before)} → {words.value(change.after)}"


def _table(rows: list[list[list[Cell]]], width: int) -> Text:
    columns = [
        Column("at", right=True),
        Column("frame", right=True),
        Column("option"),
        Column("before → after", flexible=True),
        Column("by"),
    ]
    return table(columns, rows, width, indent=3)


def _final(session: facts.Session) -> Text:
    final = msgspec.json.decode(session.config)
    told = [
        f"{safe(option)} {words.value(msgspec.json.encode(value).decode())}"
        for option, value in final.items()
    ]
    if session.mode is not None:
        told.append(f"legacy mode {safe(session.mode)}")
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("   now  ", words.FAINT)
    text.append(" · ".join(told) or "no options")
    return text
