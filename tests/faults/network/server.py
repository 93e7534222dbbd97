"""An agent over HTTP and WebSocket: `python server.py SAW SAID`. Imports nothing of ours. Prints its port.

A request `ask` with the parameters `updates` and `size` gets so many notifications with a text of so many
characters, and its response. Each message is noted in a file, a line each: in SAW as soon as it has come, in
SAID before it is sent.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from itertools import count
from typing import Any

from hypercorn.asyncio import serve
from hypercorn.config import Config

_MANY = 1 << 30


def answers(message: bytes) -> Iterator[bytes]:
    """What is said to a message."""
    asked = json.loads(message)
    session, params = asked["params"]["sessionId"], asked["params"]
    for number in range(params.get("updates", 0)):
        told = {"sessionId": session, "n": number, "text": "x" * params["size"]}
        yield _line(method="session/update", params=told)
    yield _line(id=asked["id"], result={"sessionId": session})


def _line(**keys: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **keys}, separators=(",", ":")).encode()


class Server:
    """The ASGI application."""

    def __init__(self, saw: int, said: int) -> None:
        self._saw, self._said = saw, said
        self._names = count(1)
        self._posted: dict[str, asyncio.Queue[bytes | None]] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await self._websocket(receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)

    def _take(self, message: bytes) -> None:
        os.write(self._saw, message + b"\n")

    def _say(self, message: bytes) -> bytes:
        os.write(self._said, message + b"\n")
        return message

    async def _websocket(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (event := await receive())["type"] == "websocket.receive":
            message = event["text"].encode()
            self._take(message)
            for each in answers(message):
                await send({"type": "websocket.send", "text": self._say(each).decode()})

    async def _http(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        name = headers.get(b"acp-connection-id", b"").decode()
        if scope["method"] == "POST":
            message = b""
            while (event := await receive()).get("more_body"):
                message += event["body"]
            if event["type"] == "http.disconnect":  # before all of it has come
                return
            message += event.get("body", b"")
            self._take(message)
            if name:
                self._posted[name].put_nowait(message)
                await _respond(send, 202)
                return
            name = f"connection-{next(self._names)}"
            self._posted[name] = asyncio.Queue()
            (answer,) = answers(message)
            about = [(b"content-type", b"application/json"), (b"acp-connection-id", name.encode())]
            await _respond(send, 200, self._say(answer), about)
        elif scope["method"] == "DELETE":
            self._posted[name].put_nowait(None)
            await _respond(send, 202)
        else:
            start = {"status": 200, "headers": [(b"content-type", b"text/event-stream")]}
            await send({"type": "http.response.start", **start})
            while (posted := await self._posted[name].get()) is not None:
                for each in answers(posted):
                    event = b"data: " + self._say(each) + b"\n\n"
                    await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


async def _respond(send: Any, status: int, body: bytes = b"", headers: Any = ()) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [*headers]})
    await send({"type": "http.response.body", "body": body})


async def main(saw: str, said: str) -> None:
    """Serves until SIGTERM."""
    files = [os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600) for name in (saw, said)]
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(512)
    print(listener.getsockname()[1], flush=True)
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.accesslog = config.errorlog = None
    config.graceful_timeout = 0.2
    config.keep_alive_timeout = 600  # the client decides, or its next request may meet the end
    config.keep_alive_max_requests = config.websocket_max_message_size = _MANY
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await serve(Server(*files), config, shutdown_trigger=ended.wait)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
