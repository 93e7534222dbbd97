"""The text of an update: the same as through the whole message, or nothing."""

from __future__ import annotations

import msgspec
import pytest

from acp_trace.protocol.text_chunk import text_update
from acp_trace.trace.jsontext import value_or_none
from tests.support import update

_TEXT = {"type": "text", "text": "naïve"}
_DEEP = b'{"params":{"update":{"x":%b%b,"content":{"text":"x"}}}}' % (b"[" * 1001, b"]" * 1001)


@pytest.mark.parametrize(
    ("fields", "message_id"),
    [
        ({"content": _TEXT, "messageId": "m"}, "m"),
        ({"content": _TEXT, "messageId": None}, None),
        ({"content": _TEXT | {"annotations": {"a": [1]}}}, None),
        ({"content": {"text": "naïve"}, "_meta": {"text": 1}}, None),
    ],
)
def test_one_block_with_a_text_is_read(fields: dict[str, object], message_id: str | None) -> None:
    """Whatever else the update has."""
    read = text_update(msgspec.json.encode(update("s", "agent_message_chunk", **fields)))
    assert read is not None
    assert (read.content.text, read.messageId) == ("naïve", message_id)


@pytest.mark.parametrize(
    "frame",
    [
        msgspec.json.encode(update("s", "agent_message", content=[_TEXT, _TEXT])),
        msgspec.json.encode(update("s", "agent_message_chunk", content={"type": "image"})),
        msgspec.json.encode(update("s", "agent_message_chunk", content=_TEXT, messageId=1)),
        b'{"params":{"update":{"content":{"text":"\\ud800"}}}}',
        b'{"params":{"update":{"content":{"text":"\xff"}}}}',
        b'{"params":[]}',
        b"[" * 100_000,
        b"",
        _DEEP,
    ],
)
def test_everything_else_is_left_to_the_general_way(frame: bytes) -> None:
    """Several blocks, other types, a lone surrogate, what is not JSON, or nested deeper than it is followed."""
    assert text_update(frame) is None


def test_the_last_of_several_members_counts() -> None:
    """As in the whole message."""
    frame = b'{"params":{"update":{"content":{"text":"a","text":"b"},"content":{"text":"c"}}}}'
    read = text_update(frame)
    assert read is not None
    assert read.content.text == value_or_none(frame)["params"]["update"]["content"]["text"] == "c"
