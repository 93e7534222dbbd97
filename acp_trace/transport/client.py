"""The client's side of a connection to a remote agent: the link to a URL, whatever carries it."""

from __future__ import annotations

import ssl

from acp_trace.transport.address import RemoteAddress
from acp_trace.transport.client_http import HttpLink
from acp_trace.transport.client_link import Link
from acp_trace.transport.client_websocket import connected


async def opened(remote: RemoteAddress, trust: ssl.SSLContext | None, *, most_bytes: int) -> Link:
    """A link to the agent at a URL. Raises ClientFault. `most_bytes`: of one message.

    Over HTTP, nothing is sent before the first message: what is wrong with the URL is known then.
    """
    if remote.is_websocket:
        return await connected(remote, trust, most_bytes=most_bytes)
    return HttpLink(remote, trust, most_bytes=most_bytes)
