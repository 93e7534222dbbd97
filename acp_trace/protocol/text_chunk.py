"""The text and the message id of an update, read in one pass in C.

Nearly every frame is such an update. Code that goes through all frames asks here first, because building the
whole message as a Python value takes twice as long. Frames of another shape are read in the general way.
"""

from __future__ import annotations

import msgspec

from acp_trace.trace.jsontext import is_too_deep


class _Text(msgspec.Struct, gc=False):
    text: str


class TextUpdate(msgspec.Struct, gc=False):
    """The update: `content.text`, and in `messageId` the message to which it belongs, or None."""

    content: _Text
    messageId: str | None = None  # noqa: N815  (the protocol's name)


class _Params(msgspec.Struct, gc=False):
    update: TextUpdate


class _Whole(msgspec.Struct, gc=False):
    params: _Params


_whole = msgspec.json.Decoder(_Whole).decode


def text_update(frame: bytes) -> TextUpdate | None:
    """Return the update in a frame, or None if its content is not one block that has a text.

    Never raises. The kind of the update is not looked at: `Frame.update` says it.
    """
    if is_too_deep(frame):
        return None
    try:
        return _whole(frame).params.update
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
