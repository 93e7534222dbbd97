"""The table of `acp-trace ls`, and its JSON."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from acp_trace.analyze.listing import Listing
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, fitted
from acp_trace.trace.entries import RECORDED

#: From this width on, names have their versions, states are words, and both severities are shown; from the
#: second width on, ids are whole.
_WIDE, _WIDEST = 110, 150
#: From this rank on, columns are for the widest terminals alone.
_DETAIL = 8
#: What is left for the first prompt, or more.
_LEAST_PROMPT, _LEAST_PROMPT_WIDE = 16, 30
_STATES = {"live": styles.COLOURS["agent"], "incomplete": styles.OPEN, "complete": ""}
_SIGNS = {"live": "●", "incomplete": "!", "complete": ""}  #: the state if there is no room
#: The severities that are counted, and their short forms.
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
    (Column("state"), 0),
    (Column("origin"), 0),
    (Column("labels"), 6),
)


def listing(rows: Sequence[Listing], width: int, *, cut: bool = True) -> Text:
    """One trace a row, newest first; what no row has is not a column.

    The first prompt takes the room that is left; other columns are left out before it is cut to a few words.
    Without `cut`, every cell is whole.
    """
    wide = width >= _WIDE
    versioned = wide or _compare_versions(rows)
    made = [_row(row, wide=wide, widest=width >= _WIDEST, versioned=versioned, cut=cut) for row in rows]
    least = _LEAST_PROMPT_WIDE if wide else _LEAST_PROMPT
    return fitted(_COLUMNS, made, width, least, None if width >= _WIDEST else _DETAIL, cut=cut)


def _compare_versions(rows: Sequence[Listing]) -> bool:
    """Whether runs of one agent have several versions: only the versions tell such runs apart."""
    runs = {
        (phrases.agent(row.trace, with_version=False), row.trace.agent_version)
        for row in rows
        if row.trace.origin != RECORDED
    }
    return len(runs) > len({name for name, _ in runs})


def _row(row: Listing, *, wide: bool, widest: bool, versioned: bool, cut: bool) -> list[list[Cell]]:
    """One cell for each of `_COLUMNS`."""

    def short(text: str, most: int) -> str:
        return shorten(text, most) if cut else text

    trace = row.trace
    agent = phrases.agent(trace, with_version=versioned)
    labels = " ".join(f"{key}={value}" for key, value in row.labels.items())
    return [
        [Cell(safe(row.id) if widest else safe(row.id)[-6:])],
        [_when(row)],
        [Cell(short(agent, 20 if versioned else 14))],
        [Cell(short(phrases.client(trace), 20))],
        [Cell("" if trace.protocol_version is None else str(trace.protocol_version))],
        [Cell(phrases.prompt(row.first_prompt or "", is_cut=row.first_prompt_cut, blanks=True))],
        [Cell(units.number(len(row.sessions)) if row.sessions else "")],
        [Cell(units.number(row.turns) if row.turns else "")],
        [Cell(units.number(row.frames))],
        [Cell(units.duration(trace.duration_ns))],
        _findings(row, wide),
        [_state(row, wide)],
        [_kind(row, wide)],
        [Cell(short(safe(labels), 24), styles.FAINT)],
    ]


def _when(row: Listing) -> Cell:
    """When the trace began. `≈`: in an unknown zone. `≤`: when it was imported, as its log has no date."""
    if row.trace.started_at:
        return Cell(units.when_short(row.trace.started_at))
    if row.logged_at:
        return Cell(f"≈ {units.when_short(row.logged_at)}", styles.FAINT)
    return Cell(f"≤ {units.when_short(row.loaded_at)}" if row.loaded_at else "–", styles.FAINT)


def _findings(row: Listing, wide: bool) -> list[Cell]:
    """How many errors and warnings; if there is no room, only the number of the worse of both."""
    cells: list[Cell] = []
    for severity, short in _MARKS.items():
        if not (number := row.findings.get(severity, 0)):
            continue
        cells += [Cell("  ")] if cells else []
        cells.append(Cell(f"{units.number(number)} {short}", styles.SEVERITIES[severity]))
    return cells if wide else cells[:1]


def _kind(row: Listing, wide: bool) -> Cell:
    """What made a trace that was not recorded."""
    trace = row.trace
    if trace.origin == RECORDED:
        return Cell("")
    of = f" of {safe(trace.replay_of)[-6:]}" if trace.replay_of and wide else ""
    return Cell(f"{trace.origin}{of}", styles.FAINT)


def _state(row: Listing, wide: bool) -> Cell:
    trace = row.trace
    if trace.aborted is not None:
        return Cell("ended by acp-trace" if wide else "", styles.OPEN)
    if row.state == "complete" and not phrases.is_empty(trace) and phrases.is_ended_by_its_client(trace):
        return Cell(phrases.ENDED_BY_CLIENT if wide else "·", styles.FAINT)
    if row.state == "complete" and (trace.exit_code or trace.signal):
        ended = f"signal {trace.signal}" if trace.signal else f"exit {trace.exit_code}"
        return Cell(ended if wide else "×", styles.ERROR)
    if phrases.is_empty(trace) and row.state != "live":
        nothing = phrases.NOTHING_RECORDED if trace.error is None else "not started"
        return Cell(nothing if wide else "∅", styles.OPEN)
    if row.state == "complete" or not (row.state == "live" or phrases.is_cut_off(trace)):
        return Cell("")
    return Cell(row.state if wide else _SIGNS[row.state], _STATES[row.state])
