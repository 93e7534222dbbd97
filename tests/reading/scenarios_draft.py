"""Scenarios of draft 2, where a turn ends with an idle state and not with the prompt's response."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import (
    Said,
    answer,
    ask,
    cancel,
    chosen,
    hello,
    opened,
    permit,
    prompt,
    refuse,
    tell,
    up,
    words,
)


def idle(session: str = "s", **more: Any) -> Said:
    return up("state_update", session=session, state="idle", **more)


SCENARIOS: dict[str, list[Said]] = {
    "draft 2, turns and cancels": [
        *hello(2),
        *opened(),
        prompt(1),
        up("state_update", state="running"),
        permit(0),
        answer(1, messageId="m"),
        up("agent_message", messageId="a"),
        tell("client", "$/cancel_request", requestId=1),
        cancel(),
        words(),
        permit(1),
        chosen(0, "cancelled"),
        idle(stopReason="cancelled"),
        chosen(1, "cancelled"),
        idle(stopReason="cancelled"),
        up("agent_message", messageId="late"),
        prompt(2),
        prompt(3),
        answer(2, messageId="n", stopReason="refusal"),
        refuse(3, -32603),
        up("tool_call_update", toolCallId="c", status="completed"),
        ask(4, "session/resume", sessionId="s", replayFrom={"type": "start"}),
        idle(stopReason="end_turn"),
        answer(4),
        ask(5, "session/resume", sessionId="s", replayFrom=None),
        idle(stopReason="cancelled"),
        answer(5),
        prompt(6),
        idle(),
        answer(6),
        prompt(7),
        prompt(8),
        cancel(),
        idle("other", stopReason="cancelled"),
        words(),
        idle(stopReason="end_turn"),
        prompt(9),
        refuse(9, -32800),
        prompt(10),
        answer(10),
        cancel(),
        words(),
    ],
    "draft 2, updates while idle": [
        *hello(2),
        *opened(),
        words(),
        idle(stopReason="end_turn"),
        prompt(1),
        idle(stopReason="max_tokens"),
        answer(1),
        up("plan_update"),
        up("session_info_update", title="t", _meta={"a": {"b": 1}}),
        up("session_info_update", _meta={"a": {"c": 1}}),
        prompt(2),
        answer(2),
        up("state_update", state="requires_action"),
        up("state_update", session="other", state="idle"),
        up("agent_message_chunk"),
        idle(stopReason=5),
        prompt(3),
        idle("s", stopReason="end_turn"),
        refuse(3, -32603),
    ],
}
