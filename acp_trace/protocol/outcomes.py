"""How things end: stop reasons and error codes, version by version. Tables.

Source: StopReason and ErrorCode in the schemas of npm `@agentclientprotocol/sdk` 2.4.0.
"""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.trace.jsontext import as_object

CANCELLED = "cancelled"  #: the stop reason, and the outcome of a permission (prompt-turn#cancellation)
REQUEST_CANCELLED = -32800


class StopReason(NamedTuple):
    """The reason why an agent stopped. Draft 2 leaves the list open."""

    reason: str
    stages: frozenset[str]
    meaning: str


class ErrorCode(NamedTuple):
    """An error's code; every other integer is allowed as well."""

    code: int
    stages: frozenset[str]
    meaning: str


_ALL = frozenset({"1", "1u", "2", "2u"})
_2 = frozenset({"2", "2u"})

STOP_REASONS = (
    StopReason("end_turn", _ALL, "the turn is done"),
    StopReason("max_tokens", _ALL, "the token limit was reached"),
    StopReason("max_turn_requests", _ALL, "the limit of model requests within a turn was reached"),
    StopReason("refusal", _ALL, "the agent refuses to continue"),
    StopReason(CANCELLED, _ALL, "the client cancelled"),
    StopReason("error", _2, "the work failed; an `error` object says how"),
)

ERROR_CODES = (
    ErrorCode(-32700, _ALL, "the line is not JSON"),
    ErrorCode(-32600, _ALL, "the JSON is not a request"),
    ErrorCode(-32601, _ALL, "method not found"),
    ErrorCode(-32602, _ALL, "invalid params"),
    ErrorCode(-32603, _ALL, "internal error"),
    ErrorCode(REQUEST_CANCELLED, _ALL, "request cancelled"),
    ErrorCode(-32000, _ALL, "authentication required"),
    ErrorCode(-32002, _ALL, "resource not found"),
    ErrorCode(-32022, _2, "unsupported protocol version"),
)

#: Members of an error's data in which agents put the cause.
_DETAILS = ("details", "message", "error", "reason")


def details(data: object) -> str | None:
    """Return the text in an error's data; None if there is no text."""
    members = as_object(data)
    said = (data, *(members.get(name) for name in _DETAILS))
    return next((text for text in said if isinstance(text, str) and text), None)


#: With `"id": null` these answer an unreadable line rather than a request (JSON-RPC 2.0, section 5).
UNREADABLE = frozenset({-32700, -32600})

STOP_REASONS_1 = frozenset(row.reason for row in STOP_REASONS if "1" in row.stages)
