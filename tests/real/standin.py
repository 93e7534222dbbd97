"""A stand-in for a language model: the part of OpenAI's chat interface that opencode asks for.

Listens on the loopback alone, on a port that the system chooses. What it answers follows from the
last message only, so that two runs of one scenario get the same words:

    RUN ls        a call of the shell tool with `ls`
    HOLD          a few words, then silence until the asker hangs up: something to cancel
    SLOW          a handful of words over two seconds, then an end: something to cancel in vain
    (a result)    the result's first line, as text
    (no tools)    a title, which is what agents ask for without tools
    anything else the same text back
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

MODEL = "standin-model"
TITLE = "A small errand"
HELD = "Let me think"
SLOWLY = "One after the other they come out."
_PACE_S = 0.25  #: between two of those words
_SHELLS = ("bash", "shell")
_RUN = re.compile(r"^RUN (.+)$", re.MULTILINE)
_HOLD = re.compile(r"^HOLD\b", re.MULTILINE)
_SLOW = re.compile(r"^SLOW\b", re.MULTILINE)


class StandIn:
    """A running server, as a context manager. `url` is what an agent is configured with."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def hung_up(self) -> threading.Event:
        """Set once the asker of a HOLD has hung up: the agent told its model to stop."""
        return self._server.hung_up

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.let_go()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.hung_up = threading.Event()
        self._held: set[socket.socket] = set()
        self._lock = threading.Lock()

    def hold(self, connection: socket.socket) -> None:
        """Blocks until the other side hangs up, or until this server lets go."""
        with self._lock:
            self._held.add(connection)
        try:
            connection.recv(1)
            self.hung_up.set()
        except OSError:
            self.hung_up.set()  # a reset is a way of hanging up
        finally:
            with self._lock:
                self._held.discard(connection)

    def let_go(self) -> None:
        """Ends every answer that is being held."""
        with self._lock:
            for connection in self._held:
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._answer({"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.endswith("/chat/completions"):
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        request = json.loads(body)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            pace_s = _PACE_S if _wants(_SLOW, request) else 0
            for event in _events(request):
                self._send(event)
                time.sleep(pace_s)
            if _wants(_HOLD, request):
                self.server.hold(self.connection)
                return
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            self.server.hung_up.set()  # in the middle of a sentence

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the script's output is a table."""

    def _send(self, event: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _answer(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _events(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The chunks of one answer; a held answer has no last one."""
    tool = _tool(request)
    command = _RUN.search(_last(request))
    if _asks(request) and tool is not None and command is not None:
        call = {
            "index": 0,
            "id": "call_standin",
            "type": "function",
            "function": {"name": tool, "arguments": _arguments(command[1])},
        }
        yield _chunk({"role": "assistant", "tool_calls": [call]})
        yield _chunk({}, "tool_calls")
        return
    for text in _texts(request):
        yield _chunk({"role": "assistant", "content": text})
    if not _wants(_HOLD, request):
        yield _chunk({}, "stop")


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    chunk: dict[str, Any] = {
        "id": "chatcmpl-standin",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    if finish is not None:
        chunk["usage"] = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return chunk


def _texts(request: dict[str, Any]) -> list[str]:
    """The answer, in as many pieces as it is to come in."""
    if not request.get("tools"):
        return [TITLE]
    if _wants(_HOLD, request):
        return [HELD]
    if _wants(_SLOW, request):
        return re.findall(r"\S+ ?", SLOWLY)
    last = _last(request)
    if _asks(request):
        return [last]
    return ["The command said: " + (last.strip().splitlines() or ["nothing"])[0]]


def _wants(word: re.Pattern[str], request: dict[str, Any]) -> bool:
    return bool(request.get("tools")) and _asks(request) and word.search(_last(request)) is not None


def _asks(request: dict[str, Any]) -> bool:
    """Whether the last word is the user's, not a tool's."""
    messages = request.get("messages") or [{}]
    return bool(messages[-1].get("role") == "user")


def _last(request: dict[str, Any]) -> str:
    """The text of the last message, whichever of the two forms it has."""
    content = (request.get("messages") or [{}])[-1].get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part.get("type") == "text")


def _tool(request: dict[str, Any]) -> str | None:
    names = (tool.get("function", {}).get("name") for tool in request.get("tools") or ())
    return next((name for name in names if name in _SHELLS), None)


def _arguments(command: str) -> str:
    return json.dumps({"command": command, "description": "Runs what was asked for"})
