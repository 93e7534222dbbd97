"""A frame with its place in the trace, as the analyser gives it out. A shape, without the rules behind it."""

from __future__ import annotations

import msgspec

from acp_trace.protocol.message import MessageKind


class Frame(msgspec.Struct, array_like=True, gc=False):
    """One frame and its place: a row of `acp-trace frames` and of the store's `frames` table."""

    frame: int  #: its number, from 1
    t_ns: int | None
    sender: str
    kind: MessageKind
    method: str | None  #: of a response, the method of the request that it answers
    id: str | None  #: the id's JSON text
    answers: int | None  #: of a response, the frame of the request
    session_id: str | None
    update: str | None  #: the kind of a session/update
    size: int  #: bytes, without the newline
    data: bytes  #: the frame verbatim
    partial: bool  #: the sender ended before it wrote the newline
    stream: int | None = None  #: the number of its HTTP stream or WebSocket; None: there is one stream
