"""The conversation as the user saw it: who said what, in order, whole; what was said before is marked."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.report.selection import select
from acp_trace.report.text.transcript import transcript
from acp_trace.story.transcript import transcripts
from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, answer, ask, call, cancel, chosen, opened, prompt, stop, tell, up
from tests.support import analyzed, trace


def _lines(*said: Said, session: str | None = None, first: int = 0, **how: Any) -> list[str]:
    found, frames = analyzed(trace(*said))
    found = select(found, session=session)
    items = transcripts(found, frames, first=first, **how)
    printed = "\n".join(text.plain for text in transcript(found, items, live=False))
    return [line for line in printed.split("\n") if line]


def _chunk(text: str, kind: str = "agent_message_chunk", **more: Any) -> Said:
    return up(kind, content={"type": "text", "text": text}, **more)


def _asks(*blocks: object) -> Said:
    return ask(1, "session/prompt", sessionId="s", prompt=list(blocks))


def test_chunks_are_joined_and_nothing_is_cut() -> None:
    """Also if other updates come between them; a thought is no message."""
    lines = _lines(
        *start(),
        prompt(1),
        _chunk("hm", "agent_thought_chunk"),
        _chunk("one "),
        up("usage_update", used=1, size=2),
        _chunk("two\n\nthree " * 200),
        _chunk("new", messageId="m"),
        stop(1),
    )
    assert lines[:7] == ["session s", "user", "  go", "thought", "  hm", "agent", "  one two"]
    assert "".join(lines).count("three") == 200
    assert lines[-3:] == ["agent", "  new", "turn 0 ended  end_turn  6 µs"]


@pytest.mark.parametrize(
    ("between", "items"),
    [
        ([], ["ab"]),
        ([_chunk("x", session="t")], ["ab"]),
        ([_chunk("x", messageId="m")], ["a", "x", "b"]),
        ([_chunk("x", messageId=1)], ["axb"]),
        ([_chunk("x", "agent_thought_chunk")], ["a", "x", "b"]),
        ([_chunk("x", "user_message_chunk")], ["a", "b"]),
        ([up("agent_message_chunk", content=[{"text": "x"}, {"text": "y"}])], ["ax\nyb"]),
        ([up("tool_call", toolCallId="c", title="T")], ["a", "", "b"]),
        ([("client", _chunk("x")[1])], ["ab"]),
        ([("agent", _chunk("x")[1] | {"id": 9})], ["axb"]),
        ([cancel(), stop(1, "cancelled")], ["a", "", "", "b"]),
        ([ask(7, "session/load", sessionId="s")], ["a", "b"]),
        (
            [ask(7, "session/load", sessionId="s"), ("agent", {"jsonrpc": "2.0", "id": 7, "result": {}})],
            ["a", "b"],
        ),
    ],
)
def test_what_comes_between_two_chunks(between: list[Said], items: list[str]) -> None:
    """They are one item, unless the user saw something between them, or one of them belongs elsewhere."""
    found, frames = analyzed(trace(*start(), *opened("t"), prompt(1), _chunk("a"), *between, _chunk("b")))
    assert [item.text for item in transcripts(found, frames, history=True)["s"]][1:] == items


def test_tool_calls_permissions_and_plans() -> None:
    """One line each, with what became of them; a plan as a list, each time that it changes."""
    entries = [
        {"content": "a", "status": "completed"},
        {"content": "b", "status": "in_progress"},
        {"content": "c"},
    ]
    lines = _lines(
        *start(),
        prompt(1),
        up("plan", entries=entries),
        up("plan", entries=entries),
        up("tool_call", toolCallId="c", title="Write", kind="edit", status="pending"),
        ask("x", "session/list"),
        ("agent", {"jsonrpc": "2.0", "id": 1, "method": "session/request_permission",
                   "params": {"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": []}}),
        chosen(1, optionId="yes"),
        up("tool_call_update", toolCallId="c", status="completed"),
        stop(1),
    )  # fmt: skip
    assert [line for line in lines if line[:4] in ("plan", "  [x", "  [>", "  [ ", "tool", "perm")] == [
        "plan",
        "  [x] a",
        "  [>] b",
        "  [ ] c",
        "tool  edit Write  completed  4 µs",
        "permission  Write  yes  1 µs",
    ]


def test_what_is_no_text_is_named() -> None:
    """A link by where it leads, an image by its kind."""
    lines = _lines(
        *start(),
        _asks(
            {"type": "text", "text": "see"},
            {"type": "resource_link", "uri": "file:///a"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "x"}},
            {"type": "image", "data": ""},
            5,
        ),
    )
    assert lines[2:] == ["  see", "  [resource_link file:///a]", "  [resource file:///b]", "  [image]"]


def test_cancels_and_how_a_turn_ended() -> None:
    """Who cancelled, and the stop reason or the error."""
    lines = _lines(*start(), prompt(1), cancel(), stop(1, "cancelled"))
    assert lines[-2] == "cancel  session/cancel by the client"
    assert lines[-1].startswith("turn 0 ended  cancelled")


def test_a_cancel_that_was_ignored_is_seen() -> None:
    """Also one that names only a request: it stands in the session of that, with what became of it."""
    ignored = [*start(), prompt(1), tell("client", "$/cancel_request", requestId=1), stop(1)]
    prompted = len(start()) + 1
    said = f"cancel  $/cancel_request of session/prompt #{prompted} by the client: ran to its end"
    assert _lines(*ignored)[-2] == said
    assert _lines(*start(), prompt(1), stop(1), cancel())[-1] == (
        "cancel  session/cancel by the client: nothing to cancel"
    )
    asked = [*start(), prompt(1), call(7, "session/request_permission", sessionId="s", options=[])]
    withdrawn = [*asked, tell("agent", "$/cancel_request", requestId=7), stop(1)]
    assert any(
        "$/cancel_request of session/request_permission" in line and "by the agent: unanswered" in line
        for line in _lines(*withdrawn)
    )


def test_history_is_left_out_and_counted_or_marked() -> None:
    """Each load by itself: what the last one said last is not joined with what the next one says first."""
    load = [
        ask(9, "session/load", sessionId="s", cwd="/w"),
        _chunk("old", "user_message_chunk"),
        up("available_commands_update"),
        answer(9),
    ]
    said = [*start(), *load, *load, prompt(1), _chunk("new"), stop(1)]
    assert _lines(*said)[1:4] == ["(1 history update left out: --all)"] * 2 + ["user"]
    marked = ["user (history update)", "  old"]
    assert _lines(*said, history=True)[1:6] == [*marked, *marked, "user"]


def test_draft_2_sends_messages_whole() -> None:
    """The echo of the prompt is not said twice, and neither is a message of which chunks came."""
    content = [{"type": "text", "text": "Hello"}]
    lines = _lines(
        *start(2),
        prompt(1),
        answer(1),
        up("user_message", messageId="u", content=[{"type": "text", "text": "go"}]),
        _chunk("Hel", messageId="m"),
        _chunk("lo", messageId="m"),
        up("agent_message", messageId="m", content=content),
        up("agent_message", messageId="n", content=content),
        up("state_update", state="idle", stopReason="end_turn"),
    )
    assert lines[1:7] == ["user", "  go", "agent", "  Hello", "agent", "  Hello"]
    assert lines[7].startswith("turn 0 ended  end_turn")


def test_each_session_by_itself() -> None:
    """However they were interleaved; one of them alone; from a frame on."""
    said = [
        *start(), *opened("t"), prompt(1), prompt(2, "t"), _chunk("a"), _chunk("b", session="t"), _chunk("c"),
        stop(1), stop(2),
    ]  # fmt: skip
    assert [line for line in _lines(*said) if line.startswith(("session", "  "))] == [
        "session S1  s", "  go", "  ac", "session S2  t", "  go", "  b",
    ]  # fmt: skip
    assert _lines(*said, session="t")[0] == "session S2  t"
    assert _lines(*said, first=11)[:3] == ["session S1  s", "agent", "  c"]
    assert _lines(*said, first=7, last=9)[:5] == ["session S1  s", "user", "  go", "agent", "  a"]


@pytest.mark.parametrize("text", ["a\x1b[2Jb", "\u202eabc", "tab\tand\rreturn"])
def test_nothing_that_was_said_drives_the_terminal(text: str) -> None:
    """Newlines stay, all else that it would obey is made visible."""
    lines = _lines(
        *start(), prompt(1), _chunk(f"x\n{text}\n"), tell("client", "session/cancel", sessionId="s")
    )
    assert not any(char in "".join(lines) for char in "\x1b\u202e\r\t")
    assert "agent" in lines


def test_work_during_a_resume_is_no_history() -> None:
    """The turn that is open goes on; without one, what a resume sends was said before."""
    resume = [ask(9, "session/resume", sessionId="s", cwd="/w"), _chunk("said"), answer(9)]
    assert _lines(*start(), prompt(1), *resume, stop(1))[3:5] == ["agent", "  said"]
    assert "  said" not in _lines(*start(), *resume)
