"""What both sides of the demo need: JSON-RPC messages, one per line, on two binary streams."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any, BinaryIO

Message = dict[str, Any]


class MessagePipe:
    """Sends and receives messages; any thread may send."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._lock = threading.Lock()
        self._next = 0

    def messages(self) -> Iterator[Message]:
        """Yield the other side's messages, until it hangs up."""
        for line in self._incoming:
            yield json.loads(line)

    def request(self, method: str, **params: Any) -> int:
        """Send a request; return its id. Ids count from 0 on both sides, as in the SDKs."""
        with self._lock:
            number, self._next = self._next, self._next + 1
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, number: Any, result: Any) -> None:
        """Answer a request."""
        self._send({"jsonrpc": "2.0", "id": number, "result": result})

    def refuse(self, number: Any, code: int, message: str) -> None:
        """Answer a request with an error."""
        self._send({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})

    def _send(self, message: Message) -> None:
        line = json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        with self._lock:
            self._outgoing.write(line)
            self._outgoing.flush()
