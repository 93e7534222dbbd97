"""The table of `acp-trace ls`, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from acp_trace.analyze.listing import Listing, command_name
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.entries import RECORDED

_WIDE = 110
_STATES = {"live": words.COLOURS["agent"], "incomplete": words.OPEN, "complete": ""}
_SIGNS = {"live": "●", "incomplete": "!", "complete": ""}  #: the state where there is no room


def listing(rows: Sequence[Listing], width: int) -> Text:
    """One trace a row, newest first; a wide terminal also shows protocol, sessions and state in words."""
    wide = width >= _WIDE
    columns = [column for column, only_wide in _COLUMNS if wide or not only_wide]
    made = []
    for row in rows:
        cells = zip(_row(row, wide), _COLUMNS, strict=True)
        made.append([cell for cell, (_, only_wide) in cells if wide or not only_wide])
    return table(columns, made, width, indent=0)


#: The columns, and whether they are for wide terminals only.
_COLUMNS = (
    (Column("id"), False),
    (Column("when"), False),
    (Column("agent ⇄ client", flexible=True), False),
    (Column("v", right=True), True),
    (Column("sessions"), True),
    (Column("turns", right=True), False),
    (Column("frames", right=True), False),
    (Column("took", right=True), False),
    (Column(""), False),
    (Column(""), False),
)


def _row(row: Listing, wide: bool) -> list[list[Cell]]:
    """One cell for each of `_COLUMNS`."""
    agent = words.name(*row.agent, command_name(row.argv))
    protocol = "" if row.protocol_version is None else str(row.protocol_version)
    return [
        [Cell(safe(row.id) if wide else safe(row.id)[-6:])],
        [Cell(units.when_short(row.started_at) if row.started_at else "–")],
        [Cell(agent), Cell(" ⇄ ", words.FAINT), Cell(words.name(*row.client))],
        [Cell(protocol)],
        [Cell(_sessions(row))],
        [Cell(str(row.turns or ""))],
        [Cell(units.number(row.frames))],
        [Cell(units.duration(row.duration_ns))],
        [_state(row, wide)],
        [_kind(row, wide)],
    ]


def _kind(row: Listing, wide: bool) -> Cell:
    """What made a trace that was not recorded."""
    if row.origin == RECORDED:
        return Cell("")
    of = f" of {safe(row.replay_of)[-6:]}" if row.replay_of and wide else ""
    return Cell(f"{row.origin}{of}", words.FAINT)


def _state(row: Listing, wide: bool) -> Cell:
    if row.aborted is not None:
        return Cell("ended by acp-trace" if wide else "", words.OPEN)
    if row.state == "complete" and (row.exit_code or row.signal):
        ended = f"signal {row.signal}" if row.signal else f"exit {row.exit_code}"
        return Cell(ended if wide else "×", words.OPEN if row.signal else words.ERROR)
    return Cell(row.state if wide else _SIGNS[row.state], _STATES[row.state])


def _sessions(row: Listing) -> str:
    titles = [one.title for one in row.sessions if one.title]
    if not row.sessions:
        return ""
    text = f"{len(row.sessions)}"
    return text + (f"  {shorten(safe(', '.join(titles)), 28)}" if titles else "")


def as_json(rows: Sequence[Listing]) -> list[dict[str, Any]]:
    """The same for programs; sessions with id, title and turns."""
    return [
        {
            "id": row.id,
            "started_at": row.started_at,
            "state": row.state,
            "agent": {"name": row.agent[0], "version": row.agent[1]},
            "client": {"name": row.client[0], "version": row.client[1]},
            "protocol_version": row.protocol_version,
            "sessions": [
                {"session_id": one.session_id, "title": one.title, "turns": one.turns} for one in row.sessions
            ],
            "turns": row.turns,
            "frames": row.frames,
            "duration_ns": row.duration_ns,
            "argv": row.argv,
            "end": (
                {"exit_code": row.exit_code, "signal": row.signal, "aborted": row.aborted}
                if row.state == "complete"
                else None
            ),
            "labels": row.labels,
            "origin": row.origin,
            "replay_of": row.replay_of,
        }
        for row in rows
    ]
