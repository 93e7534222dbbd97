"""What a provider does now and then, and the stand-in when it is ordered to: once each, then it answers.

    LIMIT 20   429 with Retry-After, then so many words
    ERROR 20   500, then so many words
    BREAK 20   so many words, of which half come before the connection breaks off; then all of them

An agent that tries again gets its answer. Says what to send, sends nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

RETRY_AFTER_S = 2
#: The agents of which it is recorded what they do then: of three makes and three interfaces.
TRIED = ("opencode", "claude-agent-acp", "gemini-cli")
ORDERS = ("LIMIT", "ERROR", "BREAK")
PROMISED = 1 << 20  #: bytes of an answer that breaks off, as its head says


@dataclass(frozen=True, slots=True)
class Refusal:
    """A response that is no answer. Its body has what each provider's has."""

    status: HTTPStatus
    kind: str  #: as Anthropic and OpenAI call it
    code: str  #: as Gemini calls it
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, Any]:
        error = {"type": self.kind, "code": int(self.status), "status": self.code, "message": self.message}
        return {"type": "error", "error": error}


REFUSALS = {
    "LIMIT": Refusal(
        HTTPStatus.TOO_MANY_REQUESTS,
        "rate_limit_error",
        "RESOURCE_EXHAUSTED",
        "Too many requests",
        {"Retry-After": str(RETRY_AFTER_S)},
    ),
    "ERROR": Refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "api_error", "INTERNAL", "Internal server error"),
}


class Errors:
    """Which of them were made already, by the order."""

    def __init__(self) -> None:
        self._made: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def is_due(self, order: tuple[str, str]) -> bool:
        """Whether this order has to fail: the first time that it comes."""
        with self._lock:
            due = order[0] in ORDERS and order not in self._made
            self._made.add(order)
            return due
