"""The stand-in for a language model that the scenarios need, which says when its asker hangs up (interfaces.py).

Listens on the loopback alone, on a port that the system chooses. What it answers follows from the
last message only, so that two runs of one scenario get the same words:

    RUN ls             a call of the shell tool with `ls`
    READ notes.txt     a call of the tool that reads files
    WRITE list.txt Eggs  a call of the tool that writes files, with `Eggs`
    HOLD               a few words, then silence until the asker hangs up: something to cancel
    SLOW               a handful of words over two seconds, then an end: something to cancel in vain
    (a result)         the result's first line, as text
    (no tools)         a title, which is what agents ask for without tools
    anything else      the same text back
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

from tests.real.interfaces import Call, Chat, Conversation, Gemini, Interface, Said

MODEL = "standin-model"
TITLE = "A small errand"
HELD = "Let me think"
SLOWLY = "One after the other they come out."
_PACE_S = 0.25  #: between two of those words
_HOLD = re.compile(r"^HOLD\b", re.MULTILINE)
_SLOW = re.compile(r"^SLOW\b", re.MULTILINE)
#: What makes it call a tool; the names that such tools have; the parameters that the words are for.
_ORDERS = (
    (re.compile(r"^RUN (?P<command>.+)$", re.MULTILINE), ("bash", "shell", "Bash", "run_shell_command")),
    (re.compile(r"^READ (?P<path>\S+)$", re.MULTILINE), ("read", "Read", "read_file")),
    (re.compile(r"^WRITE (?P<path>\S+) (?P<content>.+)$", re.MULTILINE), ("write", "Write", "write_file")),
)
_PARAMETERS = {"filePath": "path", "file_path": "path", "absolute_path": "path"}
_DESCRIPTION = "Does what was asked for"


class StandIn:
    """A running server, as a context manager. `url` is what an agent is configured with."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

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
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        path = self.path.partition("?")[0]
        if path.endswith("/chat/completions"):
            self._stream(Chat(), request)
        elif path.endswith(":streamGenerateContent"):
            self._stream(Gemini(streams=True), request)
        elif path.endswith(":generateContent"):
            self._answer(Gemini(streams=False).whole(TITLE, None))
        elif path.endswith(":countTokens"):
            self._answer({"totalTokens": 10})
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the script's output is a table."""

    def _stream(self, interface: Interface, request: dict[str, Any]) -> None:
        asked = _Asked(interface.read(request))
        interface.number = asked.number
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        call = _call(asked)
        try:
            for _, event in interface.stream(self._pieces(asked) if call is None else (), call):
                data = event if isinstance(event, str) else json.dumps(event)
                self.wfile.write(f"data: {data}\n\n".encode())
        except OSError:
            self.server.hung_up.set()  # in the middle of a sentence

    def _pieces(self, asked: _Asked) -> Iterator[str]:
        """What is said, piece by piece. Raises OSError in place of an end that never comes."""
        for piece in _answer(asked):
            yield piece
            time.sleep(_PACE_S if asked.wants(_SLOW) else 0)
        if asked.wants(_HOLD):
            self.server.hold(self.connection)
            raise ConnectionAbortedError

    def _answer(self, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class _Asked:
    """What a model is asked: the last message, without one that is nothing but an agent's notes."""

    def __init__(self, conversation: Conversation) -> None:
        messages = [
            said for said in conversation.messages if said.role != "user" or said.is_result or said.text
        ]
        last = messages[-1] if messages else Said("user", "")
        self.text = last.text
        self.by_user = last.role == "user" and not last.is_result
        self.tools = conversation.tools
        self.number = len(conversation.messages)

    def wants(self, word: re.Pattern[str]) -> bool:
        """Whether the user orders this, of a model that has tools."""
        return bool(self.tools) and self.by_user and word.search(self.text) is not None


def _answer(asked: _Asked) -> Iterator[str]:
    """The answer, in as many pieces as it is to come in."""
    if not asked.tools:
        yield TITLE
    elif asked.wants(_HOLD):
        yield HELD
    elif asked.wants(_SLOW):
        yield from re.findall(r"\S+ ?", SLOWLY)
    elif not asked.by_user:
        yield "The tool said: " + (asked.text.strip().splitlines() or ["nothing"])[0]
    else:
        yield asked.text


def _call(asked: _Asked) -> Call | None:
    """The call that is ordered, if one is, and the agent has a tool for it."""
    for pattern, names in _ORDERS if asked.by_user else ():
        tool = next((name for name in names if name in asked.tools), None)
        words = pattern.search(asked.text)
        if words is None or tool is None:
            continue
        given = {**words.groupdict(), "description": _DESCRIPTION}
        properties = asked.tools[tool].get("properties") or ()
        pairs = ((name, given.get(_PARAMETERS.get(name, name))) for name in properties)
        return Call(tool, {name: value for name, value in pairs if value is not None}, asked.number)
    return None
