"""Views of payloads: what they read, and that a member of any other type counts as absent."""

from __future__ import annotations

from itertools import product
from typing import Any

import msgspec
import pytest

from acp_trace.protocol.payloads import (
    BlockView,
    FileView,
    OptionView,
    OutcomeView,
    ParamsView,
    PlanEntryView,
    ResultView,
    ToolCallView,
    ToolContentView,
    UpdateView,
    View,
    first_text,
    part,
    text_update,
    update_in,
)
from acp_trace.trace.jsontext import value_or_none
from tests.rows import each
from tests.support import update

_TEXT = {"type": "text", "text": "naïve"}
_DEEP = b'{"params":{"update":{"x":%b%b,"content":{"text":"x"}}}}' % (b"[" * 1001, b"]" * 1001)

#: An object with all members of a view, by the names that JSON has for them and by those of the view.
_FILE = {"path": "/w/a", "line": 3}
_OPTION = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
_TOOL_CALL = {
    "toolCallId": "c",
    "title": "t",
    "kind": "edit",
    "status": "completed",
    "locations": [_FILE],
}
_TERMINAL = {"terminalId": "t", "command": "ls"}
_EXAMPLES: dict[type[View], dict[str, Any]] = {
    FileView: _FILE,
    BlockView: {"type": "text", "text": "x", "uri": "file:///a", "resource": {"uri": "file:///b"}},
    ToolContentView: {
        **_FILE,
        "type": "diff",
        "content": _TEXT,
        "terminalId": "t",
        "oldText": "a",
        "newText": "b",
        "changes": [_FILE],
        "patch": {"text": "@@"},
    },
    ToolCallView: _TOOL_CALL,
    PlanEntryView: {"content": "one", "status": "pending"},
    UpdateView: {
        **_TOOL_CALL,
        **_TERMINAL,
        "sessionUpdate": "tool_call",
        "messageId": "m",
        "entries": [{"content": "one"}],
        "plan": {"entries": []},
        "state": "idle",
        "stopReason": "end_turn",
        "used": 10,
        "data": "eA==",
        "_meta": {"a": 1},
    },
    OptionView: _OPTION,
    ParamsView: {
        **_FILE,
        **_TERMINAL,
        "sessionId": "s",
        "update": _TOOL_CALL,
        "cwd": "/w",
        "content": "x",
        "toolCall": _TOOL_CALL,
        "options": [_OPTION],
    },
    OutcomeView: {"outcome": "selected", "optionId": "yes"},
    ResultView: {**_TERMINAL, "sessionId": "s", "stopReason": "end_turn", "outcome": {"optionId": "yes"}},
}
_HOSTILE: tuple[Any, ...] = (None, True, 0, -1.5, 2**70, "x", [], [None, 3, "x", [{}]], {}, {"x": [{}]})


def _attribute(key: str) -> str:
    """`tool_call_id` for `toolCallId`, `meta` for `_meta`."""
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in key).strip("_")


def _plain(value: Any) -> Any:
    """A value with the members of each view in its place."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.members if isinstance(value, View) else value


@pytest.mark.parametrize("view", _EXAMPLES)
def test_a_view_reads_the_members(view: type[View]) -> None:
    """Each under the name that the protocol gives it."""
    example = _EXAMPLES[view]
    assert {key: _plain(getattr(view(example), _attribute(key))) for key in example} == example


def test_a_member_of_another_type_is_absent() -> None:
    """It reads as in an empty object; and so does everything if the payload itself is no such object."""

    def check(row: tuple[type[View], object]) -> None:
        view, value = row
        for key, right in _EXAMPLES[view].items():
            name = _attribute(key)
            absent = _plain(getattr(view({}), name))
            assert _plain(getattr(view(value), name)) == absent
            if type(value) is not type(right):
                assert _plain(getattr(view({key: value}), name)) == absent

    each(product(_EXAMPLES, _HOSTILE), check)


def test_a_list_of_views_has_the_objects_alone() -> None:
    """Whatever else is in the list."""
    assert _plain(ParamsView({"options": [3, _OPTION, None, [_OPTION]]}).options) == [_OPTION]
    assert _plain(ToolCallView({"content": [{"type": "diff"}, "x"]}).contents) == [{"type": "diff"}]


@pytest.mark.parametrize(
    "frame", [b"", b"x", b"[]", b'{"params":[]}', b'{"params":{"update":3}}', _DEEP[:-1]]
)
def test_a_frame_without_the_payload_has_an_empty_one(frame: bytes) -> None:
    """Whatever is wrong with the frame."""
    assert update_in(frame).members == part(frame, "result") == {}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "image"}, _TEXT], "naïve"),
        ([{"type": "image"}, {"text": ""}], ""),
        ([{"type": "image"}, {"type": "audio"}], "[image]"),
        (_TEXT, "naïve"),
        ([3, {"type": 4, "text": 5}], None),
        ("x", None),
    ],
)
def test_the_first_text_of_several_blocks(content: object, text: str | None) -> None:
    """Or what kind the first block has, if there is no text."""
    assert first_text(content) == text


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
    ("frame", "text"),
    [
        (msgspec.json.encode(update("s", "agent_message_chunk", content=_TEXT, messageId=1)), "naïve"),
        (b'{"params":{"update":{"content":{"text":"\\ud800"}}}}', "\ufffd"),
        (msgspec.json.encode(update("s", "agent_message", content=[_TEXT, _TEXT])), None),
        (msgspec.json.encode(update("s", "agent_message_chunk", content={"type": "image"})), None),
        (b'{"params":{"update":{"content":{"text":"\xff"}}}}', None),
        (b'{"params":[]}', None),
        (b"[" * 100_000, None),
        (b"", None),
        (_DEEP, None),
    ],
)
def test_a_frame_of_another_shape_is_read_like_any_payload(frame: bytes, text: str | None) -> None:
    """Another type, a lone surrogate; nothing is nested deeper than it is followed, or not JSON."""
    read = text_update(frame)
    assert (read and (read.content.text, read.messageId)) == (text and (text, None))


def test_the_last_of_several_members_counts() -> None:
    """As in the whole message."""
    frame = b'{"params":{"update":{"content":{"text":"a","text":"b"},"content":{"text":"c"}}}}'
    read = text_update(frame)
    assert read is not None
    assert read.content.text == value_or_none(frame)["params"]["update"]["content"]["text"] == "c"
