"""The agent's traffic that went through the proxy, if none of it was a model call. Pure.

An agent can bypass the proxy: it ignores proxy variables, trusts only its own certificates, or has its
model's address in its own file. Then nothing of the model is recorded, and no recording can answer in its
place. `record`, `show`, `model` and `replay` report it in these words: docs/model.md, "If no call is
recorded".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from acp_trace.trace.counts import counted

_BASE = (
    "give the model's base URL with `record --model-base URL`, "
    "and have the agent use the URL that it gets instead"
)

#: The keys of a note about a connection that could not be read: see docs/trace-format.md.
_REFUSED = frozenset({"refused", "unread"})


def is_refused(connection: Mapping[str, Any]) -> bool:
    """Whether a note on a connection records that the agent did not accept the proxy's certificate."""
    return not connection.keys().isdisjoint(_REFUSED)


class SeenTraffic(NamedTuple):
    """The number of requests, and of connections on which the agent refused the proxy's certificate."""

    requests: int = 0
    refused: int = 0

    def __str__(self) -> str:
        """Return `no model calls were recorded (24 requests): try …`."""
        parts = [_count(self.requests, "request")] if self.requests or not self.refused else []
        parts += [f"{_count(self.refused, 'connection')} refused"] if self.refused else []
        return f"no model calls were recorded ({', '.join(parts)}): {self.advice}"

    @property
    def advice(self) -> str:
        """Return the likely reason, and what to do."""
        if self.refused:
            return f"the agent does not accept the proxy's certificate: {_BASE}"
        if self.requests:
            return "the agent's requests to its model have an unknown form: try `record --model-all`"
        return f"the agent bypasses the proxy: {_BASE}"


def _count(number: int, what: str) -> str:
    return counted(number, what) if number else f"no {what}s"
