"""Chunks of text that fit their shape for certain: nearly every frame of a recording is one.

`MessageReader` reads them faster than `message.read` does: a chunk mostly has the bytes of the one before but
for its text, and then only the text has to be read. What it gives is the same. It remembers one chunk.
"""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec

from acp_trace.protocol.message import Message, MessageKind, read


class _Text(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    type: Literal["text"]
    text: str
    _meta: dict[str, Any] | None = None


class _Chunk(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    sessionUpdate: Literal["agent_message_chunk", "agent_thought_chunk", "user_message_chunk"]  # noqa: N815
    content: _Text
    messageId: str | None = None  # noqa: N815
    _meta: dict[str, Any] | None = None


class _Params(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    sessionId: str  # noqa: N815
    update: _Chunk
    _meta: dict[str, Any] | None = None


class _Frame(msgspec.Struct, gc=False, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    method: Literal["session/update"]
    params: _Params


_frame = msgspec.json.Decoder(_Frame).decode
_string = msgspec.json.Decoder(str).decode
_UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_NOTIFICATION, _UPDATE = MessageKind.NOTIFICATION, "session/update"
_TEXT = b'"text":"'
_LITERAL = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_LONG = 10_000  #: bytes of a chunk that stands alone: what it is like is not worth knowing


class MessageReader:
    """Reads the messages of a trace one after another."""

    __slots__ = ("_begin", "_end", "_kind", "_named", "_prefix", "_session_id", "_suffix")

    def __init__(self) -> None:
        self._prefix, self._suffix = b"\0", b""  #: what stands around the text of the last chunk
        self._begin, self._end = 1, 0  #: their lengths
        self._session_id = self._kind = ""
        self._named: str | None = None

    def read(self, text: bytes) -> Message:
        """The message in a frame's text, as `message.read` gives it; of a chunk with its text."""
        if text.startswith(self._prefix) and text.endswith(self._suffix):
            try:
                piece = _string(text[self._begin : len(text) - self._end])
            except _UNREADABLE:
                pass
            else:
                of, kind = self._session_id, self._kind
                return Message(_NOTIFICATION, text, None, _UPDATE, of, kind, False, None, piece, self._named)
        if b'_chunk"' not in text:
            return read(text)
        try:
            params = _frame(text).params
        except _UNREADABLE:
            return read(text)
        return self._chunk(text, params.sessionId, params.update)

    def _chunk(self, text: bytes, session_id: str, chunk: _Chunk) -> Message:
        """The message of a chunk, which the next one may be like."""
        begin = text.find(_TEXT) + len(_TEXT) - 1
        literal = _LITERAL.match(text, begin) if len(text) < _LONG else None
        named, piece = chunk.messageId, chunk.content.text
        # One place alone, so that the text is not a word of something else.
        if literal is not None and text.count(_TEXT) == 1 and _is(literal[0], piece):
            self._prefix, self._suffix = text[:begin], text[literal.end() :]
            self._begin, self._end = len(self._prefix), len(self._suffix)
            self._session_id, self._kind, self._named = session_id, chunk.sessionUpdate, named
        kind = chunk.sessionUpdate
        return Message(_NOTIFICATION, text, None, _UPDATE, session_id, kind, False, None, piece, named)


def _is(literal: bytes, piece: str) -> bool:
    """Whether a string in JSON is this text."""
    try:
        return _string(literal) == piece
    except _UNREADABLE:
        return False
