"""The client's side of a connection to a remote agent: what is common to all that can carry it.

How a link is used, what it raises, and the words for what goes wrong. `client_http` and
`client_websocket` carry the messages, `client` chooses. What messages say is nobody's concern here.
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

#: How long a connection may take to be made, with TLS and the handshake of a WebSocket.
CONNECT_S = 10.0
#: How long the remote side is given to say that it has seen the end.
CLOSE_S = 2.0
#: Messages that were read and not taken yet: then the remote side has to wait.
QUEUE = 16
_LONGEST_REASON = 200


class ClientFault(Exception):
    """The remote agent cannot be reached, has gone, or does not speak ACP: one line that says why."""


class Link(Protocol):
    """One connection of ACP to a remote agent. To be made in a running loop, and closed, whatever happens."""

    async def send(self, message: bytes) -> None:
        """Sends one message. Returns when the remote side has taken it. Raises ClientFault."""

    async def receive(self) -> bytes:
        """The next message, as it came. Raises ClientFault when there is no more.

        What had come when `send` raised is still given before that.
        """

    async def close(self) -> None:
        """Says that this was all, and lets go. Never raises."""


def fault(agent: RemoteAgent, why: str) -> ClientFault:
    """The fault of an agent at a URL."""
    return ClientFault(f"{agent.address.shown}: {agent.hide(why)}")


def status(code: int, phrase: str) -> str:
    """A status of HTTP with its words, which not every server sends: `404 Not Found`."""
    with contextlib.suppress(ValueError):
        phrase = phrase or HTTPStatus(code).phrase
    return f"{code} {phrase}".strip()


def reason(error: BaseException) -> str:
    """Why something failed, in one line: the system's words, if they are below the libraries' own."""
    for each in _causes(error):
        if isinstance(each, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {each.verify_message}"
        if isinstance(each, ssl.SSLError):
            return f"TLS failed: {(each.reason or 'unknown reason').replace('_', ' ').lower()}"
        if isinstance(each, TimeoutError):
            return f"no connection within {CONNECT_S:.0f} s"
        if isinstance(each, OSError) and each.errno in errno.errorcode:  # asyncio has other words for these
            return os.strerror(each.errno or 0)
        if isinstance(each, OSError) and each.strerror:
            return each.strerror
    text = " ".join(str(error).split())[:_LONGEST_REASON]
    return text or type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error, and what it came from; of several at once, each."""
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
