"""What each reader makes of a log, and which one is taken: `import --explain`."""

from __future__ import annotations

from collections import Counter

from rich.text import Text

from acp_trace.formats.reading.groups import ExplainedLog, Reading
from acp_trace.formats.reading.log import Sent
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.counts import counted

_COLUMNS = (
    Column(""),
    Column("reader"),
    Column("messages", right=True),
    Column("unused", right=True),
    Column("no response", right=True),
    Column("no request", right=True),
    Column("twice", right=True),
    Column("score", right=True),
    Column("", wraps=True),
)


def log_readings(log: ExplainedLog, width: int) -> Text:
    """A table of the readers that recognise the log, and how the best one tells senders and times."""
    text = Text(f"{safe(', '.join(log.files))}\n")
    if log.readings:
        text.append_text(table(_COLUMNS, [_row(one, is_best=one is log.best) for one in log.readings], width))
    if log.best is None:
        return text.append(f" {safe(log.why_none)}\n")
    for line in _ways(log.best):
        text.append(f" {line}\n")
    return text


def _row(one: Reading, *, is_best: bool) -> list[list[Cell]]:
    made = one.sense
    numbers = (made.messages, made.unused, made.unanswered, made.unasked, made.repeated, made.score)
    return [
        [Cell("▸" if is_best else "", styles.COLOURS["agent"])],
        [Cell(one.format)],
        *([Cell(units.number(number) if one.traces else "")] for number in numbers),
        [Cell(safe(one.why_not))],
    ]


def _ways(best: Reading) -> list[str]:
    """Where connections, senders and times come from."""
    logs = [trace.log for trace in best.traces]
    sent = [item for log in logs for item in log.messages if isinstance(item, Sent)]
    inferred = sum(log.inferred for log in logs)
    sides = Counter(item.sender for item in sent)
    lines = [f"{counted(len(logs), 'connection')}: {sides['client']} ▸ {sides['agent']} ◂"]
    marks = sorted({f"`{safe(mark)}` is the {side}" for log in logs for mark, side in log.marks})
    if inferred == len(sent):
        lines.append("senders: inferred from methods and ids")
    else:
        ways = ", ".join(marks) or "as the log has them"
        lines.append(f"senders: {ways}{f'; {inferred} inferred from methods and ids' if inferred else ''}")
    dated = any(log.started_ns is not None for log in logs)
    timed = any(item.t is not None for log in logs for item in log.messages)
    lines.append(f"times: {'with a date' if dated else 'without a date' if timed else 'none'}")
    if (protocol := best.sense.protocol) != "ACP":
        lines.append(f"protocol: {protocol}, not ACP")
    if doubts := best.sense.doubts():
        lines.append(f"unlikely: {doubts}")
    return lines
