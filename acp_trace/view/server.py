"""The server: sockets and HTTP. `gate` decides which requests are answered; `pages` makes the answers.

By the standard library: one person looks, at most a request a second comes for a live trace, and parts are
made by blocking code. An ASGI server would add three packages, and a thread pool for that same code.
"""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from acp_trace.gate.crowds import WaitingRoom
from acp_trace.report.page import html
from acp_trace.store.catalog import NoTrace, UnknownTrace
from acp_trace.store.errors import StoreError
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.os_errors import file_and_reason
from acp_trace.trace.parse import NewerFormat
from acp_trace.view.gate import NotAnswered, Written, wanted
from acp_trace.view.given import NotTaken
from acp_trace.view.notes import BadNote
from acp_trace.view.pages import Pages

#: Connections at once; a browser opens six.
MOST = 64
#: So long a client may take for the next piece of a request, or of what it is sent (s).
PATIENCE_S = 20
#: How often a silent connection is asked to make room, and how long each may take for that (s). If none
#: is silent, all are busy.
_TRIES, _TRY_S = 8, 0.05
_TITLE = "acp-trace"
#: Headers of every answer: browsers must not cache, sniff or frame it, or send its address to others.
_ALWAYS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_NOTHING = "default-src 'none'; frame-ancestors 'none'"


class Server(socketserver.ThreadingTCPServer):
    """Serve `pages` on a free port of 127.0.0.1, to clients that know the token."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = MOST

    def __init__(self, pages: Pages, token: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages, self.token = pages, token
        self.port: int = self.server_address[1]
        self.waiting = WaitingRoom(MOST)
        self._free = threading.BoundedSemaphore(MOST)
        self.writing = threading.Lock()

    @property
    def url(self) -> str:
        """Where the list of all traces is. A trace is below, under its number: `URL12/`."""
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own. If there are too many, the one that has been silent longest makes room."""
        for _ in range(_TRIES):
            if self._free.acquire(timeout=_TRY_S):
                super().process_request(request, client_address)
                return
            self.waiting.end_oldest()
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """See ThreadingMixIn."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report nothing: a client that has gone does not matter."""


class _Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    server: Server
    timeout = PATIENCE_S
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "acp-trace", ""

    def handle_one_request(self) -> None:
        """Waits for the next request, then answers it."""
        self._place = self.server.waiting.enter(self._end)
        try:
            super().handle_one_request()
        finally:
            self.server.waiting.leave(self._place)

    def _end(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_GET(self) -> None:
        """Answers a request that is complete."""
        self.server.waiting.leave(self._place)
        target = self.requestline.split()[1]  # `path` has only one of the slashes that it begins with
        asked = wanted(self.command, target, self.headers.items(), self.server.token, self.server.port)
        if isinstance(asked, NotAnswered):
            self.close_connection = True  # the rest of the connection's input is not read
            self._send_text(asked.status, asked.why)
        elif isinstance(asked, Written):
            self._write(asked)
        elif asked.part is None:
            main = html.PAGE if asked.traces else html.LIST
            policy = f"{html.policy(main, served=True)}; frame-ancestors 'none'"
            self._send(200, "text/html; charset=utf-8", html.served(_TITLE, main), policy)
        else:
            self._send_part(asked.traces, asked.part)

    def do_POST(self) -> None:
        """Accept what a page of this server sends, within what the gate allows."""
        self.do_GET()

    def _write(self, written: Written) -> None:
        self.close_connection = True
        with self.server.writing:  # one at a time: each may take the memory of a whole log
            data = self.rfile.read(written.length)
            if len(data) < written.length:
                return
            try:
                if written.trace is None:
                    said = str(self.server.pages.take(data))
                else:
                    said = self.server.pages.note(written.trace, data).decode("utf-8", "replace")
            except (NotTaken, BadNote, Unreadable, NewerFormat) as error:
                self._send_text(422, str(error))
            except UnknownTrace as error:
                self._send_text(410, str(error))
            except OSError as error:
                self._send_text(500, file_and_reason(error))
            else:
                self._send_text(200, said)

    def _send_part(self, traces: tuple[int, ...], name: str) -> None:
        try:
            part = self.server.pages.part(traces, name)
        except (UnknownTrace, NoTrace, Unreadable, NewerFormat, StoreError) as error:
            self._send_text(410, str(error))
            return
        except OSError as error:
            self._send_text(410, file_and_reason(error))
            return
        if part is None:
            self._send_text(404, "there is no such part")
        else:
            self._send(200, "application/octet-stream", part, _NOTHING)

    def _send_text(self, status: int, text: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{text}\n".encode("utf-8", "replace"), _NOTHING)

    def _send(self, status: int, kind: str, body: bytes, policy: str) -> None:
        self.send_response(status)
        lines = {"Content-Type": kind, "Content-Length": str(len(body)), "Content-Security-Policy": policy}
        for name, value in {**lines, **_ALWAYS}.items():
            self.send_header(name, value)
        if status == 405:
            self.send_header("Allow", "GET")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the parser of requests refuses: another method, a line or a head that is too long."""
        del explain
        self.close_connection = True
        self.request_version = self.protocol_version  # an answer has a head, even to HTTP/0.9
        status, text = (405, "only GET is answered") if code == 501 else (code, message or "a bad request")
        with suppress(OSError):
            self._send_text(status, text)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged: a path has the token in it."""
