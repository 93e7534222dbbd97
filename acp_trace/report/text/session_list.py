"""The table of `acp-trace ls --sessions`, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from acp_trace.analyze.listing import SessionListing, command_name
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, fitted

_WIDE, _WIDEST = 110, 140
_LEAST_TITLE = 10
#: From these ranks on, columns are for wide terminals, and for the widest ones.
_FOR_WIDE, _FOR_WIDEST = 6, 7


def sessionlist(rows: Sequence[SessionListing], width: int, *, cut: bool = True) -> Text:
    """One session a row, newest first; what no row has is not a column.

    The title takes the room that is left; other columns are left out before it is cut to a word. A wide
    terminal also shows when it began, its directory, more traces. Without `cut`, only ids are short.
    """
    made = [[[cell] for cell in _row(row, wide=width >= _WIDE, cut=cut)] for row in rows]
    below = _FOR_WIDE if width < _WIDE else _FOR_WIDEST if width < _WIDEST else None
    return fitted(_COLUMNS, made, width, _LEAST_TITLE, below, cut=cut)


#: The columns in their order, and which of them are left out last.
_COLUMNS = (
    (Column("session"), 0),
    (Column("title", flexible=True), 0),
    (Column("agent"), 3),
    (Column("turns", right=True), 4),
    (Column("traces", right=True), 5),
    (Column("newest"), 2),
    (Column("first seen"), 6),
    (Column("last seen"), 1),
    (Column("directory"), 7),
    (Column(""), 0),
)


def _row(row: SessionListing, *, wide: bool, cut: bool) -> list[Cell]:
    """One cell for each of `_COLUMNS`."""
    name, version = row.agent
    agent = phrases.name(row.agent_title or name, version if wide else None, command_name(row.argv))
    return [
        Cell(phrases.short_id(row.session_id, 14 if wide else 10)),
        Cell(safe(row.title or "")),
        Cell(shorten(agent, 20 if wide else 14) if cut else agent),
        Cell(units.number(row.turns) if row.turns else ""),
        Cell(units.number(len(row.traces))),
        Cell(_newest(row.traces, 2 if wide else 1), styles.FAINT),
        Cell(_when(row.first_started_at)),
        Cell(_when(row.last_started_at)),
        Cell(phrases.short_id(row.cwd or "", 20) if cut else safe(row.cwd or "")),
        Cell("●" if row.live else "", styles.COLOURS["agent"]),
    ]


def _newest(traces: Sequence[str], most: int) -> str:
    """The ends of the newest ids, which name them; `…` if there are more."""
    ends = [safe(trace)[-6:] for trace in reversed(traces)]
    return " ".join(ends[:most]) + (" …" if len(ends) > most else "")


def _when(started_at: str | None) -> str:
    return units.when_short(started_at) if started_at else "–"


def as_json(rows: Sequence[SessionListing]) -> list[dict[str, Any]]:
    """The same for programs; traces, and how each opened the session, oldest first."""
    return [
        {
            "session_id": row.session_id,
            "title": row.title,
            "cwd": row.cwd,
            "agent": {"name": row.agent[0], "version": row.agent[1]},
            "traces": row.traces,
            "turns": row.turns,
            "first_started_at": row.first_started_at,
            "last_started_at": row.last_started_at,
            "opened_by": row.opened_by,
            "live": row.live,
        }
        for row in rows
    ]
