"""A small agent that is served, and what a client and it say to each other, as a recording."""

from __future__ import annotations

import json
from typing import Any

from acp_trace.transport.served import ServedConnection
from tests.support import request, result, trace, update

CHUNK = "agent_message_chunk"


def chunk(session: str, text: str) -> dict[str, Any]:
    """A piece of the agent's answer."""
    return update(session, CHUNK, content={"type": "text", "text": text})


def prompt(number: int, session: str, text: str) -> dict[str, Any]:
    """A prompt of the client."""
    return request(number, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}])


def recording(*, steps: int = 100, **header: Any) -> bytes:
    """Two sessions: a file is read in the first, a turn is cancelled in the second. `steps`: how many frames."""
    frames: list[tuple[str, Any]] = [
        ("client", request(0, "initialize", protocolVersion=1, clientCapabilities={})),
        ("agent", result(0, protocolVersion=1, agentInfo={"name": "served", "version": "1"})),
        ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(1, sessionId="a")),
        ("client", prompt(2, "a", "read")),
        ("agent", chunk("a", "Let me look")),
        ("agent", request(0, "fs/read_text_file", sessionId="a", path="/w/notes.txt")),
        ("client", result(0, content="milk")),
        ("agent", chunk("a", "It says milk")),
        ("agent", result(2, stopReason="end_turn")),
        ("client", request(3, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(3, sessionId="b")),
        ("client", prompt(4, "b", "hold")),
        ("agent", chunk("b", "Hm")),
        ("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "b"}}),
        ("agent", result(4, stopReason="cancelled")),
    ]
    return trace(*frames[:steps], **header)


class Agent:
    """Plays the agent of the recording. `fault`: what it does otherwise."""

    def __init__(self, fault: str = "") -> None:
        self._fault = fault
        self._sessions = 0
        self._cwd = ""
        self._held: dict[str, int] = {}
        self._reads: dict[int, tuple[int, str]] = {}

    async def __call__(self, connection: ServedConnection) -> None:
        """One connection, to its end."""
        while (data := await connection.receive()) is not None:
            message = json.loads(data)
            if message.get("method") == "session/prompt" and self._fault == "leaves":
                return
            for answer in self._answers(message):
                connection.send(json.dumps(answer, indent=1 if self._fault == "pretty" else None).encode())

    def _answers(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        number, params = message.get("id", 0), message.get("params", {})
        match message.get("method"):
            case "initialize":
                return [result(number, protocolVersion=1, agentInfo={"name": "served", "version": "2"})]
            case "session/new":
                self._sessions += 1
                self._cwd = params["cwd"]
                return [result(number, sessionId=f"live-{self._sessions}")]
            case "session/prompt":
                return self._prompted(number, params["sessionId"], params["prompt"][0]["text"])
            case "session/cancel":
                stop = "end_turn" if self._fault == "deaf" else "cancelled"
                return [result(self._held.pop(params["sessionId"]), stopReason=stop)]
            case None:  # the file
                turn, session = self._reads.pop(number)
                said = chunk(session, f"It says {message['result']['content']}")
                return [said, result(turn, stopReason="end_turn")]
        return []

    def _prompted(self, number: int, session: str, text: str) -> list[dict[str, Any]]:
        if self._fault == "silent":
            return []
        if text == "hold":
            self._held[session] = number
            return [chunk(session, "Hm")]
        self._reads[7] = number, session
        asked = request(7, "fs/read_text_file", sessionId=session, path=f"{self._cwd}/notes.txt")
        return [chunk(session, "Let me look"), asked]
