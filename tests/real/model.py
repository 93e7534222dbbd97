"""The stand-in for a model of the matrix: all four interfaces, and manners that models have.

Listens on the loopback alone. What it answers follows from the last order in the conversation and from the
number of results since, so that two runs of one session get the same words:

    RUN ls               a call of the shell tool with `ls`; tool_calls.py has the other orders of this kind
    THINK of eggs        a thought, then a text
    COUNT 60             so many words, at a pace: something to cancel
    LIMIT 20, ERROR 20, BREAK 20   an error first, then so many words (provider_errors.py)
    (a result)           the result's first line, as text
    (no tools)           a title, which is what agents ask for without tools
"""

from __future__ import annotations

import gzip
import io
import json
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from types import TracebackType
from typing import Any, Self

from tests.real import sockets
from tests.real.interfaces import Call, Chat, Conversation, Gemini, Interface, Messages, Responses, Said
from tests.real.provider_errors import ORDERS, PROMISED, REFUSALS, Errors
from tests.real.tool_calls import TOOLS, instance
from tests.real.tool_calls import call as tool_call

TITLE = "A small errand"
#: minion-code writes `**Problem:** ` before what its user says.
_ORDER = re.compile(
    rf"^(?:\*\*\w+:\*\* )?({'|'.join((*TOOLS, 'THINK', 'COUNT', *ORDERS))})\b[ ]?(.*?)\s*$", re.MULTILINE
)
#: What a model that wants something else does in place of what is ordered.
_INSTEAD = {"RUN": ("READ", "notes.txt"), "READ": ("RUN", "ls"), "WRITE": ("RUN", "touch elsewhere.txt")}
_NO_HEADERS: Mapping[str, str] = {}
_WORD_S = 0.1  #: between two words of COUNT


@dataclass(frozen=True, slots=True)
class Manner:
    """How a model is today."""

    name: str
    delay_s: float = 0  #: before each answer
    factor: float = 1  #: how much longer everything takes
    wordy: bool = False  #: other and more words
    otherwise: bool = False  #: calls other tools
    away: bool = False  #: nobody listens


AS_RECORDED = Manner("as recorded")
MANNERS = (
    Manner("away", away=True),
    Manner("slow", delay_s=3, factor=3),
    Manner("wordy", wordy=True),
    Manner("other tools", otherwise=True),
)


