"""Messages that carry another message: `proxy/successor` (proxy chains), `mcp/message` (MCP over ACP). Pure.

    {"id": 7, "method": "proxy/successor", "params": {"method": "session/prompt", "params": {…}}}
    {"id": 8, "method": "mcp/message", "params": {"serverId": …, "requestId": 1, "method": "tools/call", …}}

The inner message belongs to another connection, in which the sides are swapped: the agent of the outer
connection is the client of the inner one. A proxy is the client of its successor, and an agent is the client
of an MCP server that its own client runs. The response to an envelope also answers the message inside.

Sources: RFD proxy-chains and RFD mcp-over-acp. The Rust SDK's conductor writes `_proxy/successor`; older ones
wrote `_proxy/successor/request` and the like.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import msgspec

from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.trace import jsontext


class InnerConnection(StrEnum):
    """The destination of a message inside an envelope."""

    SUCCESSOR = "successor"  #: the next component of a chain of proxies, which speaks ACP
    MCP = "mcp"  #: an MCP server


class Inner(NamedTuple):
    """The message that an envelope carries."""

    connection: InnerConnection
    message: Message  #: a request has the id of its envelope, so that both have the same response
    server: str | None = None  #: for MCP: `serverId`


#: The depth to which nested envelopes are followed: a proxy has one successor, whose messages may carry MCP.
DEEPEST = 4
#: The sender of a message inside an envelope, by the sender of the envelope.
INNER_SENDER = {"client": "agent", "agent": "client"}
_SUCCESSOR, _MCP = "proxy/successor", "mcp/message"
_ABSENT = msgspec.Raw()


def carries(method: str | None) -> InnerConnection | None:
    """Return the destination of messages that this method carries; None for nearly all methods."""
    if method is None:
        return None
    name = method.removeprefix("_")
    if name == _SUCCESSOR or name.startswith(f"{_SUCCESSOR}/"):
        return InnerConnection.SUCCESSOR
    return InnerConnection.MCP if name == _MCP else None


class _Params(msgspec.Struct, gc=False):
    method: str
    params: msgspec.Raw = _ABSENT
    serverId: str | None = None  # noqa: N815  (the protocol's names)


class _Envelope(msgspec.Struct, gc=False):
    params: _Params
    id: msgspec.Raw = _ABSENT


_envelope = msgspec.json.Decoder(_Envelope).decode


def inner(message: Message) -> Inner | None:
    """Return the message that a request or a notification carries; None if it carries none. Never raises."""
    connection = carries(message.method)
    if connection is None:
        return None
    try:
        envelope = _envelope(message.text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    params = envelope.params
    id_ = envelope.id if message.kind is MessageKind.REQUEST else _ABSENT
    text = _message(id_, method=jsontext.text(params.method), params=bytes(params.params))
    return Inner(connection, read(text), params.serverId)


class _McpResult(msgspec.Struct, gc=False):
    result: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


class _Response(msgspec.Struct, gc=False):
    id: msgspec.Raw
    result: _McpResult


_response = msgspec.json.Decoder(_Response).decode


def inner_response(message: Message, connection: InnerConnection, server: str | None) -> Message:
    """Return the response to the inner message: the envelope's, or for MCP the one in its result, if any."""
    if connection is not InnerConnection.MCP or server is None or message.is_error:
        return message
    try:
        response = _response(message.text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return message
    result, error = bytes(response.result.result), bytes(response.result.error)
    if not (result or error):
        return message
    return read(_message(response.id, result=result, error=error))


def _message(id_: msgspec.Raw, **members: bytes) -> bytes:
    parts = [b'"jsonrpc":"2.0"']
    if bytes(id_):
        parts.append(b'"id":' + bytes(id_))
    parts += [b'"%s":%s' % (name.encode(), value) for name, value in members.items() if value]
    return b"{" + b",".join(parts) + b"}"
