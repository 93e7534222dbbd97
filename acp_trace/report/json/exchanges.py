"""`model --json`: what an agent asked, one object per request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_trace.analyze import facts
from acp_trace.model.exchange import ModelExchange
from acp_trace.report.json import model_calls


def rows(exchanges: Iterable[ModelExchange], calls: Iterable[facts.ModelCall]) -> list[dict[str, Any]]:
    """All of them, in order, each with its calls. Times are ns since the trace began, durations ns."""
    by_exchange: dict[int, list[dict[str, Any]]] = {}
    for call in calls:
        by_exchange.setdefault(call.exchange, []).append(model_calls.row(call))
    return [_row(exchange, by_exchange.get(exchange.number, [])) for exchange in exchanges]


def _row(exchange: ModelExchange, calls: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "exchange": exchange.number,
        "started_ns": exchange.started_ns,
        "first_byte_ns": exchange.first_byte_ns,
        "ended_ns": exchange.ended_ns,
        "duration_ns": exchange.duration_ns,
        "method": exchange.method,
        "host": exchange.host,
        "path": exchange.path,
        "protocol": exchange.protocol,
        "status": exchange.status,
        "sent_bytes": exchange.sent_bytes,
        "received_bytes": exchange.received_bytes,
        "chunks": len(exchange.chunks),
        "messages": len(exchange.messages),
        "bodies": exchange.is_whole,
        "omitted": exchange.omitted,
        "broken_by": exchange.broken_by,
        "unreadable": exchange.unreadable,
        "damaged": exchange.damaged,
        "calls": calls,
    }
