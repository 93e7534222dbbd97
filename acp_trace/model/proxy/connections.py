"""What makes connections to providers, as the listener sees it: two do, and one of them connects to nobody.

`upstream` reaches providers; `recorded_upstream` has a recording in their place.
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
        """Puts back what was read: it comes again with the next read."""


class Secured(Stream, Protocol):
    """A connection to a provider inside of which something was agreed to be spoken."""

    @property
    def protocol(self) -> str | None:
        """What that is."""


@runtime_checkable
class Numbered(Protocol):
    """A stream that has to know which exchange goes on: its number, as the trace has it."""

    exchange: int


class Connections(Protocol):
    """Makes them."""

    async def connect(self, address: Address, *, straight: bool = False) -> Connection:
        """A connection on which TLS may begin. `straight`: not through a proxy. Raises OSError."""

    def proxy(self, address: Address) -> str | None:
        """The URL of the user's proxy for an address, if there is one."""

    async def to_proxy(self, proxy: str) -> tuple[Connection, str]:
        """A connection to the user's proxy, and the value that logs in there, or nothing. Raises OSError."""

    async def tls(self, stream: Stream, host: str, protocols: tuple[str, ...]) -> Secured:
        """TLS with a provider, which is offered what the agent offers to speak. Raises OSError."""

    def cancelled(self) -> None:
        """The client has sent a cancel to the agent."""

    def prepare(self) -> None:
        """Begins with what takes a while, so that the first connection does not wait for it so long."""
