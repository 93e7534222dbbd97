"""Frames -> the texts that a transcript shows: of messages, content blocks and entries of plans. Pure."""

from __future__ import annotations

from typing import Any

from acp_trace.analyze.frame import Frame
from acp_trace.protocol.content import text_of
from acp_trace.protocol.text_chunk import text_update
from acp_trace.trace.jsontext import value_or_none

_Object = dict[str, Any]
_MARKS = {"completed": "x", "in_progress": ">"}


def params_of(frame: Frame) -> _Object:
    """The `params` of a frame; empty if there are none."""
    message = value_or_none(frame.data)
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}


def update_of(frame: Frame) -> _Object:
    """The update in a frame; empty if there is none."""
    update = params_of(frame).get("update")
    return update if isinstance(update, dict) else {}


def said(frame: Frame) -> tuple[str | None, str]:
    """Which message an update with text belongs to, and its text."""
    if (chunk := text_update(frame.data)) is not None:
        return chunk.messageId, chunk.content.text
    update = update_of(frame)
    message_id, content = update.get("messageId"), update.get("content")
    blocks = content if isinstance(content, list) else [content]
    return message_id if isinstance(message_id, str) else None, joined(blocks)


def joined(blocks: list[Any]) -> str:
    """The texts of content blocks, a line each."""
    return "\n".join(filter(None, map(_block, blocks)))


def _block(block: object) -> str:
    """The text of a content block; of a link or a file, where it leads; of another kind, its kind."""
    if not isinstance(block, dict):
        return ""
    if isinstance(block.get("text"), str):
        return str(block["text"])
    inner = block.get("resource")
    uri = block.get("uri", inner.get("uri") if isinstance(inner, dict) else None)
    return f"[{block.get('type')} {uri}]" if isinstance(uri, str) else text_of(block) or ""


def plan_line(entry: _Object) -> str:
    """An entry of a plan as a line."""
    return f"[{_MARKS.get(str(entry.get('status')), ' ')}] {entry.get('content', '')}"
