"""What `acp-trace stats` prints: one row an agent, a version or a client, beside the others.

Findings are counted where they blame the side that is compared; the JSON has both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from rich.cells import cell_len
from rich.text import Text

from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.stats import By, Cancels, Stats
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table

#: Between two columns, as `table` does it.
_GAP = 2
#: Columns are left out before a name is cut to less than this.
_NAME = 18

#: Labels where their columns have no room for them.
_SHORT = {"first output": "output", "findings": ""}

Side = Literal["agent", "client"]


class _Column(NamedTuple):
    """One column. `label` is above it and its neighbours; columns of rank 0 are always shown."""

    label: str
    heading: str
    rank: int
    cells: list[Cell]

    @property
    def width(self) -> int:
        """What it needs."""
        return max(cell_len(one) for one in (self.heading, *(cell.text for cell in self.cells)))


def side_of(by: By) -> Side:
    """The side that is compared."""
    return "client" if by == "client" else "agent"


def report(rows: Sequence[Stats], by: By, width: int, *, cut: bool = True) -> Text:
    """The table, with as many columns as there is room for; below it the model's side, and findings by code.

    Without `cut`, names are whole.
    """
    side = side_of(by)
    text = _table(rows, side, list(_columns(rows, side)), width, cut=cut)
    if with_model := [row for row in rows if row.model.calls or row.model.turn_calls.n]:
        text.append("\n").append("Model", f"{styles.HEADING} underline").append("  per turn; tokens in all\n")
        text.append_text(_table(with_model, side, list(_model_columns(with_model)), width, cut=cut))
    return text.append_text(_by_code(rows, side, width, cut=cut))


def _table(rows: Sequence[Stats], side: Side, every: Sequence[_Column], width: int, *, cut: bool) -> Text:
    """Those of the columns for which there is room, behind the names."""
    names = [_name(row) for row in rows]
    longest = max(cell_len(one) for one in (side, *names))
    columns = _fitting(every, width - min(longest, _NAME))
    room = min(longest, width - _span(columns) - _GAP) if cut else longest
    text = Text(no_wrap=True, overflow="ellipsis", end="")
    text.append(f"{_labels(columns, room)}\n", styles.FAINT)
    heads = [Column(side, flexible=True), *(Column(column.heading, right=True) for column in columns)]
    cells = ([[Cell(name)], *([cell] for cell in line)] for name, *line in _lines(names, columns))
    return text.append_text(table(heads, list(cells), width, 0, cut=cut))


def _name(row: Stats) -> str:
    return phrases.name(row.title or row.name, row.version, row.command or "?")


def _lines(names: Iterable[str], columns: Iterable[_Column]) -> Iterator[tuple[Any, ...]]:
    return zip(names, *(column.cells for column in columns), strict=True)


def _columns(rows: Sequence[Stats], side: Side) -> Iterator[_Column]:
    """All columns that say something."""
    column, times = partial(_column, rows), partial(_times, rows)
    made = [
        column("", "traces", 5, lambda row: _count(row.traces)),
        column("", "failed starts", 1, lambda row: _count(row.failed_starts, styles.ERROR)),
        column("", "sessions", 9, lambda row: _count(row.sessions)),
        column("", "turns", 0, lambda row: _count(row.turns)),
        column("turn", "open", 6, lambda row: _count(row.turns - row.turn.n, styles.OPEN)),
        *times("turn", "turn", {"p50": 0, "p95": 2, "max": 8}),
        column("first output", "n", 7, lambda row: _count(row.first_output.n)),
        *times("first output", "first_output", {"p50": 1, "p95": 4}),
        column("cancels", "cancelled", 0, lambda row: _cancelled(row.cancels)),
        column("cancels", "completed", 10, lambda row: _count(row.cancels.completed, styles.OPEN)),
        column("cancels", "error", 10, lambda row: _count(row.cancels.error, styles.ERROR)),
        column("cancels", "unanswered", 10, lambda row: _count(row.cancels.unanswered, styles.ERROR)),
        column("cancels", "no target", 11, lambda row: _count(row.cancels.no_target)),
        *times("settle", "settle", {"p50": 3, "p95": 0}),
        column("findings", "err", 0, lambda row: _count(row.severity("error", side), styles.ERROR)),
        column("findings", "warn", 2, lambda row: _count(row.severity("warning", side), styles.OPEN)),
        column("findings", "note", 7, lambda row: _count(row.severity("note", side), styles.FAINT)),
    ]
    return _telling(made)


def _model_columns(rows: Sequence[Stats]) -> Iterator[_Column]:
    """The same of the model's side."""
    column, times = partial(_column, rows), partial(_times, rows)
    made = [
        column("calls", "all", 4, lambda row: _count(row.model.calls)),
        column("calls", "p50", 0, lambda row: _count(row.model.turn_calls.p50 or 0)),
        column("calls", "p95", 2, lambda row: _count(row.model.turn_calls.p95 or 0)),
        *times("model", "model.turn_model", {"p50": 0, "p95": 1}),
        *times("tools", "model.turn_tool", {"p50": 3, "p95": 5}),
        *times("client", "model.turn_client", {"p50": 9, "p95": 10}),
        *times("own", "model.turn_own", {"p50": 0, "p95": 1}),
        *times("first token", "model.first_token", {"p50": 6, "p95": 7}),
        column("tokens", "in", 3, lambda row: _count(row.model.input_tokens or 0)),
        column("tokens", "cached", 8, lambda row: _count(row.model.cached_tokens or 0)),
        column("tokens", "out", 2, lambda row: _count(row.model.output_tokens or 0)),
        column("", "failed", 0, lambda row: _count(row.model.failed, styles.ERROR)),
        column("", "aborted", 7, lambda row: _count(row.model.aborted, styles.OPEN)),
        column("", "retries", 8, lambda row: _count(row.model.retries)),
    ]
    return _telling(made)


