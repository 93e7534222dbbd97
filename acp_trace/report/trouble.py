"""The section of `show` for exchanges that failed or never ended."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units, words
from acp_trace.report.safe import safe, shorten

#: A trace can hold thousands; the JSON report has them all.
_MOST = 30


def trouble(found: facts.Facts) -> tuple[int, Table]:
    """How many there are, and the first of them."""
    bad = [one for one in found.exchanges if one.outcome != "result"]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False, expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for one in bad[:_MOST]:
        table.add_row(*_row(one))
    return len(bad), table


def not_shown(count: int) -> str | None:
    """What to say of those that the table leaves out."""
    return f"… and {count - _MOST} more: see --json" if count > _MOST else None


def _row(one: facts.Exchange) -> list[Text]:
    method = Text(f"{words.ARROWS[one.sender]} ", words.COLOURS[one.sender])
    method.append(safe(one.method), "default")
    if one.outcome == "open":
        answer = Text("never answered", words.OPEN)
    else:
        code = "" if one.error_code is None else f" {one.error_code}"
        answer = Text(f"error{code}", words.ERROR)
    return [
        Text(f"#{one.frame}", words.FAINT),
        method,
        answer,
        Text(units.duration(one.latency_ns) if one.latency_ns is not None else ""),
        Text(shorten(safe(one.error_message or ""), 200), overflow="fold"),
    ]
