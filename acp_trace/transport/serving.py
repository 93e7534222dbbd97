"""An ASGI application on a bound socket, until `stop` is set: HTTP/1.1, HTTP/2 and WebSocket.

The application gets only the requests that `acp_trace.gate` allows: `gated` answers the others.

hypercorn is the server, because no other ASGI server speaks all three. Its limits for servers on the open
network (a hundred streams or a thousand requests per connection) are lifted: an ACP connection keeps a stream
for each of its sessions, and each of its messages is a request. `plain_sockets` limits WebSockets.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import socket
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from typing import Any

from acp_trace.gate.crowds import allow_many_files
from acp_trace.gate.requests import OTHER_ORIGIN, Listener, TurnedAway
from acp_trace.gate.rooms import RoomPlace
from acp_trace.transport import plain_sockets
from acp_trace.transport.accepted import Accepting, end_with_clients, let_answers_be_early
from acp_trace.transport.address import ListenAddress

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

#: For a developer who reads the answer in the browser's tools.
_HINT = " (if it is your client, give its origin with --allow-origin)"
_MANY = 1 << 30
_HEADERS = 1 << 18  #: bytes of a request's headers
_BACKLOG = 512
#: Seconds that a connection may be idle: longer than clients keep one (httpx: 5 s, browsers: minutes at
#: most). If the server ended it first, a request on its way could be lost.
_IDLE_S = 600.0
#: Seconds for connections to end, after everything in progress was asked to end.
_GRACE_S = 1.0
#: After that they are broken off. Seconds for their handlers to notice.
_LONGEST_S = 10.0


@dataclass(frozen=True, slots=True)
class ServerTls:
    """Files in PEM: a certificate with its chain, and its key."""

    certificate: str
    key: str

    def check(self) -> None:
        """Raise OSError with the file concerned, or its subclass ssl.SSLError if the file is unknown."""
        import ssl

        for file in (self.certificate, self.key):
            with open(file, "rb"):
                pass
        wanted: list[str] = []

        def password() -> str:
            wanted.append(self.key)
            return ""

        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.certificate, self.key, password)
        except ssl.SSLError as error:
            why = "is not the key of that certificate" if error.reason == "KEY_VALUES_MISMATCH" else None
            if wanted:  # OpenSSL itself would ask at the terminal, each time the file is read
                why = "is protected by a password: give a key without one"
            if why is None:
                raise
            raise OSError(errno.EINVAL, why, self.key) from None


def bound(address: ListenAddress) -> socket.socket:
    """Return a socket that listens there; `getsockname()` has its port. Raises OSError."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address.host, address.port))
        listener.listen(_BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener


async def serve(
    application: Application,
    listener: socket.socket,
    stop: asyncio.Event,
    *,
    tls: ServerTls | None = None,
    origins: Collection[str] = (),
) -> None:
    """Serve until `stop` is set, then end what is left. The application has to end its streams itself.

    Closes the listener. `application` gets scopes of the types `http` and `websocket` only. `origins`: other
    pages' origins that may use the listener.
    """
    from hypercorn.asyncio import serve as hypercorn_serve

    allow_many_files()
    end_with_clients()
    let_answers_be_early()
    accepting = Accepting(listener)
    host, port = accepting.getsockname()[:2]
    here = Listener(host, port, "http" if tls is None else "https", origins)
    framed = _served(gated(application, here), accepting)
    serving = asyncio.ensure_future(
        hypercorn_serve(framed, _config(accepting, tls), shutdown_trigger=stop.wait)  # type: ignore[arg-type]
    )
    try:
        stopping = asyncio.ensure_future(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        await asyncio.wait({serving}, timeout=_GRACE_S)
        accepting.break_off()
        await asyncio.wait({serving}, timeout=_LONGEST_S)
    finally:
        serving.cancel()
        try:
            await serving
        except asyncio.CancelledError:
            pass
        except Exception:
            # hypercorn raises what a client did to its connection meanwhile, such as resets of HTTP/2.
            if not stop.is_set():
                raise


def keep_quiet() -> None:
    """Keep asyncio from reporting broken connections on stderr: for a process that only serves.

    It does so when a client dies during a send ("socket.send() raised exception.").
    """
    logging.getLogger("asyncio").addHandler(logging.NullHandler())


def _config(listener: socket.socket, tls: ServerTls | None) -> Any:
    from hypercorn.config import Config, Sockets

    class Bound(Config):
        def create_sockets(self) -> Sockets:
            """Return the existing listener."""
            listener.setblocking(False)
            return Sockets([], [listener], []) if tls is None else Sockets([listener], [], [])

    config = Bound()
    config.errorlog = config.accesslog = None
    config.include_server_header = config.include_date_header = False
    config.h2_max_concurrent_streams = config.keep_alive_max_requests = _MANY
    config.h11_max_incomplete_size = config.h2_max_header_list_size = _HEADERS
    config.graceful_timeout, config.keep_alive_timeout = _LONGEST_S, _IDLE_S
    if tls is not None:
        config.certfile, config.keyfile = tls.certificate, tls.key
    return config


def gated(application: Application, here: Listener) -> Application:
    """Answer the requests that the gate refuses, and pass all others on to `application`."""

    async def framed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await application(scope, receive, send)
            return
        method = scope.get("method", "GET")  # a WebSocket in HTTP/2 has the method CONNECT, with a path
        if refused := here.refusal(method, target_of(scope), scope["headers"]):
            if scope["type"] == "websocket":
                await receive()
            await _turn_away(scope, send, refused)
        else:
            await application(scope, receive, send)

    return framed


def target_of(scope: Scope) -> bytes:
    """Return the path and the query of a request as they came."""
    query: bytes = scope["query_string"]
    path: bytes = scope["raw_path"]
    return path + (b"?" + query if query else b"")


async def _turn_away(scope: Scope, send: Send, refused: TurnedAway) -> None:
    kind = "websocket.http" if scope["type"] == "websocket" else "http"
    body = f"acp-trace: {refused.why}{_HINT if refused is OTHER_ORIGIN else ''}\n".encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        *([] if scope["http_version"].startswith("2") else [(b"connection", b"close")]),
    ]
    await send({"type": f"{kind}.response.start", "status": refused.status, "headers": headers})
    await send({"type": f"{kind}.response.body", "body": body})


def _served(application: Application, accepting: Accepting) -> Application:
    """Limit what clients may use, and answer the server's lifespan events for the application."""

    async def framed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            with accepting.keeping(scope["client"]) as place:
                await _passed_on(application, accepting, place, scope, receive, send)
            return
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})

    return framed


async def _passed_on(
    application: Application,
    accepting: Accepting,
    place: RoomPlace,
    scope: Scope,
    receive: Receive,
    send: Send,
) -> None:
    """Run the application. While a complete request is being answered, its connection does not wait.

    `place` counts the head, the body, and WebSocket messages that the application has not processed.
    """
    is_whole = False
    dealt_with = 0
    place.add(sum(len(name) + len(value) for name, value in scope["headers"]) + len(target_of(scope)))
    if scope["type"] == "websocket":
        plain_sockets.limit(send, place.add)
    with contextlib.ExitStack() as answering:

        async def received() -> MutableMapping[str, Any]:
            nonlocal is_whole, dealt_with
            place.add(-dealt_with)
            message = await receive()
            dealt_with = message.get(plain_sockets.SIZE, 0)
            place.add(len(message.get("body", b"")))
            if not is_whole and not message.get("more_body", False):
                is_whole = True
                answering.enter_context(accepting.answering(scope["client"]))
            return message

        await application(scope, received, send)
