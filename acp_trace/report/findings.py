"""The findings section of `show`: the worst first, those of one code together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.report import units, words
from acp_trace.report.columns import Cell, Column, table
from acp_trace.report.document import group
from acp_trace.report.safe import safe

_MOST = 3  #: of one code, unless all are asked for
_WIDE = 100


def summary(findings: Sequence[facts.Finding]) -> Text:
    """`1 error · 2 warnings · 4 notes`; empty without any."""
    text = Text()
    for severity in SEVERITIES:
        if number := sum(one.severity == severity for one in findings):
            text.append(" · " if text else "")
            text.append(words.count(number, severity), words.SEVERITIES[severity])
    return text


def findings(found: Sequence[facts.Finding], width: int, *, all_: bool) -> Text:
    """Severity, code, whose it is, the frame, what was seen: in one line, or in two where that is narrow."""
    columns = [Column(), Column("code"), Column("by"), Column("frame", right=True)]
    wide = width >= _WIDE
    if wide:
        columns.append(Column("what was seen", flexible=True))
    rows: list[list[list[Cell]]] = []
    seen: list[list[Cell]] = []
    for one in _shown(found, all_=all_):
        head, message = _row(one)
        rows.append([*head, message] if wide else head)
        seen.append(message)
    text = table(columns, rows, width)
    if wide:
        return text
    heading, *lines = text.split("\n", allow_blank=True)
    narrow = Text(no_wrap=True, overflow="ellipsis", end="").append_text(heading).append("\n")
    for line, message in zip(lines, seen, strict=False):
        narrow.append_text(line).append("\n")
        narrow.append_text(table([Column(flexible=True)], [[message]], width, indent=10))
    return narrow


def _shown(found: Sequence[facts.Finding], *, all_: bool) -> Iterator[facts.Finding | tuple[str, int]]:
    """The findings, worst first; where many have one code, how many more there are."""
    for severity in SEVERITIES:
        by_code = group((one for one in found if one.severity == severity), lambda one: one.code)
        for code, mine in by_code.items():
            shown = mine if all_ else mine[:_MOST]
            yield from shown
            if left := len(mine) - len(shown):
                yield code, left


def _row(one: facts.Finding | tuple[str, int]) -> tuple[list[list[Cell]], list[Cell]]:
    if isinstance(one, tuple):
        code, left = one
        more = Cell(f"… and {units.number(left)} more: show --all", words.FAINT)
        return [[Cell("")], [Cell(code)], [Cell("")], [Cell("")]], [more]
    times = f"  (× {units.number(one.count)})" if one.count > 1 else ""
    head = [
        [Cell(one.severity, words.SEVERITIES[one.severity])],
        [Cell(one.code)],
        [Cell(one.blame, words.COLOURS.get(one.blame))],
        [Cell(f"#{one.frame}", words.FAINT)],
    ]
    return head, [Cell(safe(one.message)), Cell(times, words.FAINT)]
