"""An agent that asks its model over a WebSocket: `python socket_agent.py [prompt]`.

As codex does: one for a session, compressed, and each request goes on from the answer before it. With the word, its
model is told something else.

Speaks ACP 1, and OpenAI's responses to api.openai.com. The client's bytes are those of wsproto.
"""

from __future__ import annotations

import json
import os
import socket
import ssl
import sys
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Message, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

HOST = "api.openai.com"
KIND = "kind" if "prompt" in sys.argv[1:] else "brief"


def connected() -> ssl.SSLSocket:
    """A connection to the provider, through the proxy of the environment."""
    proxy = urlsplit(os.environ["HTTPS_PROXY"])
    plain = socket.create_connection((proxy.hostname or "", proxy.port or 0))
    plain.sendall(f"CONNECT {HOST}:443 HTTP/1.1\r\nHost: {HOST}:443\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += plain.recv(1) or sys.exit("the proxy hung up")
    context = ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])
    return context.wrap_socket(plain, server_hostname=HOST)


class Model:
    """A conversation with it."""

    def __init__(self, cwd: str) -> None:
        self._stream, self._frames = connected(), WSConnection(ConnectionType.CLIENT)
        self._last: str | None = None
        self._new = [{"type": "message", "role": "developer", "content": f"Be {KIND}. You work in {cwd}."}]
        self._thread = str(uuid.uuid4())
        key = [(b"authorization", f"Bearer {os.environ['OPENAI_API_KEY']}".encode())]
        self._send(Request(HOST, "/v1/responses", extensions=[PerMessageDeflate()], extra_headers=key))
        accepted = next(self._events())
        assert isinstance(accepted, AcceptConnection), accepted

    def ask(self, text: str) -> Iterator[str]:
        """What it says, piece by piece."""
        asked = [*self._new, {"type": "message", "role": "user", "content": text}]
        words = {"type": "response.create", "model": "m-1", "input": asked, "prompt_cache_key": self._thread}
        self._send(TextMessage(json.dumps({**words, "previous_response_id": self._last})))
        self._new = []
        said = ""
        for event in self._events():
            assert isinstance(event, Message), event
            said += str(event.data)
            if not event.message_finished:
                continue
            message, said = json.loads(said), ""
            if message["type"] == "response.output_text.delta":
                yield message["delta"]
            elif message["type"] == "response.completed":
                self._last = message["response"]["id"]
                return
            elif message["type"] == "error":
                raise ValueError(message["error"]["message"])

    def _send(self, event: Any) -> None:
        self._stream.sendall(self._frames.send(event))

    def _events(self) -> Iterator[Any]:
        while True:
            yield from self._frames.events()
            self._frames.receive_data(self._stream.recv(1 << 16) or None)


def say(**message: Any) -> None:
    """Sends a message to the client."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Serves until the client hangs up."""
    for line in sys.stdin:
        message = json.loads(line)
        number, params = message["id"], message["params"]
        if message["method"] == "initialize":
            say(id=number, result={"protocolVersion": 1, "agentCapabilities": {}})
        elif message["method"] == "session/new":
            cwd, session = params["cwd"], str(uuid.uuid4())
            model = Model(cwd)
            say(id=number, result={"sessionId": session})
        else:
            for piece in model.ask(params["prompt"][0]["text"]):
                text = piece.replace(cwd, "my directory")
                update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
                say(method="session/update", params={"sessionId": session, "update": update})
            say(id=number, result={"stopReason": "end_turn"})


if __name__ == "__main__":
    main()
