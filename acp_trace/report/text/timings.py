"""The times of a recording and of its run side by side, with their names: the end of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.compare.timings import Timings
from acp_trace.report import units
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import GLUE, Cell, Column, table

_COLUMNS = (
    Column(),
    Column("turns"),
    Column("first output"),
    Column("cancel settled"),
    Column("agent", flexible=True, wraps=True),
)


_LEAST_AGENT = 20  #: characters of a line for the agent's name, if it does not fit into one
_ENDLESS = 10_000
_IN_WORDS = (Column(), Column(flexible=True, wraps=True))


def beside(sides: Sequence[tuple[Timings, facts.Trace]], width: int) -> Text:
    """Two rows: the recording, and the run. If there is no room for columns, each is a line of words."""
    rows: list[list[list[Cell]]] = [
        [
            [Cell(name, styles.FAINT)],
            [Cell(_turns(timings) if trace.has_times else units.number(len(timings.turns)))],
            [Cell(_range(turn.first_output_ns for turn in timings.turns))],
            [Cell(_settled(timings, trace))],
            [Cell(phrases.agent(trace))],
        ]
        for name, (timings, trace) in zip(("recorded", "run"), sides, strict=True)
    ]
    whole = table(_COLUMNS, rows, _ENDLESS)
    lines = whole.plain.splitlines()
    if max(map(cell_len, lines)) <= width:
        return whole
    if width - lines[0].rindex(_COLUMNS[-1].heading) >= _LEAST_AGENT:
        return table(_COLUMNS, rows, width)
    return table(_IN_WORDS, [[side, [Cell(_in_words(cells))]] for side, *cells in rows], width)


def _in_words(cells: Iterable[Sequence[Cell]]) -> str:
    """The cells of a row with their headings: `turns: 2 in 1.00 s · first output: 10.0 ms`."""
    *times, agent = ("".join(piece.text for piece in cell) for cell in cells)
    parts = (f"{column.heading}: {time}" for column, time in zip(_COLUMNS[1:], times, strict=False))
    return " · ".join([*(part.replace(" ", GLUE) for part in parts), agent])


def _turns(timings: Timings) -> str:
    settled = [turn.duration_ns for turn in timings.turns if turn.duration_ns is not None]
    of = "" if len(settled) == len(timings.turns) else f" of {units.number(len(timings.turns))}"
    took = f" in {units.duration(sum(settled))}" if settled else ""
    return f"{units.number(len(settled))}{of}{took}"


def _settled(timings: Timings, trace: facts.Trace) -> str:
    """How long cancels took; without times it is only known which never settled."""
    timed = (cancel for cancel in timings.cancels if trace.has_times or cancel.outcome == "unanswered")
    return _range((cancel.settle_ns for cancel in timed), "never")


def _range(times: Iterable[int | None], none: str | None = None) -> str:
    """`48 ms`; of several the shortest and the longest; a dash for none. `none`: one without a time."""
    listed = list(times)
    known = sorted(time for time in listed if time is not None)
    ends = [units.duration(time) for time in (known[:1] + known[1:][-1:])]
    if none is not None and len(known) < len(listed):
        ends = [*ends[:1], none]
    return " … ".join(dict.fromkeys(ends)) or "–"
