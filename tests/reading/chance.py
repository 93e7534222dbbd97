"""Traces made by chance: conversations that no one would hold, and that both readings must read alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.reading.scenarios_config import boolean, group, mode, modes, now, select
from tests.reading.talk import (
    Said,
    answer,
    ask,
    call,
    cancel,
    chosen,
    decline,
    hello,
    opened,
    permit,
    prompt,
    refuse,
    reply,
    stop,
    tell,
    up,
)  # fmt: skip
from tests.support import trace

_KINDS = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "plan",
    "usage_update",
    "agent_message",
]
_REASONS = ["end_turn", "cancelled", "refusal"]
_CODES = [-32800, -32603]


class _Dice:
    """One conversation. Few sessions and few ids, so that things meet."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pick = self.random.choice

    def session(self) -> str:
        return self.pick(["s", "s", "s", "t"])

    def id(self) -> Any:
        return self.pick([1, 2, 3, 4, "1", 1.0])

    def info(self) -> dict[str, Any]:
        """Some fields of a session_info_update, right and wrong."""
        said = {
            "title": self.pick(["a", "b", None, 5]),
            "updatedAt": self.pick(["2026-11-20T13:05:01Z", "later", None]),
            "_meta": self.meta(3),
        }
        return {key: item for key, item in said.items() if self.random.random() < 0.5}

    def meta(self, depth: int) -> Any:
        """Nested objects with few keys, nulls and values that look alike."""
        if depth == 0 or self.random.random() < 0.3:
            return self.pick([None, 1, 1.0, True, "1", {}, [1]])
        return {self.pick("abc"): self.meta(depth - 1) for _ in range(self.random.randrange(3))}

    def options(self) -> list[dict[str, Any]]:
        """A config state: some of four options, in any order."""
        odd: dict[str, Any] = self.pick([{}, {"currentValue": None}, {"currentValue": 1}])
        every = [
            select("model", self.pick("ab"), *self.pick(["ab", "ba", "a"])),
            select(
                "mode", self.pick("xy"), group("g", "x"), group("h", *self.pick(["xy", "y"])), category="mode"
            ),
            boolean("fast", self.pick([True, False, 1])),
            {"configId": "odd", "type": "slider", **odd},
        ]
        return self.random.sample(every, self.random.randrange(5))

    def step(self) -> Said:
        """Anything that can be said."""
        ways: list[Callable[[], Said]] = [
            lambda: prompt(self.id(), self.session()),
            lambda: stop(self.id(), self.pick(_REASONS)),
            lambda: cancel(self.session()),
            self.update,
            self.request,
            self.response,
            lambda: permit(self.id(), self.session()),
            lambda: tell(self.pick(["client", "agent"]), "$/cancel_request", requestId=self.id()),
        ]
        return self.random.choices(ways, [4, 4, 2, 14, 5, 6, 2, 2])[0]()

    def update(self) -> Said:
        session, tool = self.session(), self.pick("cd")
        return self.pick(
            [
                up(self.pick(_KINDS), session=session),
                up("tool_call", session=session, toolCallId=tool, title=self.pick("xyz")),
                up(
                    "tool_call_update",
                    session=session,
                    toolCallId=tool,
                    status=self.pick(["pending", "completed"]),
                ),
                up("session_info_update", session=session, **self.info()),
                now(*self.options(), session=session),
                up("current_mode_update", session=session, currentModeId=self.pick("xy")),
                up(
                    "state_update",
                    session=session,
                    state=self.pick(["idle", "running"]),
                    stopReason=self.pick(_REASONS),
                ),
            ]
        )

    def request(self) -> Said:
        id, session = self.id(), self.session()
        opens = self.pick(["session/new", "session/load", "session/resume", "session/fork"])
        return self.pick(
            [
                ask(id, opens, sessionId=session, cwd=self.pick("vw")),
                ask(id, "session/resume", sessionId=session, replayFrom={"type": "start"}),
                ask(
                    id,
                    "session/set_config_option",
                    sessionId=session,
                    configId=self.pick(["model", "mode", "no"]),
                    value=self.pick("abx"),
                ),
                ask(
                    id,
                    "session/set_config_option",
                    sessionId=session,
                    configId="fast",
                    value=self.pick([True, "true"]),
                ),
                mode(id, self.pick("xy")),
                ask(id, "session/close", sessionId=session),
                call(id, "terminal/create", sessionId=session),
                call(id, "fs/read_text_file", sessionId="never opened"),
            ]
        )

    def response(self) -> Said:
        id = self.id()
        state: dict[str, Any] = self.pick(
            [{}, {"configOptions": self.options()}, {"modes": modes("x", "x", "y")}]
        )
        return self.pick(
            [
                answer(id, sessionId=self.session(), **state),
                answer(id, **state, stopReason=self.pick(_REASONS)),
                refuse(id, self.pick(_CODES)),
                reply(id),
                chosen(id, self.pick(["selected", "cancelled"]), optionId="o"),
                decline(id, self.pick(_CODES)),
            ]
        )


def conversation(seed: int, length: int = 80) -> bytes:
    """A trace file; the same for the same seed."""
    dice = _Dice(seed)
    start = [*hello(dice.pick([1, 1, 2])), *opened(configOptions=dice.options())]
    return trace(*start, *(dice.step() for _ in range(length)))
