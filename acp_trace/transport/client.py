"""The client's side of a connection to a remote agent: the link to a URL, over either transport."""

from __future__ import annotations

from acp_trace.transport.client_http import HttpLink
from acp_trace.transport.client_link import Link
from acp_trace.transport.client_websocket import connected
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.stream_log import NOBODY, StreamLog


async def opened(agent: RemoteAgent, log: StreamLog = NOBODY, *, most_bytes: int) -> Link:
    """Open a link to the agent at a URL. Raises ClientFault. `most_bytes`: of one message.

    `log` is notified of each request and message before it is sent on.

    Over HTTP, nothing is sent before the first message, so errors in the URL show only then.
    """
    if agent.address.is_websocket:
        return await connected(agent, log, most_bytes=most_bytes)
    return HttpLink(agent, log, most_bytes=most_bytes)
