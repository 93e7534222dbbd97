"""The log of network traffic, stream by stream: a request with its response, or a WebSocket.

It is notified of each part before the part goes on, so that a recorder has it first.
"""

from __future__ import annotations

from typing import Protocol


class StreamLog(Protocol):
    """Is notified of the streams of one ACP connection. Never raises.

    Headers are in the form of `headers.shown`. The keys are those of a trace (docs/trace-format.md, "HTTP and
    WebSocket").
    """

    def stream(self, **request: object) -> int:
        """Log a new stream, which begins with this request; return its number, from 1."""

    def say(self, stream: int, **facts: object) -> None:
        """Log something about a stream, such as the head of its response."""

    def message(self, sender: str, stream: int, data: bytes) -> None:
        """Log a message of `client` or `agent`."""

    def body(self, stream: int, data: bytes) -> None:
        """Log the body of a response in one piece: a message of the agent, or its server's text."""

    def stream_ends(self, stream: int, **how: object) -> None:
        """Log the end of a stream: `by` which side, and what went wrong."""


class _Nobody:
    """A log that does nothing."""

    def stream(self, **_: object) -> int:
        return 0

    def say(self, stream: int, **facts: object) -> None:
        pass

    def message(self, sender: str, stream: int, data: bytes) -> None:
        pass

    def body(self, stream: int, data: bytes) -> None:
        pass

    def stream_ends(self, stream: int, **how: object) -> None:
        pass


#: For connections that are not recorded.
NOBODY: StreamLog = _Nobody()
