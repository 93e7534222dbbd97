"""A session that is forked, as OpenCode does it: the copy's history comes before the answer that names it."""

from __future__ import annotations

from tests.reading.talk import Said, answer, ask, opened, prompt, stop, up, words


def history(session: str) -> list[Said]:
    """A prompt, what the agent said, and a tool call, sent again: four updates."""
    asked = up("user_message_chunk", session=session, content={"type": "text", "text": "go"})
    return [
        asked,
        words(session),
        up("tool_call", session=session, toolCallId="old", title="Read", kind="read", status="pending"),
        up("tool_call_update", session=session, toolCallId="old", status="completed"),
    ]


def forked() -> list[Said]:
    """`s` is forked (#3) into `copy` (#8), which then has a turn with a tool call of its own (#9 to #11)."""
    return [
        *opened(),
        ask(1, "session/fork", sessionId="s", cwd="/w"),
        *history("copy"),
        answer(1, sessionId="copy"),
        prompt(2, "copy"),
        up("tool_call", session="copy", toolCallId="new", title="Run", status="completed"),
        stop(2),
    ]
