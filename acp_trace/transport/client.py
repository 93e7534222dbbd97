"""The client's side of a connection to a remote agent: the link to a URL, whatever carries it."""

from __future__ import annotations

from acp_trace.transport.client_http import HttpLink
from acp_trace.transport.client_link import Link
from acp_trace.transport.client_websocket import connected
from acp_trace.transport.remote import RemoteAgent
from acp_trace.transport.stream_log import NOBODY, StreamLog


async def opened(agent: RemoteAgent, log: StreamLog = NOBODY, *, most_bytes: int) -> Link:
    """A link to the agent at a URL. Raises ClientFault. `most_bytes`: of one message.

    `log` is told of each request and message before it goes on.

    Over HTTP, nothing is sent before the first message: what is wrong with the URL is known then.
    """
    if agent.address.is_websocket:
        return await connected(agent, log, most_bytes=most_bytes)
    return HttpLink(agent, log, most_bytes=most_bytes)
