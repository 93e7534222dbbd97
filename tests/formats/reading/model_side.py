"""What tests of readers of model traffic compare: the exchanges that a reader of the trace sees."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from acp_trace.formats.reading.log import Log
from acp_trace.formats.reading.trace_lines import traces
from acp_trace.model.exchange import ModelExchange, ModelExchanges
from acp_trace.model.providers import lists_models
from acp_trace.trace.parse import Parser
from tests.support import analyzed


def exchanges_in(lines: bytes) -> list[ModelExchange]:
    """Of a trace file, in their order."""
    exchanges = ModelExchanges()
    for entry in Parser().feed(lines):
        assert entry.kind != "damaged", entry
        exchanges.feed(entry)
    return list(exchanges.exchanges.values())


def exchanges_of(log: Log) -> list[ModelExchange]:
    """Of a log."""
    [trace] = traces([log], "test")
    return exchanges_in(trace.data)


def said(exchange: ModelExchange) -> tuple[Any, ...]:
    """What was asked and answered, without times and without the name of the host.

    The samples are older than the rule that the answer which models there are is written.
    """
    sent, received = (
        [pair for pair in headers if pair[0] != "host"]
        for headers in (exchange.request_headers, exchange.response_headers)
    )
    head = (exchange.method, exchange.path, exchange.protocol, sent, exchange.status, received)
    sizes = (exchange.sent_bytes, exchange.received_bytes)
    bodies = (exchange.is_whole, exchange.request_body, exchange.response_body)
    if lists_models(exchange.method, exchange.path):
        bodies = (False, None, None)
    return (*head, *sizes, *bodies, exchange.broken_by)


def calls_in(lines: bytes) -> list[dict[str, Any]]:
    """The calls of a trace without their times and without the name of the host."""
    left_out = {"host", "provider", "trace"}
    calls = [asdict(call) for call in analyzed(lines)[0].model_calls]
    return [
        {key: value for key, value in call.items() if key not in left_out and not key.endswith("_ns")}
        for call in calls
    ]
