"""The section of `show` for exchanges that failed or never ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import phrases, stderr
from acp_trace.report.statements.failures import FailedRequest, failures
from acp_trace.report.statements.stderr import LogLine
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table

#: A trace can hold thousands, and what matters must not scroll past.
_MOST = 15
_LINES = 3  #: of stderr, below one
_WIDE = 100
_WRAPPING = Column(flexible=True, wraps=True)


def trouble(
    trace_facts: facts.Facts, width: int, *, all_: bool, live: bool, logs: Sequence[LogLine] = ()
) -> tuple[int, int, Text]:
    """How many there are, how many of them are not shown, and the table of the others.

    Below each are the `logs` of its time, unless they are below a finding of it.
    """
    bad = failures(trace_facts, live=live)
    shown = bad if all_ else bad[:_MOST]
    windows = stderr.request_windows(trace_facts) if logs else {}
    explained = {frame for _, frame in stderr.finding_windows(trace_facts)} if logs else set()
    rows: list[list[list[Cell]]] = []
    names = names_of(trace_facts)
    is_wide = width >= _WIDE
    columns = (Column(right=True), Column(), Column(), Column(right=True), _WRAPPING)
    if not is_wide:  # the error's words have their own line
        columns = (Column(right=True), _WRAPPING, Column(), Column(right=True), Column())
    for one in shown:
        *row, message = _row(one, names)
        below = [] if one.exchange.frame in explained else [*_stderr(one, windows, logs)]
        if is_wide:
            rows += [[*row, message], *([[], [], [], [], line] for line in below)]
            continue
        rows.append([*row, []])
        rows += [[[], line, [], [], []] for line in (message, *below) if line[0].text]
    return len(bad), len(bad) - len(shown), table(columns, rows, width)


def _row(failure: FailedRequest, names: SessionNames) -> list[list[Cell]]:
    exchange = failure.exchange
    return [
        [Cell(f"#{exchange.frame}", styles.FAINT)],
        [
            Cell(f"{phrases.ARROWS[exchange.sender]} ", styles.COLOURS[exchange.sender]),
            Cell(safe(exchange.method)),
            *names_beside(exchange.session_id, names),
        ],
        [Cell(failure.answer, styles.of(failure.status))],
        [Cell("" if exchange.latency_ns is None else units.duration(exchange.latency_ns))],
        [Cell(failure.said)],
    ]


def _stderr(
    failure: FailedRequest, windows: dict[int, tuple[int, int]], logs: Sequence[LogLine]
) -> Iterator[list[Cell]]:
    window = windows.get(failure.exchange.frame)
    if window is None:
        return
    nearby = stderr.beside(logs, window, _LINES)
    for line in nearby.lines:
        yield [Cell(f"│ {line.line}", styles.FAINT)]
    if more := stderr.rest(nearby):
        yield [Cell(more, styles.FAINT)]


def names_beside(session_id: str | None, names: SessionNames) -> list[Cell]:
    """The name of a session, with a blank before it, if there are several."""
    name = names.beside(session_id)
    return [Cell(f" {name}", styles.session(names.colour(session_id)))] if name else []
