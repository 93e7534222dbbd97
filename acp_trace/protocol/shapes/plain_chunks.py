"""Chunks of text that fit their shape for certain, known by one pass in C.

Nearly every frame of a recording is such a chunk. What is not plain is not wrong for that: `judge` says it.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec


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


class _Frame(msgspec.Struct, gc=False):
    params: _Params


_frame = msgspec.json.Decoder(_Frame).decode


def plain_text(text: bytes, version: int | None) -> str | None:
    """The text of a chunk, if a frame's text is one of this shape; from version 2 on, with a message's id."""
    try:
        chunk = _frame(text).params.update
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return chunk.content.text if version == 1 or chunk.messageId is not None else None
