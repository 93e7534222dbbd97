"""The streams of a trace over the network while they are written: messages, and facts about the HTTP layer.

Nothing here stops the traffic: any failure is a gap, or reported once on stderr, and never raised.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from acp_trace.record.sink import Closed, Sink
from acp_trace.trace.capture_layout import FIRST, HTTP_AGENT, HTTP_CLIENT, HTTP_HEAD
from acp_trace.trace.document import document
from acp_trace.transport.routing import is_message

_SENDERS = {"client": HTTP_CLIENT, "agent": HTTP_AGENT}
_NUMBER_SIZE = 4
_ERROR_TEXT = 1000  #: bytes
_LOOKED_THROUGH = 16_384  #: bytes: a secret that begins in the part that is kept may end after it


class StreamTrace:
    """A `transport.stream_log.StreamLog` that writes to a trace. One thread uses it.

    `hide` removes secrets from a server's text that is not a message: it may repeat what it was sent.
    """

    def __init__(self, sink: Sink, hide: Callable[[str], str] = str) -> None:
        self._sink, self._hide = sink, hide
        self._last = 0
        self.open = 0  #: streams that have not ended

    def stream(self, **request: object) -> int:
        """Write the start of a new stream, with its request; return its number."""
        self._last = _next(self._last)
        self.open += 1
        self.say(self._last, request=request)
        return self._last

    def say(self, stream: int, **facts: object) -> None:
        """Write something about a stream."""
        self._write(HTTP_HEAD, stream, document(facts))

    def message(self, sender: str, stream: int, data: bytes) -> None:
        """Write a message of `client` or `agent`."""
        self._write(_SENDERS[sender], stream, data + b"\n")

    def body(self, stream: int, data: bytes) -> None:
        """Write a body in one piece: a message of the agent, or its server's error text."""
        if not data:
            return
        if is_message(data):
            self.message("agent", stream, data)
        else:
            text = self._hide(data[:_LOOKED_THROUGH].decode("utf-8", "replace"))
            kept = text.encode()[:_ERROR_TEXT].decode("utf-8", "replace")
            self.say(stream, body={"bytes": len(data), "text": kept})

    def stream_ends(self, stream: int, **how: object) -> None:
        """Write how a stream ended."""
        self.open -= 1
        self.say(stream, end=how)

    def _write(self, kind: int, stream: int, data: bytes) -> None:
        with contextlib.suppress(Closed, MemoryError):  # it may come after the footer, or memory may run out
            self._sink.write_beside(kind, stream, None, data)


def _next(number: int) -> int:
    """Return a stream's next number: none contains the byte with which a capture's marks begin."""
    number += 1
    while FIRST in number.to_bytes(_NUMBER_SIZE, "little"):
        number += 1
    return number
