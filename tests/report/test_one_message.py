"""What one message is: the same to the transcript, to `frames --join` and to `diff`."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.report.chunk_runs import ChunkRun, joined
from acp_trace.report.frame_rows import Timer
from acp_trace.report.transcript import transcripts
from tests.compare.conversation import compared
from tests.reading.talk import Said, hello, opened, prompt, stop, up
from tests.support import analyzed, trace

#: What the agent says in a turn: pieces of text, each with its message. Between two of them, `None` is a tool call.
_ONE = [("Hello ", None), ("world", None)]
_NAMED = [("Hello ", "m1"), ("world", "m1")]
_TWO = [("Hello ", "m1"), ("world", "m2")]
_APART = [("Hello ", None), None, ("world", None)]
_APART_NAMED = [("Hello ", "m1"), None, ("world", "m2")]


def _trace(pieces: list[tuple[str, str | None] | None]) -> bytes:
    def said(piece: tuple[str, str | None] | None) -> Said:
        if piece is None:
            return up("tool_call", toolCallId="c", title="It", kind="read")
        named: dict[str, Any] = {} if piece[1] is None else {"messageId": piece[1]}
        return up("agent_message_chunk", content={"type": "text", "text": piece[0]}, **named)

    return trace(*hello(), *opened(), prompt(1), *map(said, pieces), stop(1))


@pytest.mark.parametrize(
    ("pieces", "count"), [(_ONE, 1), (_NAMED, 1), (_TWO, 2), (_APART, 2), (_APART_NAMED, 2)]
)
def test_the_transcript_and_the_list_of_frames_have_as_many(pieces: Any, count: int) -> None:
    """One without a `messageId` ends where something else comes; else another id begins another one."""
    facts, frames = analyzed(_trace(pieces))
    items = transcripts(facts, frames)["s"]
    assert sum(item.kind == "agent" for item in items) == count
    timer = Timer()
    assert sum(isinstance(row, ChunkRun) for row in joined(timer.rows(frames))) == count


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