def _column(
    rows: Iterable[Stats], label: str, heading: str, rank: int, cell: Callable[[Stats], Cell]
) -> _Column:
    return _Column(label, heading, rank, [cell(row) for row in rows])


def _times(rows: Sequence[Stats], label: str, key: str, ranks: dict[str, int]) -> Iterator[_Column]:
    """Percentiles of what `key` names, each with its rank."""
    for heading, rank in ranks.items():
        yield _column(rows, label, heading, rank, partial(_time, attrgetter(f"{key}.{heading}_ns")))


def _telling(columns: Iterable[_Column]) -> Iterator[_Column]:
    """Those in which a row has something."""
    return (one for one in columns if any(cell.text for cell in one.cells))


def _fitting(columns: Sequence[_Column], room: int) -> list[_Column]:
    """Those for which there is room, the smallest ranks first, each as wide as its label needs."""
    kept: list[int] = []
    for at in sorted(range(len(columns)), key=lambda at: columns[at].rank):
        more = sorted([*kept, at])
        if not columns[at].rank or _GAP + _span(_widened(columns[one] for one in more)) <= room:
            kept = more
    return _widened(columns[at] for at in kept)


def _widened(columns: Iterable[_Column]) -> list[_Column]:
    """The same, each label shortened if that helps, and the first column under it as wide as it needs."""
    wide: list[_Column] = []
    for label, group in groupby(columns, lambda one: one.label):
        first, *others = group
        first = first._replace(heading=first.heading.strip())
        room = _span([first, *others])
        shown = label if len(label) <= room else _SHORT.get(label, label)
        heading = first.heading.rjust(first.width + max(len(shown) - room, 0))
        wide += [first._replace(heading=heading), *others]
    return wide


def _labels(columns: Iterable[_Column], room: int) -> str:
    """The line over the headings: each label, and how far it goes."""
    line = " " * room
    for label, group in groupby(columns, lambda one: one.label):
        size = _span(list(group))
        shown = label if len(label) <= size else _SHORT.get(label, label)
        line += " " * _GAP + (f"{shown} ".ljust(size, "─")[:size] if shown else " " * size)
    return line.rstrip()


def _span(columns: Sequence[_Column]) -> int:
    """The width of neighbours."""
    return sum(_GAP + column.width for column in columns) - _GAP


def _count(number: int, style: str | None = None) -> Cell:
    return Cell(units.number(number) if number else "", style)


def _time(take: Callable[[Stats], int | None], row: Stats) -> Cell:
    ns = take(row)
    return Cell("" if ns is None else units.duration(ns))


def _cancelled(cancels: Cancels) -> Cell:
    """`8/9`: of nine cancels that were aimed at something eight cancelled it."""
    if not cancels.aimed:
        return Cell("")
    bad = styles.ERROR if cancels.error or cancels.unanswered else styles.OPEN if cancels.completed else None
    return Cell(f"{units.number(cancels.cancelled)}/{units.number(cancels.aimed)}", bad)


def _by_code(rows: Sequence[Stats], side: Side, width: int, *, cut: bool) -> Text:
    """The findings that blame this side, the worst first, and whose they are."""
    codes: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for row in rows:
        for finding in row.findings:
            if finding.blame == side:
                severity = [*SEVERITIES, finding.severity].index(finding.severity)
                codes.setdefault((severity, finding.code), []).append((finding.count, _name(row)))
    text = Text()
    if not codes:
        return text
    text.append("\n").append("Findings", f"{styles.HEADING} underline").append(f"  that blame the {side}\n")
    made = []
    for (severity, code), whose in sorted(codes.items(), key=lambda item: (item[0][0], -_sum(item[1]))):
        word = [*SEVERITIES, "?"][severity]
        most_first = sorted(whose, key=lambda item: -item[0])
        who = "  ".join(f"{name} ×{units.number(count)}" for count, name in most_first)
        line = [Cell(word, styles.SEVERITIES.get(word)), Cell(safe(code)), Cell(units.number(_sum(whose)))]
        made.append([[cell] for cell in (*line, Cell(who if len(rows) > 1 else ""))])
    columns = (Column(), Column(), Column(right=True), Column(flexible=True))
    return text.append_text(table(columns, made, width, 0, cut=cut))


def _sum(whose: Iterable[tuple[int, str]]) -> int:
    return sum(count for count, _ in whose)


def as_json(rows: Sequence[Stats], by: By) -> list[dict[str, Any]]:
    """The same for programs: counts, and times in ns."""
    return [
        {
            f"{side_of(by)}_name": row.name,
            **({"agent_version": row.version} if by == "agent_version" else {}),
            "traces": row.traces,
            "failed_starts": row.failed_starts,
            "sessions": row.sessions,
            "turns": row.turns,
            "turn": asdict(row.turn),
            "first_output": asdict(row.first_output),
            "settle": asdict(row.settle),
            "cancels": asdict(row.cancels),
            "findings": {
                side: {severity: row.severity(severity, side) for severity in SEVERITIES}
                for side in ("agent", "client")
            },
            "codes": {
                side: {finding.code: finding.count for finding in row.findings if finding.blame == side}
                for side in ("agent", "client")
            },
            **({} if by == "client" else {"command": row.command}),
            "model": asdict(row.model),
        }
        for row in rows
    ]


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row of that JSON for a spreadsheet: `turn_p50_ns` for `turn`, `p50_ns`. Without the codes."""
    made: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            made |= {f"{key}_{inner}": one for inner, one in flat(value).items() if key != "codes"}
        else:
            made[key] = value
    return made
