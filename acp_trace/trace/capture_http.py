"""Blocks of ACP over HTTP and WebSocket -> lines of format 1. Pure: bytes in, bytes out.

A message is one block, so nothing has to be cut into lines here. Only a message that contains the capture's
mark comes in two blocks: the first of them lacks the newline that ends a message.
"""

from __future__ import annotations

from acp_trace.trace import http_lines
from acp_trace.trace.capture_blocks import Block
from acp_trace.trace.capture_layout import HTTP_AGENT, HTTP_CLIENT, HTTP_HEAD
from acp_trace.trace.jsontext import text, value_or_none

_SENDERS = {HTTP_CLIENT: "client", HTTP_AGENT: "agent"}


class HttpMessages:
    """The messages of all streams. `counts`: how many each side sent, including lost ones."""

    def __init__(self) -> None:
        self.counts = {"client": 0, "agent": 0}
        self._begun: dict[tuple[int, int], bytes] = {}  #: by kind and number of the stream

    def of(self, t: int, block: Block) -> bytes:
        """Return the line of a block; empty if its message is not whole yet."""
        if block.stream == HTTP_HEAD:
            event = value_or_none(block.data)
            return http_lines.facts(t, block.connection, text(event)) if isinstance(event, dict) else b""
        key = block.stream, block.connection
        data = self._begun.pop(key, b"") + block.data
        if not data.endswith(b"\n"):
            self._begun[key] = data
            return b""
        sender = _SENDERS[block.stream]
        self.counts[sender] += 1
        return http_lines.message(sender.encode(), t, data[:-1], block.connection)

    def lose(self, stream: int, size: int, messages: int) -> tuple[int, int]:
        """Record `size` bytes of missing messages; return how many frames, of how many bytes, are lost."""
        if stream == HTTP_HEAD:
            return 0, 0
        self.counts[_SENDERS[stream]] += messages
        return messages, max(size - messages, 0)
