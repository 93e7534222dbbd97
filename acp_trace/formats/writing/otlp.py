"""Spans as OTLP/JSON: a line for each session, as a collector's file receiver and exporter have it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from acp_trace import __version__
from acp_trace.formats.writing.otel_span import OtelSpan, resource
from acp_trace.formats.writing.spans import traces
from acp_trace.formats.writing.writer import ExportedTrace

_ERROR = 2  #: the code of a status


def write(trace: ExportedTrace) -> Iterator[bytes]:
    """The file, session by session."""
    about = {"attributes": _attributes(resource(trace.facts))}
    scope = {"name": "acp-trace", "version": __version__}
    for spans in traces(trace):
        scoped = {"scope": scope, "spans": [_span(span) for span in spans]}
        yield msgspec.json.encode({"resourceSpans": [{"resource": about, "scopeSpans": [scoped]}]}) + b"\n"


def _span(span: OtelSpan) -> dict[str, Any]:
    made: dict[str, Any] = {"traceId": f"{span.trace_id:032x}", "spanId": f"{span.span_id:016x}"}
    if span.parent_id is not None:
        made["parentSpanId"] = f"{span.parent_id:016x}"
    made |= {"name": span.name, "kind": span.kind}
    made |= {"startTimeUnixNano": str(span.start_ns), "endTimeUnixNano": str(span.end_ns)}
    error = {} if span.error is None else {"error.type": span.error}
    made["attributes"] = _attributes({**span.attributes, **error})
    if span.events:
        made["events"] = [
            {"name": name, "timeUnixNano": str(t_ns), "attributes": _attributes(attributes)}
            for name, t_ns, attributes in span.events
        ]
    made["status"] = {} if span.error is None else {"code": _ERROR, "message": span.message or ""}
    return made


def _attributes(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in attributes.items()]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [_value(item) for item in value]}}
    return {"stringValue": str(value)}
