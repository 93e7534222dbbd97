"""`model`: what an agent asked, one line per request."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from acp_trace.model.exchange import ModelExchange
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table

_WIDE, _NARROW = 110, 70


def exchange_list(exchanges: Sequence[ModelExchange], width: int) -> Text:
    """A table; in a narrow terminal without sizes and hosts."""
    headings = ["at", "status", "first", "took"]
    headings += ["sent", "received"] if width >= _NARROW else []
    columns = [Column("#", right=True), *(Column(heading, right=True) for heading in headings)]
    columns += [Column("host")] if width >= _WIDE else []
    columns += [Column("request", flexible=True, wraps=True)]
    return table(columns, [_row(exchange, headings, width) for exchange in exchanges], width)


def _row(exchange: ModelExchange, headings: list[str], width: int) -> list[list[Cell]]:
    started, first, ended = exchange.started_ns, exchange.first_byte_ns, exchange.ended_ns
    cells = {
        "at": Cell(units.since_start(started)),
        "status": _status(exchange),
        "first": Cell("" if first is None else units.brief(first - started)),
        "took": Cell("open" if ended is None else units.brief(ended - started), _open(exchange)),
        "sent": Cell(_size(exchange.sent_bytes)),
        "received": Cell(_size(exchange.received_bytes)),
    }
    row = [[Cell(str(exchange.number), styles.FAINT)], *([cells[heading]] for heading in headings)]
    if width >= _WIDE:
        row.append([Cell(safe(exchange.host))])
    path = exchange.path.partition("?")[0]
    request = [Cell(safe(f"{exchange.method} {path}"))]
    if said := _said(exchange):
        request.append(Cell(f"  {safe(said)}", styles.ERROR))
    return [*row, request]


def _status(exchange: ModelExchange) -> Cell:
    if exchange.status is None:
        return Cell("–", styles.ERROR)
    return Cell(str(exchange.status), styles.ERROR if exchange.status >= 400 else None)


def _open(exchange: ModelExchange) -> str | None:
    return styles.OPEN if exchange.ended_ns is None else None


def _size(count: int | None) -> str:
    return "" if count is None else units.size(count)


def _said(exchange: ModelExchange) -> str:
    """What went wrong."""
    said = [f"broken off by the {exchange.broken_by}"] if exchange.broken_by else []
    said += [f"unreadable: {exchange.unreadable}"] if exchange.unreadable else []
    said += [f"not recorded: {why}" for why in exchange.omitted]
    said += ["a part is lost"] if exchange.damaged else []
    return ", ".join(said)
