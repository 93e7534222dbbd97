"""The session and the turn of a call: named by the agent, or found by words, time and directory."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.model.join import Joined, JoinKeys, SessionSpan, TurnTimes, join
from acp_trace.model.shapes import Prompt, PromptMessage, Text
from acp_trace.trace import jsontext

A, B = "ses_0aaaaaaaaaaa", "ses_0bbbbbbbbbbb"
SESSIONS = (SessionSpan(A, "/work/a"), SessionSpan(B, "/work/b"))
#: A: 10 to 20, and from 40 on; B: 15 to 50.
TURNS = (
    TurnTimes(A, 0, 10, 20, "Fix the test"),
    TurnTimes(B, 0, 15, 50, "hello"),
    TurnTimes(A, 1, 40, None, "Now the docs"),
)


def _call(
    t: int, *said: str, headers: dict[str, str | None] | None = None, labels: Any = None, body: str = ""
) -> JoinKeys:
    messages = tuple(PromptMessage("user", (Text(text),)) for text in said)
    prompt = Prompt(messages=messages, labels=labels or {})
    return JoinKeys(headers=tuple((headers or {}).items()), body=body.encode(), prompt=prompt, started_ns=t)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (_call(12, headers={"authorization": None, "x-session-id": A}), Joined(A, 0, "header x-session-id")),
        (_call(45, headers={"x-codex-window-id": f"{A}:0"}), Joined(A, 1, "header x-codex-window-id")),
        (_call(30, headers={"x-session-id": A}), Joined(A, None, "header x-session-id")),
        # A subagent's own session is no session of ours; its parent is.
        (_call(12, headers={"x-session-id": "ses_0child", "x-parent": A}), Joined(A, 0, "header x-parent")),
        (_call(45, labels={"prompt_cache_key": B}), Joined(B, 0, "field prompt_cache_key")),
        (_call(45, labels={"metadata": {"user_id": f'{{"session":"{B}"}}'}}), Joined(B, 0, "field metadata")),
        (_call(45, body=f'{{"messages":"in /tmp/{B}/files"}}'), Joined(B, 0, "body")),
        # A header beats what is quoted.
        (_call(45, headers={"x-session-id": A}, body=f"{B}"), Joined(A, 1, "header x-session-id")),
        # Both are named: the words decide between them.
        (_call(45, "Now the docs", body=f"{A} {B}"), Joined(A, 1, "words")),
        (_call(12), Joined(A, 0, "time")),
        (_call(30), Joined(B, 0, "time")),
        (_call(17, "Fix the test"), Joined(A, 0, "words")),
        (_call(17, "context", "<session>\n  hello\n</session>"), Joined(B, 0, "words")),
        # The latest message decides, also about a turn that is over: a title that comes late.
        (_call(45, "hello", "old", "Now the docs"), Joined(A, 1, "words")),
        (_call(30, "Title for:\nFix the test\n"), Joined(A, None, "words")),
        # Words in the middle of others are chance, if they are few.
        (_call(30, "say hello to Fix the test"), Joined(B, 0, "time")),
        (_call(45, body='{"cwd":"/work/b"}'), Joined(B, 0, "directory")),
        (_call(45, body='{"cwd":"/work/bc"}'), Joined()),
        (_call(45), Joined()),
        (_call(5), Joined()),
        # A prompt that comes only later cannot be meant.
        (_call(30, "Now the docs"), Joined(B, 0, "time")),
    ],
)  # fmt: skip
def test_a_call_is_joined(call: JoinKeys, expected: Joined) -> None:
    """By what it says, in the order of what is most certain; nothing is guessed."""
    assert join(call, SESSIONS, TURNS) == expected


@pytest.mark.parametrize("said", [r"C:\work\b", r"c:\Work\b\x", "C:/work/b", "/mnt/c/work/b"])
def test_a_directory_of_windows_is_found_in_any_form(said: str) -> None:
    """As the agent names it to its model."""
    sessions = [SessionSpan(A, r"C:\work\a"), SessionSpan(B, r"C:\work\b")]
    turns = (TurnTimes(A, 0, 40, None, ""), TurnTimes(B, 0, 40, None, ""))
    assert join(_call(45, body=jsontext.string({"cwd": said})), sessions, turns) == Joined(B, 0, "directory")


def test_an_only_session_has_all_calls() -> None:
    """Also those between its turns. Without any session there is nothing to join."""
    assert join(_call(12), SESSIONS[:1], TURNS[:1]) == Joined(A, 0, "time")
    assert join(_call(30), SESSIONS[:1], TURNS[:1]) == Joined(A, None, "only session")
    assert join(_call(30), (), ()) == Joined()


def test_short_ids_count_only_alone() -> None:
    """`1` stands in every request; and an id that begins another is not meant by it."""
    turns = (TurnTimes("1", 0, 0, None), TurnTimes("2", 0, 0, None))
    assert join(_call(5, headers={"x-retry": "10"}, body="1 1 1"), (), turns) == Joined()
    assert join(_call(5, headers={"x-session": "1"}), (), turns) == Joined("1", 0, "header x-session")
    long = (TurnTimes("session-1", 0, 0, None), TurnTimes("session-12", 0, 0, None))
    assert join(_call(5, body='"session-12"'), (), long) == Joined("session-12", 0, "body")


def test_a_prompt_without_words_is_told_by_none() -> None:
    """One that is a picture."""
    turns = (TurnTimes(A, 0, 0, None, " "), TurnTimes(B, 0, 0, None, "hello"))
    assert join(_call(5, "\n\nhello", "Go on."), (), turns) == Joined(B, 0, "words")


def test_of_queued_prompts_the_first_is_at_work() -> None:
    """Some agents take a prompt while another is answered."""
    turns = (TurnTimes(A, 0, 0, 30), TurnTimes(A, 1, 10, 60))
    assert [join(_call(t), (), turns).turn for t in (5, 20, 40)] == [0, 0, 1]
