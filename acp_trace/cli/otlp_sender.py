"""Spans -> a collector, with OpenTelemetry's own exporter, which is in the extra `otlp`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from acp_trace import __version__

if TYPE_CHECKING:
    from acp_trace.formats.writing.otel_span import OtelSpan
    from acp_trace.formats.writing.writer import ExportedTrace

_PATH = "/v1/traces"  #: of a collector's address without a path (OTLP, "OTLP/HTTP request")
_AT_ONCE = 500  #: spans in a request


class NotSent(Exception):
    """The collector did not take the spans: one line."""


def send(trace: ExportedTrace, endpoint: str) -> int:
    """Sends all spans of a trace; how many. Raises NotSent, and ImportError without the extra."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExportResult

    from acp_trace.formats.writing.otel_span import resource
    from acp_trace.formats.writing.spans import traces

    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise NotSent(f"{shown(endpoint)} is not an address: http://localhost:4318")
    if parts.path in ("", "/"):
        endpoint = parts._replace(path=_PATH).geturl()
    _silence_exporter()
    exporter: Any = OTLPSpanExporter(endpoint=endpoint)
    about, count = Resource(resource(trace.facts)), 0
    try:
        for spans in traces(trace):
            for at in range(0, len(spans), _AT_ONCE):
                some = [_readable(span, about) for span in spans[at : at + _AT_ONCE]]
                if exporter.export(some) is not SpanExportResult.SUCCESS:
                    raise NotSent(f"{shown(endpoint)} did not accept the spans")
                count += len(some)
    finally:
        exporter.shutdown()
    return count


def shown(endpoint: str) -> str:
    """An endpoint as it may be printed and written: without a login and a query, in which keys are."""
    address, _, _ = endpoint.partition("?")
    scheme, slashes, rest = address.partition("//")
    return f"{scheme}{slashes}{rest.rpartition('@')[2]}"


def _silence_exporter() -> None:
    """The exporter logs what a collector answers, byte for byte, and without a handler that goes to stderr.

    That it failed is known from what it returns.
    """
    logging.getLogger("opentelemetry").addHandler(logging.NullHandler())


def _readable(span: OtelSpan, about: object) -> Any:
    """A span as the exporter takes it."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

    from acp_trace.formats.writing.otel_span import CLIENT

    def context(span_id: int) -> SpanContext:
        return SpanContext(
            span.trace_id, span_id, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED)
        )

    assert isinstance(about, Resource)
    error: Mapping[str, str] = {} if span.error is None else {"error.type": span.error}
    status = Status() if span.error is None else Status(StatusCode.ERROR, span.message)
    return ReadableSpan(
        span.name,
        context=context(span.span_id),
        parent=None if span.parent_id is None else context(span.parent_id),
        resource=about,
        attributes={**span.attributes, **error},
        events=[Event(name, attributes, t_ns) for name, t_ns, attributes in span.events],
        kind=SpanKind.CLIENT if span.kind == CLIENT else SpanKind.INTERNAL,
        status=status,
        start_time=span.start_ns,
        end_time=span.end_ns,
        instrumentation_scope=InstrumentationScope("acp-trace", __version__),
    )
