"""The findings section of `show`: the worst first, those of one code together."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.analyze.findings.crash import CRASH
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.session_names import UNNAMED, SessionNames
from acp_trace.report.statements import consequences, phrases
from acp_trace.report.statements.stderr import LogLine
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.report.text.logs import last_lines, within
from acp_trace.trace.intervals import Interval

_MOST = 3  #: of one code, unless all are asked for
_NARROWEST = 50  #: room beside a finding that is worth using for what was seen
_INDENT = 10
_COLUMNS = (Column(), Column("code"), Column("side"), Column("frame", right=True))


def summary(findings: Sequence[facts.Finding]) -> Text:
    """`1 error · 2 warnings · 4 notes`; empty without any."""
    text = Text()
    for severity, words in consequences.counts(findings):
        text.append(" · " if text else "").append(words, styles.SEVERITIES[severity])
    return text


def findings(
    all_findings: Sequence[facts.Finding],
    width: int,
    *,
    all_: bool,
    logs: Sequence[LogLine] = (),
    log_count: int = 0,
    windows: Mapping[tuple[str, int], Interval] = MappingProxyType({}),
    names: SessionNames = UNNAMED,
) -> Text:
    """Severity, code, side and frame; the message beside them, or below if there is no room.

    Consequences of a finding are below it, unless `all_`. Below a crash are `logs`, the last lines that the
    agent wrote to stderr, of `log_count`; below a finding in `windows`, what it wrote meanwhile.
    `names`: of sessions.
    """
    followed = {} if all_ else consequences.by_cause(all_findings)
    rows = list(_shown([one for one in all_findings if all_ or not _follows(one)], all_=all_))
    shown = [_row(one, names) for one in rows]
    heads = table(_COLUMNS, [head for head, _ in shown], width).split("\n", allow_blank=True)
    beside = max(head.cell_len for head in heads) + 2
    room = width - beside
    text = Text(no_wrap=True, overflow="ellipsis", end="")
    if room >= _NARROWEST:
        heads[0].append(f"{'':{beside - heads[0].cell_len}}what was seen", styles.FAINT)
    for head, row, (_, message) in zip(heads, [None, *rows], [([], Text()), *shown], strict=False):
        below = room < _NARROWEST
        lines = _wrapped(message, width - _INDENT if below else room)
        text.append_text(head)
        if lines and not below:
            text.append(" " * (beside - head.cell_len)).append_text(lines.pop(0))
        text.append("\n")
        for line in lines:
            text.append(" " * (_INDENT if below else beside)).append_text(line).append("\n")
        if isinstance(row, facts.Finding) and row.frame in followed:
            of_row = textwrap.wrap(consequences.phrase(followed.pop(row.frame)), max(width - _INDENT, 20))
            text.append("".join(f"{' ' * _INDENT}{line}\n" for line in of_row), styles.FAINT)
        if isinstance(row, facts.Finding) and row.code == CRASH:
            for line in last_lines(logs, log_count, width - _INDENT) if logs else ():
                text.append(" " * _INDENT).append_text(line).append("\n")
        if isinstance(row, facts.Finding) and (window := windows.get((row.code, row.frame))):
            for line in within(logs, window, width - _INDENT):
                text.append(" " * _INDENT).append_text(line).append("\n")
    return text


def _follows(finding: facts.Finding) -> bool:
    return finding.consequence_of is not None


def _wrapped(message: Text, width: int) -> list[Text]:
    lines = textwrap.wrap(message.plain, max(width, 20)) if message else []
    return [Text(line, message.style) for line in lines]


def _shown(all_findings: Sequence[facts.Finding], *, all_: bool) -> Iterator[facts.Finding | tuple[str, int]]:
    """The findings, worst first; where many have one code, how many more there are."""
    in_order = (all_findings[at] for at in consequences.in_order(all_findings))
    for (_, code), mine in groupby(in_order, lambda one: (one.severity, one.code)):
        every = list(mine)
        shown = every if all_ else every[:_MOST]
        yield from shown
        if left := len(every) - len(shown):
            yield code, left


def _row(item: facts.Finding | tuple[str, int], names: SessionNames) -> tuple[list[list[Cell]], Text]:
    if isinstance(item, tuple):
        code, left = item
        more = Text(f"… and {units.number(left)} more: show --all", styles.FAINT)
        return [[Cell("")], [Cell(code)], [Cell("")], [Cell("")]], more
    head = [
        [Cell(item.severity, styles.SEVERITIES[item.severity])],
        [Cell(item.code)],
        [Cell(item.blame, styles.COLOURS.get(item.blame))],
        [Cell(phrases.address(item), styles.FAINT)],
    ]
    times = f"  (×{units.number(item.count)})" if item.count > 1 else ""
    of = f"{name}: " if (name := names.beside(item.session_id)) else ""
    return head, Text(of + safe(item.message) + times + consequences.cause(item))
