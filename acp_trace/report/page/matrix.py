"""A matrix as a page: one self-contained file, which runs no script. Every text in it is escaped here."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from acp_trace.builds.grid import Grid, GridCell, Verdict, median_of
from acp_trace.report import units
from acp_trace.report.page.html import still
from acp_trace.report.safe import safe
from acp_trace.report.statements.matrix import difference, total, verdict

_CLASSES: dict[Verdict, str] = {"passed": "good", "flaky": "warning", "nothing": "warning"}
_MARKS = {"new": "new", "changed": "changed"}


def page(grid: Grid) -> bytes:
    """The file."""
    return still(f"matrix: {total(grid)}", "".join(_parts(grid)))


def _parts(grid: Grid) -> Iterator[str]:
    yield f'<main class="matrix"><h1>{_text(total(grid))}</h1>'
    yield '<table><thead><tr><th scope="col">recording</th>'
    yield from (f'<th scope="col">{_text(build)}</th>' for build in grid.builds)
    yield "</tr></thead><tbody>"
    numbers = {(cell.trace, cell.build): number for number, cell in enumerate(_reported(grid), 1)}
    for trace in grid.traces:
        yield f'<tr><th scope="row">{_text(trace)}</th>'
        for build in grid.builds:
            cell = grid.cells.get((trace, build))
            yield "<td></td>" if cell is None else _cell(grid, cell, numbers.get((trace, build)))
        yield "</tr>"
    for label, field in (("median turn", "turn_ns"), ("median tokens", "tokens")):
        values = [median_of(grid.of_build(build), field) for build in grid.builds]  # type: ignore[arg-type]
        if any(value is not None for value in values):
            yield f'<tr><th scope="row">{label}</th>'
            yield from (f'<td class="number">{_value(field, value)}</td>' for value in values)
            yield "</tr>"
    yield "</tbody></table>"
    for cell in _reported(grid):
        yield from _difference(cell, numbers[cell.trace, cell.build])
    yield "</main>"


def _reported(grid: Grid) -> list[GridCell]:
    """The cells that there is more to say of."""
    return [cell for cell in grid.listed if cell.verdict != "passed"]


def _cell(grid: Grid, cell: GridCell, number: int | None) -> str:
    words = _text(verdict(cell))
    shown = f'<a href="#d{number}">{words}</a>' if number else words
    mark = grid.mark(cell)
    code = f'<br><span class="faint">{_text(cell.first.code)}</span>' if cell.first is not None else ""
    took = f'<br><span class="faint">{units.brief(cell.took_ns)}</span>' if cell.took_ns is not None else ""
    marked = f" <b>{_MARKS[mark]}</b>" if mark else ""
    return f'<td class="{_CLASSES.get(cell.verdict, "error")}">{shown}{marked}{code}{took}</td>'


def _difference(cell: GridCell, number: int) -> Iterator[str]:
    title = f"{_text(cell.build)} · {_text(cell.trace)}: {_text(verdict(cell))}"
    yield f'<section id="d{number}"><h2>{title}</h2>'
    yield f'<p class="text">{_text(difference(cell))}</p>'
    if cell.first is not None:
        for side, frame in (("expected", cell.first.expected), ("actual", cell.first.actual)):
            if frame is not None:
                cut = " (cut)" if frame.is_cut else ""
                yield f"<h3>{side} #{frame.number}, {_text(frame.sender)}{cut}</h3>"
                yield f"<pre>{_text(frame.text)}</pre>"
    if cell.run_traces:
        yield f'<p class="faint">{_text(", ".join(cell.run_traces))}</p>'
    yield "</section>"


def _value(field: str, value: int | None) -> str:
    if value is None:
        return ""
    return units.brief(value) if field == "turn_ns" else units.number(value)


def _text(text: str) -> str:
    return f"<bdi>{escape(safe(text))}</bdi>"
