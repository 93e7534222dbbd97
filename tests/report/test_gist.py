"""The last column of the frame list."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.report import gist
from acp_trace.report.filters import BadFilter, Filter
from acp_trace.report.frame_rows import FrameRow, Timer
from acp_trace.report.json.frames import frame_row
from acp_trace.report.text import frame_list as framelist
from tests.support import analyzed, error, header, line, request, result, trace, update

_ASKS = {"method": "session/prompt", "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "hi"}]}}
_CASES: list[tuple[str, Any, str]] = [
    ("client", request(0, "initialize", protocolVersion=1, clientInfo={"name": "acpx", "version": "1"}), "protocol 1 acpx 1"),
    ("agent", result(0, protocolVersion=1, agentInfo={"name": "a", "version": "2"}), "protocol 1 a 2"),
    ("client", request(1, "session/new", cwd="/w", mcpServers=[]), "/w"),
    ("agent", result(1, sessionId="s", configOptions=[{"id": "model", "currentValue": "m"}]), "s model=m"),
    ("client", request(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "hi\x1b"}]), '"hi\x1b"'),
    ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": "yo"}), '"yo"'),
    ("agent", update("s", "agent_message_chunk", content={"type": "image"}), '"[image]"'),
    ("agent", update("s", "tool_call", toolCallId="c", title="Run", kind="execute", status="pending"), 'pending execute "Run"'),
    ("agent", update("s", "_custom", x=1), "x=1"),
    ("agent", result(2, stopReason="end_turn"), "end_turn"),
    ("client", {"method": "$/cancel_request", "params": {"requestId": 2}}, "request 2"),
    ("agent", error(99, -32601, "no"), "error -32601 no"),
    ("agent", update("s", "session_info_update", title="T", updatedAt="2026-11-20T13:05:01Z", _meta={"a": {"b": 1}, "c": None}),
     'title → "T" · _meta a −c · updatedAt → 2026-11-20T13:05:01Z'),
    ("agent", update("s", "session_info_update", title=None, _meta=None), "title → ∅ · _meta → ∅"),
    ("agent", update("s", "session_info_update"), ""),
]  # fmt: skip
#: Of envelopes, what they carry.
_CARRIED: list[tuple[str, Any, str]] = [
    ("agent", {"id": 3, "method": "proxy/successor", "params": _ASKS}, '› session/prompt "hi"'),
    ("client", {"method": "_proxy/successor", "params": update("s", "agent_message_chunk", content={"type": "text", "text": "yo"})},
     '› session/update agent_message_chunk "yo"'),
    ("agent", {"id": 4, "method": "mcp/message", "params": {"serverId": "m", "method": "tools/call", "params": {"name": "add"}}},
     "› tools/call name=add"),
    ("agent", {"id": 5, "method": "mcp/message", "params": 7}, "›"),
]  # fmt: skip


@pytest.mark.parametrize("cases", [_CASES, _CARRIED])
def test_each_kind_of_message(cases: list[tuple[str, Any, str]]) -> None:
    """What matters of it, in a few words."""
    _, frames = analyzed(trace(*[(sender, message) for sender, message, _ in cases]))
    assert [gist.gist(frame) for frame in frames] == [words for _, _, words in cases]


def test_lines_at_any_width_have_no_control_characters() -> None:
    """Safe, one line each, not wider than asked."""
    data = trace(*[(sender, message) for sender, message, _ in _CASES])
    data += (
        line(t=1, **{"from": "agent"}, text="\x1b]0;evil\x07") + b'{"t":1,"from":"agent","base64":"/w=="}\n'
    )
    for frame in analyzed(data)[1]:
        for width in (40, 80, 140, None):
            text = framelist.line(FrameRow(frame, 5_000_000), width)
            assert "\x1b" not in text.plain
            assert "\n" not in text.plain
            assert width is None or text.cell_len <= width
        assert "\x1b" not in framelist.full(frame)


@pytest.mark.slow
@given(st.recursive(st.none() | st.integers() | st.text(), lambda s: st.lists(s) | st.dictionaries(
    st.sampled_from(["method", "id", "params", "update", "sessionUpdate", "content", "options", "toolCall", "prompt",
                     "configOptions", "outcome", "error", "result", "clientInfo"]), s)))  # fmt: skip
def test_never_raises(message: Any) -> None:
    """Any JSON gives some words."""
    for frame in analyzed(trace(("client", message), ("agent", message)))[1]:
        assert isinstance(gist.gist(frame), str)
        assert frame_row(FrameRow(frame))["frame"] == frame.frame


def test_filters_add_up() -> None:
    """Each one by itself, two together, and the window."""
    _, frames = analyzed(trace(*[(sender, message) for sender, message, _ in _CASES]))

    def numbers(**wanted: Any) -> list[int]:
        rows = Filter(**wanted).of(Timer().rows(frames))
        return [row.frame.frame for row in rows if isinstance(row, FrameRow)]

    assert numbers() == list(range(1, 16))
    assert numbers(sender="client") == [1, 3, 5, 11]
    assert numbers(method="session/*", sender="agent") == [4, *range(6, 11), 13, 14, 15]
    assert numbers(update="tool_*") == [8]
    assert numbers(session="s", grep="end_turn|yo") == [6, 10]
    assert numbers(around=12, sender="client") == [3, 5, 11]
    with pytest.raises(BadFilter):
        Filter(grep="(")


def test_full_keeps_what_is_no_json() -> None:
    """Noise and bytes are shown as they can be."""
    data = (
        header() + line(t=1, **{"from": "agent"}, text="no\x1b") + b'{"t":1,"from":"agent","base64":"/w=="}\n'
    )
    assert [framelist.full(frame).strip() for frame in analyzed(data)[1]] == ["no\\e", "\\xff"]
