"""The client's side of a connection to a remote agent: what all transports share.

How a link is used, what it raises, and the words for failures. `client_http` and `client_websocket` carry the
messages, `client` chooses. The content of messages does not matter here.
"""

from __future__ import annotations

import contextlib
import errno
import os
import ssl
from collections.abc import Iterator
from http import HTTPStatus
from typing import Protocol

from acp_trace.transport.remote import RemoteAgent

#: Seconds for making a connection, with TLS and the handshake of a WebSocket.
CONNECT_S = 10.0
#: Seconds for the remote side to confirm the end.
CLOSE_S = 2.0
#: Messages that are read ahead: after these the remote side has to wait.
QUEUE = 16
_LONGEST_REASON = 200


class ClientFault(Exception):
    """The remote agent cannot be reached, has gone, or does not speak ACP: one line with the reason."""


class Link(Protocol):
    """One ACP connection to a remote agent. Made in a running loop, and always to be closed."""

    async def send(self, message: bytes) -> None:
        """Send one message. Return when the remote side has taken it. Raises ClientFault."""

    async def receive(self) -> bytes:
        """Return the next message, as it came. Raises ClientFault when there are no more.

        Messages that had come when `send` raised are returned first.
        """

    async def close(self) -> None:
        """End the connection, and release everything. Never raises."""


def fault(agent: RemoteAgent, why: str) -> ClientFault:
    """Return the fault of an agent at a URL."""
    return ClientFault(f"{agent.address.shown}: {agent.hide(why)}")


def status(code: int, phrase: str) -> str:
    """Return an HTTP status with its phrase, which some servers do not send: `404 Not Found`."""
    with contextlib.suppress(ValueError):
        phrase = phrase or HTTPStatus(code).phrase
    return f"{code} {phrase}".strip()


def reason(error: BaseException) -> str:
    """Return why something failed, in one line: the system's words, if an OSError is the cause."""
    for each in _causes(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {each.verify_message}"
        if isinstance(each, ssl.SSLError):
            return f"TLS failed: {(each.reason or 'unknown reason').replace('_', ' ').lower()}"
        if isinstance(each, TimeoutError):
            return f"no connection within {CONNECT_S:.0f} s"
        if isinstance(each, OSError) and each.errno in errno.errorcode:  # asyncio words these differently
            return os.strerror(each.errno or 0)
        if isinstance(each, OSError) and each.strerror:
            return each.strerror
    text = " ".join(str(error).split())[:_LONGEST_REASON]
    return text or type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and its causes; for an exception group, those of each error."""
    left, seen = [error], set[int]()
    while left:
        each = left.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        if isinstance(each, BaseExceptionGroup):
            left += each.exceptions
        left += [one for one in (each.__cause__, each.__context__) if one is not None]
