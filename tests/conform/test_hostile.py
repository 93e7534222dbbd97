"""Nothing in a trace makes the judge fail: any value may be where another one belongs."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from acp_trace.conform.judge import judge
from acp_trace.conform.requirement import Side
from acp_trace.report.json.conform import document
from tests.conform.traces import Frames, begun, cancel, chunk, prompt, seen
from tests.support import error, request, result

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1 << 70,
    1.5,
    "",
    "s",
    [],
    [[]],
    [None],
    {},
    {"a": None},
    {"sessionId": []},
)
ALL = {"loadSession": True, "sessionCapabilities": {"list": {}, "close": {}, "delete": {}, "resume": {}}}


def talk() -> Frames:
    """A bit of everything that a check looks at."""
    frames = [
        *begun(**ALL),
        prompt(_meta={}),
        chunk(),
        cancel(),
        ("agent", result(2, stopReason="cancelled")),
    ]
    for number, method in enumerate(("load", "resume", "list", "close", "delete", "set_mode"), 10):
        frames.append(
            ("client", request(number, f"session/{method}", sessionId="s", cwd="/w/acp-trace-unused"))
        )
        frames.append(("agent", result(number, sessions=[{"sessionId": "s"}])))
    frames += [("client", request(30, "acp_trace/unknown")), ("agent", error(30, -32601, "no"))]
    asked = request(
        0, "session/request_permission", sessionId="s", options=[{"optionId": "a", "kind": "allow_once"}]
    )
    return [
        *frames,
        ("agent", asked),
        ("client", result(0, outcome={"outcome": "selected", "optionId": "a"})),
    ]


def mixed(value: Any, chance: random.Random) -> Any:
    """The same, with odd values in some places."""
    if chance.random() < 0.06:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: mixed(each, chance) for key, each in value.items()}
    return [mixed(each, chance) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(12))
def test_odd_values(seed: int) -> None:
    """Each requirement has a status, and the report can be written."""
    chance = random.Random(seed)
    frames = [(sender, mixed(message, chance)) for sender, message in talk()]
    end: dict[str, Any] = {
        "aborted": chance.choice((None, "timeout", "stayed", 7)),
        "client_left": chance.choice((True, False)),
    }
    one = seen(frames, chance.choice(("", "cancel")), **end)
    sides: tuple[Side, ...] = "agent", "client"
    for side in sides:
        made = document(judge([one], side))
        assert {each["status"] for each in made["requirements"]} <= {
            "pass",
            "fail",
            "not-applicable",
            "not-exercised",
        }
        json.dumps(made)
