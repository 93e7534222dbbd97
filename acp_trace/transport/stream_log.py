"""Who is told what goes over the network, stream by stream: a request with its response, or a WebSocket.

Each thing is told before it goes on, so that a recorder has it first. What becomes of it, nobody here knows.
"""

from __future__ import annotations

from typing import Protocol


class StreamLog(Protocol):
    """Is told of the streams of one connection of ACP. Never raises.

    Headers are told as `headers.shown` has them. The keys are those of a trace (docs/trace-format.md, "HTTP
    and WebSocket").
    """

    def stream(self, **request: object) -> int:
        """A new stream, which begins with this request: its number, from 1."""

    def say(self, stream: int, **facts: object) -> None:
        """Something about a stream, such as the head of its response."""

    def message(self, sender: str, stream: int, data: bytes) -> None:
        """A message of `client` or `agent`."""

    def body(self, stream: int, data: bytes) -> None:
        """The body of a response in one piece: a message of the agent, or what its server says."""

    def stream_ends(self, stream: int, **how: object) -> None:
        """It is over: `by` which side, and what went wrong."""


class _Nobody:
    """Is told, and does nothing."""

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


#: Where nothing is recorded.
NOBODY: StreamLog = _Nobody()
