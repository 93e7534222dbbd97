"""The interface of connections to providers, as the listener sees it. One of its two makers opens none.

`upstream` connects to providers; `recorded_upstream` has a recording in their place.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from acp_trace.model.proxy.settings import Address
from acp_trace.model.proxy.streams import Stream


class Unreachable(OSError):
    """A provider cannot be reached. The message says why."""


class Connection(Stream, Protocol):
    """A connection to a provider."""

    def unread(self, data: bytes) -> None:
        """Put back what was read: the next read returns it again."""


class Secured(Stream, Protocol):
    """A connection to a provider, with TLS and the protocol agreed inside it."""

    @property
    def protocol(self) -> str | None:
        """The agreed protocol."""


@runtime_checkable
class Numbered(Protocol):
    """A stream that has to know the number of the current exchange in the trace."""

    exchange: int


class Connections(Protocol):
    """Makes connections."""

    async def connect(self, address: Address, *, straight: bool = False) -> Connection:
        """Return a connection on which TLS may begin. `straight`: not through a proxy. Raises OSError."""

    def proxy(self, address: Address) -> str | None:
        """Return the URL of the user's proxy for an address, if there is one."""

    async def to_proxy(self, proxy: str) -> tuple[Connection, str]:
        """Return a connection to the user's proxy, and its login value or an empty text. Raises OSError."""

    async def tls(self, stream: Stream, host: str, protocols: tuple[str, ...]) -> Secured:
        """Start TLS with a provider and offer it the agent's protocols. Raises OSError."""

    def cancelled(self) -> None:
        """Note that the client has sent a cancel to the agent."""

    def prepare(self) -> None:
        """Start slow preparations, so that the first connection does not wait for them."""
