"""The shape of a span, its ids and its times: no rule of what becomes one."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from acp_trace.analyze.facts import Facts

INTERNAL, CLIENT = 1, 3  #: kinds of spans, by their numbers in OTLP
_NS_PER_S = 1_000_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class OtelSpan:
    """One span. Times are ns since 1970; `error` is the type of an error, None if there was none."""

    trace_id: int
    span_id: int
    parent_id: int | None
    name: str
    kind: int
    start_ns: int
    end_ns: int
    attributes: dict[str, Any]
    error: str | None = None
    message: str | None = None  #: of the error
    events: list[tuple[str, int, dict[str, Any]]] = field(default_factory=list)


def unix_ns(started_at: str | None) -> int | None:
    """Ns since 1970; None if this is not a time."""
    try:
        moment = datetime.fromisoformat(started_at or "")
    except ValueError:
        return None
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - _EPOCH
    return (since.days * 86_400 + since.seconds) * _NS_PER_S + since.microseconds * 1000


def derived_id(size: int, *names: str | None) -> int:
    """An id that follows from names: never 0, which means none."""
    text = "\0".join("" if name is None else f"={name}" for name in names)
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()
    return int.from_bytes(digest) or 1


def resource(facts: Facts) -> dict[str, Any]:
    """What all spans have in common: the agent, and the trace that they are made of."""
    trace = facts.trace
    about = {
        "service.name": trace.agent_name or "acp-agent",
        "service.version": trace.agent_version,
        "acp.trace.id": trace.id,
        "acp.client.name": trace.client_name,
        "acp.client.version": trace.client_version,
        "acp.protocol.version": trace.protocol_version,
    }
    return there(about)


def there(about: dict[str, Any]) -> dict[str, Any]:
    """What is known of it."""
    return {name: value for name, value in about.items() if value is not None}
