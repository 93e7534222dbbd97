"""What one message is: the same to the transcript, to `frames --join` and to `diff`."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.report.chunk_runs import ChunkRun, joined
from acp_trace.report.frame_rows import Timer
from acp_trace.story.messages import Messages
from acp_trace.story.transcript import transcripts
from tests.compare.conversation import compared
from tests.reading.talk import Said, call, cancel, hello, opened, prompt, reply, stop, tell, up, words
from tests.support import analyzed, trace

#: What the agent says in a turn: pieces of text, each with its message, and what comes between them.
_Pieces = list[tuple[str, str | None] | Said]
_CALL = up("tool_call", toolCallId="c", title="It", kind="read")
_WORKS = up("tool_call_update", toolCallId="c", status="in_progress")
_ONE: _Pieces = [("Hello ", None), ("world", None)]
_NAMED: _Pieces = [("Hello ", "m1"), ("world", "m1")]
_TWO: _Pieces = [("Hello ", "m1"), ("world", "m2")]
_APART: _Pieces = [("Hello ", None), _CALL, ("world", None)]
_APART_NAMED: _Pieces = [("Hello ", "m1"), _CALL, ("world", "m2")]


def _trace(pieces: _Pieces) -> bytes:
    def said(piece: tuple[Any, Any]) -> Said:
        text, named = piece
        if text in ("client", "agent"):
            return piece
        more = {} if named is None else {"messageId": named}
        return up("agent_message_chunk", content={"type": "text", "text": text}, **more)

    return trace(*hello(), *opened(), *opened("t"), prompt(1), *map(said, pieces), stop(1))


def _between(*said: Said) -> _Pieces:
    return [("Hello ", None), *said, ("world", None)]


@pytest.mark.parametrize(
    ("pieces", "count"),
    [
        (_ONE, 1),
        (_NAMED, 1),
        (_TWO, 2),
        (_APART, 2),
        (_APART_NAMED, 2),
        (_between(up("usage_update", used=1, size=2)), 1),
        (_between(up("available_commands_update", availableCommands=[])), 1),
        (_between(call(5, "fs/read_text_file", sessionId="s", path="/a"), reply(5, content="")), 1),
        (_between(up("tool_call", "t", toolCallId="c", title="It"), words("t")), 1),
        (_between(up("tool_call_update", toolCallId="new")), 2),
        ([_CALL, *_between(_WORKS)], 1),
        (_between(up("plan", entries=[])), 2),
        (_between(call(5, "session/request_permission", sessionId="s", options=[])), 2),
        (_between(cancel()), 2),
        (_between(tell("client", "$/cancel_request", requestId=1)), 2),
        (_between(tell("client", "$/cancel_request", requestId=77)), 1),
        ([call(5, "_x/y", sessionId="s"), *_between(tell("agent", "$/cancel_request", requestId=5))], 2),
        (_between(tell("agent", "$/cancel_request", requestId=1)), 1),
    ],
)
def test_all_have_as_many(pieces: _Pieces, count: int) -> None:
    """What stands in the conversation ends a message, and another id begins one; nothing else does."""
    facts, frames = analyzed(_trace(pieces))
    assert sum(item.kind == "agent" for item in transcripts(facts, frames)["s"]) == count
    rows = joined(Timer().rows(frames))
    assert sum(isinstance(row, ChunkRun) and row.first.frame.session_id == "s" for row in rows) == count
    messages = Messages()
    begun = [(messages.of(frame), frame.session_id) for frame in frames]
    assert len({first for first, session_id in begun if session_id == "s"} - {0}) == count


@pytest.mark.parametrize(
    ("expected", "actual", "differ"),
    [
        (_TWO, _ONE, True),
        (_TWO, _NAMED, True),
        (_ONE, _TWO, True),
        (_TWO, _TWO, False),
        (_ONE, _NAMED, False),
        (_APART, _APART_NAMED, False),
    ],
)
def test_a_comparison_sees_as_many(expected: Any, actual: Any, differ: bool) -> None:
    """At `content`, the same text in more messages, or in fewer, is a difference."""
    found = compared(_trace(expected), _trace(actual), "content")
    assert [each.code for each in found.failing] == ["content-differs"] * differ
    assert compared(_trace(expected), _trace(actual)).equal
