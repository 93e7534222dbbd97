"""From what went past to what a reader of the trace sees: through the journal, a capture, its lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from acp_trace.model.exchange import ModelExchanges
from acp_trace.model.journal import Journal
from acp_trace.model.records import Record
from acp_trace.model.secrets import Secrets
from acp_trace.model.wire.events import Event
from acp_trace.trace.files import TraceFile, open_trace
from acp_trace.trace.parse import Parser
from tests.trace.capturing import block, capture, rendered


def journal(environment: Mapping[str, str] | None = None, *, everything: bool = False) -> Journal:
    return Journal(Secrets(environment or {}), everything=everything)


def written(events: Iterable[Event], by: Journal | None = None) -> list[Record]:
    """What a journal writes of events."""
    by = by or journal()
    return [record for event in events for record in by.take(event)]


def file(records: Iterable[Record], **changes: Any) -> bytes:
    """The lines of a trace with these records, one µs apart; `changes`: of its header."""
    blocks = [
        block(record.stream, record.data, n * 1000, record.exchange) for n, record in enumerate(records, 1)
    ]
    return rendered(capture(*blocks, **changes))


def read(lines: bytes) -> ModelExchanges:
    """What a reader makes of a trace file."""
    exchanges = ModelExchanges()
    for entry in Parser().feed(lines):
        assert entry.kind != "damaged", entry
        exchanges.feed(entry)
    return exchanges


def read_trace(path: Path) -> ModelExchanges:
    """What a reader makes of a trace, a capture too."""
    exchanges = ModelExchanges()
    name, lines = open_trace(path)
    with lines:
        for entry in TraceFile(lines, name).entries():
            exchanges.feed(entry)
    return exchanges
