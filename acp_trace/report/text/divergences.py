"""Divergences for people: the heaviest cause in full, the others in a line each, with their consequences.

`compare.causes` groups them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.compare.causes import Cause, causes
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.session_names import SessionNames
from acp_trace.report.statements.comparisons import event, obeys
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, Row, table, wrap

_MOST = 3  #: of one cause, and of its consequences, unless all are asked for
_BESIDE = 72  #: columns from which on there is room for messages beside codes and frames
_LABEL = 10  #: width of the label before a line of the first divergence
_INDENT = 4
_FOLLOWS = "↳ "
_ROW = (
    Column(right=True),
    Column(),
    Column(),
    Column(right=True),
    Column(right=True),
    Column(flexible=True, wraps=True),
)
_SESSION = 2  #: the column of it, which is there if there are several


def listed(comparison: Comparison, width: int, *, all_: bool) -> Text:
    """All causes, the first in full; of the repeats and consequences of each the first, or all.

    Raises ValueError if nothing differs.
    """
    names = SessionNames(comparison.session_names)
    first, *others = causes(comparison.failing)
    text = _in_full(first, names, width)
    rows = list(_below(first, names, all_=all_))
    if rows and others:
        rows.append([[]] * len(_ROW))
    for number, cause in enumerate(others, 2):
        rows.append(_row(str(number), cause.first, names, _times(cause.count)))
        rows += _below(cause, names, all_=all_)
    if rows:
        columns: Sequence[Column] = _ROW
        if not names.are_several:
            columns = _ROW[:_SESSION] + _ROW[_SESSION + 1 :]
            rows = [[*row[:_SESSION], *row[_SESSION + 1 :]] for row in rows]
        made = table(columns, rows, width) if width >= _BESIDE else _below_each(columns, rows, width)
        text.append("\n").append_text(made)
    return text


def _below_each(columns: Sequence[Column], rows: Sequence[Row], width: int) -> Text:
    """The rows with their messages below them."""
    text = Text(no_wrap=True, end="")
    heads = table(columns[:-1], [row[:-1] for row in rows], width).split("\n")
    for head, row in zip(heads, rows, strict=False):
        message = Text.assemble(*((piece.text, piece.style or "") for piece in row[-1]))
        if head.plain.strip() or not message:
            text.append_text(head).append("\n")
        for line in wrap(message, width - _INDENT - 1) if message else ():
            text.append(" " * (_INDENT + 1)).append_text(line).append("\n")
    return text


def _in_full(cause: Cause, names: SessionNames, width: int) -> Text:
    divergence = cause.first
    text = Text(no_wrap=True, end="")
    text.append(" 1  ").append(safe(divergence.code), f"{styles.HEADING} {styles.ERROR}")
    text.append(_times(cause.count)).append("\n")
    for line in _wrapped(divergence.message, width - _INDENT):
        text.append(f"{'':{_INDENT}}{line}\n")
    for label, value in _lines(divergence, names):
        for at, line in enumerate(_wrapped(value, width - _INDENT - _LABEL) or [""]):
            text.append(" " * _INDENT).append(f"{'' if at else label:<{_LABEL}}", styles.FAINT)
            text.append(f"{line}\n")
    return text


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text; a code such as `stop-reason` stays whole."""
    return textwrap.wrap(safe(text), max(width, 20), break_on_hyphens=False)


def _lines(divergence: Divergence, names: SessionNames) -> Iterator[tuple[str, str]]:
    if divergence.session_id is not None:
        name = names.beside(divergence.session_id)
        of = ", only in the actual trace" if name.startswith("+") else ""
        yield "session", f"{name} {divergence.session_id}".strip() + of
    if divergence.common_expected is not None and divergence.common_got is not None:
        actual = divergence.common_got.frame
        yield "after", f"{event(divergence.common_expected, None)}, #{actual} in the actual trace"
    if not divergence.is_about_all:
        yield "expected", event(divergence.expected_event, divergence.expected)
        yield "actual", event(divergence.got_event, divergence.got)
    if divergence.obeys is not None:
        yield "protocol", obeys(divergence)
    if divergence.refused is not None:
        yield "refused", divergence.refused
    elif divergence.mask is not None:
        yield "hide it", f"--mask '{divergence.mask}'"


def _below(cause: Cause, names: SessionNames, *, all_: bool) -> Iterator[Row]:
    """The rows below a cause: its repeats, then what followed from it."""
    most = len(cause.repeats) if all_ else _MOST - 1
    yield from (_row("", divergence, names, "", code="") for divergence in cause.repeats[:most])
    if (more := len(cause.repeats) - most) > 0:
        yield _note(f"… and {units.number(more)} more: --all")
    most = len(cause.consequences) if all_ else _MOST
    for divergence in cause.consequences[:most]:
        yield _row("", divergence, names, _times(divergence.count), code=_FOLLOWS + divergence.code)
    if (more := len(cause.consequences) - most) > 0:
        yield _note(f"{_FOLLOWS}… and {units.number(more)} more: --all")


def _note(text: str) -> Row:
    return [*([[]] * (len(_ROW) - 1)), [Cell(text, styles.FAINT)]]


def _times(count: int) -> str:
    return f" × {units.number(count)}" if count > 1 else ""


def _row(
    number: str, divergence: Divergence, names: SessionNames, times: str, code: str | None = None
) -> Row:
    expected, actual = (
        f"#{of.frame}" if of else "–" for of in (divergence.expected_event, divergence.got_event)
    )
    shown_code = safe(divergence.code if code is None else code)
    change = {"actual": "fixed", "expected": "new finding"}.get(divergence.obeys or "")
    about = f" ({change}: {', '.join(divergence.findings)})" if change else ""
    return [
        [Cell(number)],
        [Cell(shown_code + times, styles.FAINT if shown_code.startswith(_FOLLOWS) else styles.ERROR)],
        [Cell(names.beside(divergence.session_id), styles.session(names.colour(divergence.session_id)))],
        [Cell(expected, styles.FAINT)],
        [Cell(actual, styles.FAINT)],
        [Cell(safe(divergence.message + about))],
    ]