class Model:
    """A running stand-in, as a context manager. `url` is what an agent is configured with."""

    def __init__(self, manner: Manner, *, with_sockets: bool = False) -> None:
        self._server = _Server(manner, with_sockets=with_sockets)
        self._away = manner.away
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        if self._away:
            self._server.server_close()
        else:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._away:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, manner: Manner, *, with_sockets: bool) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.manner, self.with_sockets = manner, with_sockets
        self.errors = Errors()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"  # as providers; of 1.0, nobody believes a WebSocket or its refusal

    def do_GET(self) -> None:
        if "models" in self.path:
            model = {"id": "standin", "object": "model", "type": "model", "display_name": "standin"}
            self._answer({"object": "list", "has_more": False, "data": [model], "models": []})
        elif self.server.with_sockets and sockets.is_asked(self):
            with suppress(BrokenPipeError, ConnectionResetError):
                sockets.serve(self, self._events)
        elif "upgrade" in self.headers.get("Connection", "").lower():
            self._refuse()  # a WebSocket; agents fall back on POST
        elif self.path.startswith("/api/"):
            self._refuse()  # what an account has set, which has set nothing
        else:
            self._answer({"status": "ok"})

    def do_POST(self) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            request = json.loads(self._body() or b"{}")
            path = self.path.partition("?")[0]
            if "ountTokens" in path or path.endswith("count_tokens"):
                self._answer({"totalTokens": 100, "input_tokens": 100})
            elif (interface := _interface(path)) is not None:
                self._converse(interface, interface.read(request))
            else:
                self._answer({"status": "ok"})

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the script's output is a table."""

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            body = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

    def _converse(self, interface: Interface, conversation: Conversation) -> None:
        manner = self.server.manner
        time.sleep(manner.delay_s)
        text, call, pause_s = answer(conversation, manner)
        order = _last_order(conversation.messages)[1][:1] if conversation.tools else []
        fails = order[0][0] if order and self.server.errors.is_due(order[0]) else None
        interface.number, interface.thought = len(conversation.messages), _thought(conversation)
        if fails in REFUSALS:
            refusal = REFUSALS[fails]
            self._answer(refusal.body, refusal.status, refusal.headers)
            return
        if not conversation.streams:
            self._answer(interface.whole(text, call))
            return
        words = _paced(text, pause_s * manner.factor)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        if fails:
            words = islice(words, len(text.split()) // 2)
            self.send_header("Content-Length", str(PROMISED))
        self.end_headers()
        for name, event in interface.stream(_or_broken(words) if fails else words, call):
            data = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())
            self.wfile.flush()

    def _events(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """What answers a request on a WebSocket."""
        interface, manner = Responses(), self.server.manner
        conversation = interface.read(request)
        time.sleep(manner.delay_s)
        text, call, pause_s = answer(conversation, manner)
        interface.number, interface.thought = len(conversation.messages), _thought(conversation)
        for _, event in interface.stream(_paced(text, pause_s * manner.factor), call):
            yield event

    def _refuse(self) -> None:
        self._answer({"error": {"message": "There is no such thing here."}}, HTTPStatus.NOT_FOUND)

    def _answer(
        self, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK, more: Mapping[str, str] = _NO_HEADERS
    ) -> None:
        """In one go, head and body: codex reads no more of a refusal than what comes with its head."""
        data = json.dumps(value).encode()
        connection, self.wfile = self.wfile, io.BytesIO()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, header in more.items():
            self.send_header(name, header)
        self.end_headers()
        connection.write(self.wfile.getvalue() + data)
        self.wfile = connection


def _interface(path: str) -> Interface | None:
    if path.endswith("/chat/completions"):
        return Chat()
    if path.endswith("/responses"):
        return Responses()
    if path.endswith("/messages"):
        return Messages()
    if "enerateContent" in path:
        return Gemini(streams="stream" in path)
    return None


def answer(conversation: Conversation, manner: Manner = AS_RECORDED) -> tuple[str, Call | None, float]:
    """The text, the call, and the seconds between two words."""
    if conversation.schema is not None:
        return json.dumps(instance(conversation.schema)), None, 0
    if not conversation.tools:
        return TITLE, None, 0
    place, orders = _last_order(conversation.messages)
    results = [one for one in conversation.messages[place:] if one.is_result]
    if len(results) < len(orders) and orders[0][0] in TOOLS:
        order = orders[len(results)]
        order = _INSTEAD.get(order[0], order) if manner.otherwise else order
        call = tool_call(*order, conversation.tools, len(conversation.messages))
        return _worded("I call a tool.", manner), call, 0
    if results:
        return _worded(f"The tool said: {(results[-1].text.splitlines() or ['nothing'])[0]}", manner), None, 0
    if orders and orders[0][0] in ("COUNT", *ORDERS):
        word = "other" if manner.wordy else "word"
        return " ".join(f"{word}{number}" for number in range(int(orders[0][1]))), None, _WORD_S
    return _worded("Nothing was ordered.", manner), None, 0


def _thought(conversation: Conversation) -> str:
    """What is thought before the answer: the words of a THINK."""
    order = _last_order(conversation.messages)[1][:1] if conversation.tools else []
    return order[0][1] if order and order[0][0] == "THINK" else ""


def _last_order(messages: list[Said]) -> tuple[int, list[tuple[str, str]]]:
    """Where the last message with orders stands, and the orders."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if message.role == "user" and not message.is_result and (orders := _ORDER.findall(message.text)):
            return place, orders[:1]
    return 0, []


def _worded(text: str, manner: Manner) -> str:
    """The same in other words, for a model that likes to talk."""
    return f"Let me think about that, step by step. {text[::-1]} That is all. " * 3 if manner.wordy else text


def _or_broken(words: Iterator[str]) -> Iterator[str]:
    """These, then no end: whoever sends them finds that nobody listens any more."""
    yield from words
    time.sleep(_WORD_S)  # or the last one would be lost with the connection
    raise BrokenPipeError


def _paced(text: str, pause_s: float) -> Iterator[str]:
    for number, word in enumerate(re.findall(r"\S+\s*", text)):
        if number:
            time.sleep(pause_s)
        yield word
