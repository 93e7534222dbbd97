"""What a page of an allowed origin needs so that its browser lets it read answers (Fetch Standard, 3.2).

For `mock`, which is its own server. `record --listen` adds nothing: the agent decides who may read its
answers, and its headers are passed on. A WebSocket needs none of this.
"""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from typing import Any

from acp_trace.transport.headers import CONNECTION_ID, SESSION_ID, Headers, value
from acp_trace.transport.serving import Application, Receive, Scope, Send

_ASKS = b"access-control-request-method"
#: `*` covers every request header except this one.
_PREFLIGHT: Headers = [
    (b"access-control-allow-methods", b"GET, POST, DELETE"),
    (b"access-control-allow-headers", b"*, authorization"),
]
_READABLE = b", ".join([CONNECTION_ID, SESSION_ID])


def shared(application: Application, origins: Collection[str]) -> Application:
    """Return the application with the headers that let pages of `origins` read its answers.

    It answers preflights itself. Cookies are not allowed, because none are used here.
    """

    async def framed(scope: Scope, receive: Receive, send: Send) -> None:
        origin = value(scope["headers"], b"origin") if scope["type"] == "http" else ""
        if origin not in origins:
            await application(scope, receive, send)
            return
        own: Headers = [
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-expose-headers", _READABLE),
            (b"vary", b"origin"),
        ]
        if scope["method"] == "OPTIONS" and value(scope["headers"], _ASKS):
            await send({"type": "http.response.start", "status": 204, "headers": [*own, *_PREFLIGHT]})
            await send({"type": "http.response.body", "body": b""})
            return

        async def readable(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        await application(scope, receive, readable)

    return framed
