"""What the lines of a trace say of HTTP and WebSocket, by docs/trace-format.md alone: no reader of ours is used."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass, field
from typing import Any

_FRAME = re.compile(
    rb'\{"t":\d+,"from":"(?:client|agent)","frame":(.*),"stream":\d+(?:,"newlines":\[[\d,]*\])?\}'
)


@dataclass(slots=True)
class TracedStream:
    """A request with its response, or a WebSocket."""

    request: dict[str, Any]
    sent: list[bytes] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    response: dict[str, Any] | None = None
    end: dict[str, Any] | None = None

    def asked_for(self, name: str) -> str:
        """A header of the request, if the trace has its value."""
        return next((value or "" for key, value in self.request["headers"] if key == name), "")


def streams(lines: bytes) -> list[TracedStream]:
    """The streams of a trace, in the order in which they began."""
    found: dict[int, TracedStream] = {}
    for line in lines.splitlines():
        entry = json.loads(line)
        if "http" in entry:
            facts = entry["http"]
            if "request" in facts:
                found[facts["stream"]] = TracedStream(facts["request"])
            one = found[facts["stream"]]
            one.response = facts.get("response", one.response)
            one.end = facts.get("end", one.end)
        elif "from" in entry:
            one = found[entry["stream"]]
            (one.sent if entry["from"] == "client" else one.received).append(_message(line, entry))
    return [*found.values()]


def spoken(lines: bytes) -> tuple[list[bytes], list[bytes]]:
    """All messages of the client and of the agent, in the order of the trace."""
    sides: tuple[list[bytes], list[bytes]] = [], []
    for line in lines.splitlines():
        entry = json.loads(line)
        if "from" in entry:
            sides[entry["from"] == "agent"].append(_message(line, entry))
    return sides


def _message(line: bytes, entry: dict[str, Any]) -> bytes:
    if "base64" in entry:
        return base64.b64decode(entry["base64"])
    if "text" in entry:
        text: str = entry["text"]
        return text.encode()
    found = _FRAME.fullmatch(line)
    assert found is not None, line
    message = bytearray(found[1])
    for at in entry.get("newlines", ()):
        message[at] = 0x0A
    return bytes(message)
