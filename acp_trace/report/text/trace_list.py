"""The table of `acp-trace ls`, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.listing import Listing, command_name
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, fitted
from acp_trace.trace.entries import IMPORTED, RECORDED

#: From here on names have their versions, states are words, and both severities are told; and from there on
#: ids are whole.
_WIDE, _WIDEST = 110, 150
#: From this rank on, columns are for the widest terminals alone.
_DETAIL = 8
#: What is left for the first prompt, or more.
_LEAST_PROMPT, _LEAST_PROMPT_WIDE = 16, 30
_STATES = {"live": words.COLOURS["agent"], "incomplete": words.OPEN, "complete": ""}
_SIGNS = {"live": "●", "incomplete": "!", "complete": ""}  #: the state where there is no room
#: The severities that are counted, and how where there is no room.
_MARKS = {"error": "err", "warning": "warn"}

#: The columns in their order, and which of them are left out last.
_COLUMNS = (
    (Column("id"), 0),
    (Column("when"), 3),
    (Column("agent"), 1),
    (Column("client"), 7),
    (Column("v", right=True), 10),
    (Column("first prompt", flexible=True), 0),
    (Column("sessions", right=True), 9),
    (Column("turns", right=True), 4),
    (Column("frames", right=True), 8),
    (Column("took", right=True), 5),
    (Column("findings"), 2),
    (Column(""), 0),
    (Column(""), 0),
    (Column("labels"), 6),
)


def listing(rows: Sequence[Listing], width: int, *, cut: bool = True) -> Text:
    """One trace a row, newest first; what no row has is not a column.

    The first prompt takes the room that is left; other columns are left out before it is cut to a few words.
    Without `cut`, every cell is whole.
    """
    made = [_row(row, wide=width >= _WIDE, widest=width >= _WIDEST, cut=cut) for row in rows]
    least = _LEAST_PROMPT_WIDE if width >= _WIDE else _LEAST_PROMPT
    return fitted(_COLUMNS, made, width, least, None if width >= _WIDEST else _DETAIL, cut=cut)


def _row(row: Listing, *, wide: bool, widest: bool, cut: bool) -> list[list[Cell]]:
    """One cell for each of `_COLUMNS`."""

    def short(text: str, most: int) -> str:
        return shorten(text, most) if cut else text

    trace = row.trace
    name, version = row.agent
    agent = words.name(name, version if wide else None, command_name(row.argv))
    labels = " ".join(f"{key}={value}" for key, value in row.labels.items())
    return [
        [Cell(safe(row.id) if widest else safe(row.id)[-6:])],
        [Cell(units.when_short(trace.started_at) if trace.started_at else "–")],
        [Cell(short(agent, 20 if wide else 14))],
        [Cell(short(words.name(*row.client), 20))],
        [Cell("" if trace.protocol_version is None else str(trace.protocol_version))],
        [Cell(words.prompt(row.first_prompt or "", is_cut=row.first_prompt_cut, blanks=True))],
        [Cell(units.number(len(row.sessions)) if row.sessions else "")],
        [Cell(units.number(row.turns) if row.turns else "")],
        [Cell(units.number(row.frames))],
        [Cell(units.duration(trace.duration_ns))],
        _findings(row, wide),
        [_state(row, wide)],
        [_kind(row, wide)],
        [Cell(short(safe(labels), 24), words.FAINT)],
    ]


def _findings(row: Listing, wide: bool) -> list[Cell]:
    """How many errors and warnings; where there is no room, of the worse of both."""
    cells: list[Cell] = []
    for severity, short in _MARKS.items():
        if not (number := row.findings.get(severity, 0)):
            continue
        cells += [Cell("  ")] if cells else []
        cells.append(Cell(f"{units.number(number)} {short}", words.SEVERITIES[severity]))
    return cells if wide else cells[:1]


def _kind(row: Listing, wide: bool) -> Cell:
    """What made a trace that was not recorded."""
    trace = row.trace
    if trace.origin == RECORDED:
        return Cell("")
    of = f" of {safe(trace.replay_of)[-6:]}" if trace.replay_of and wide else ""
    return Cell(f"{trace.origin}{of}", words.FAINT)


def _state(row: Listing, wide: bool) -> Cell:
    trace = row.trace
    if trace.aborted is not None:
        return Cell("ended by acp-trace" if wide else "", words.OPEN)
    if row.state == "complete" and (trace.exit_code or trace.signal):
        ended = f"signal {trace.signal}" if trace.signal else f"exit {trace.exit_code}"
        return Cell(ended if wide else "×", words.OPEN if trace.signal else words.ERROR)
    if row.state == "complete" or not (row.state == "live" or words.is_cut_off(trace)):
        return Cell("")
    return Cell(row.state if wide else _SIGNS[row.state], _STATES[row.state])


def as_json(rows: Sequence[Listing]) -> list[dict[str, Any]]:
    """The same for programs; sessions with id, title and turns."""
    return [
        {
            "id": row.id,
            "started_at": row.trace.started_at,
            "state": row.state,
            "agent": {"name": row.agent[0], "version": row.agent[1]},
            "client": {"name": row.client[0], "version": row.client[1]},
            "protocol_version": row.trace.protocol_version,
            "sessions": [
                {"session_id": session.session_id, "title": session.title, "turns": session.turns}
                for session in row.sessions
            ],
            "turns": row.turns,
            "frames": row.frames,
            "duration_ns": row.trace.duration_ns,
            "argv": None if row.trace.origin == IMPORTED and not row.argv else row.argv,
            "end": _end(row),
            "labels": row.labels,
            "origin": row.trace.origin,
            "replay_of": row.trace.replay_of,
            "first_prompt": row.first_prompt,
            "findings": {severity: row.findings.get(severity, 0) for severity in SEVERITIES},
        }
        for row in rows
    ]


def _end(row: Listing) -> dict[str, Any] | None:
    trace = row.trace
    if row.state != "complete":
        return None
    return {"exit_code": trace.exit_code, "signal": trace.signal, "aborted": trace.aborted}
