"""Traffic made to be slow: every part of the analysis takes time for what comes, not for what is there.

Each trace would take minutes if a frame cost as much as all frames before it. Nothing here is timed: a
count of steps stands for time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.counting import executed_lines
from tests.support import analyzed, request, result, trace, update

_Frames = list[tuple[str, Any]]
_CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
_OPTION = {"id": "m", "name": "m", "type": "select", "currentValue": "no", "options": []}


def _prompts(count: int) -> _Frames:
    return [("client", request(number, "session/prompt", sessionId="s")) for number in range(count)]


def _info(**fields: Any) -> tuple[str, Any]:
    return "agent", update("s", "session_info_update", **fields)


_SCENARIOS: dict[str, Callable[[int], _Frames]] = {
    "prompts that stay open, then cancels": lambda n: [*_prompts(n), *[("client", _CANCEL)] * n],
    "cancels of one request": lambda n: [
        *_prompts(1),
        *[("client", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 0}})] * n,
    ],
    "permissions that stay open, then cancels": lambda n: [
        *_prompts(1),
        *[("agent", request(number, "session/request_permission", sessionId="s")) for number in range(n)],
        *[("client", _CANCEL)] * n,
    ],
    "metadata that grows": lambda n: [_info(_meta={f"k{number}": number}) for number in range(n)],
    "metadata that grows below": lambda n: [_info(_meta={"a": {"b": {f"k{m}": m}}}) for m in range(n)],
    "sets that stay open, then updates": lambda n: [
        *[
            ("client", request(m, "session/set_config_option", sessionId="s", configId="m", value=str(m)))
            for m in range(n)
        ],
        *[("agent", update("s", "config_option_update", configOptions=[_OPTION]))] * n,
    ],
    "prompts answered newest first": lambda n: [
        *_prompts(n),
        *[("agent", result(number, stopReason="end_turn")) for number in reversed(range(n))],
    ],
    "an id used again and again": lambda n: [
        *[("client", request(1, "_x"))] * n,
        *[("agent", result(1))] * n,
    ],
    "late updates after many turns": lambda n: [
        *_prompts(n),
        *[("agent", result(number, stopReason="end_turn")) for number in range(n)],
        *[("agent", update("s", "agent_message_chunk"))] * n,
    ],
}


def _steps(frames: _Frames) -> int:
    """Lines of Python that the analysis of these frames executes."""
    data = trace(*frames)
    return executed_lines(lambda: analyzed(data))


@pytest.mark.parametrize("scenario", _SCENARIOS)
def test_twice_as_much_takes_twice_as_long(scenario: str) -> None:
    """Four times the frames take no more than six times the steps (sixteen, were it quadratic)."""
    small, large = _SCENARIOS[scenario](100), _SCENARIOS[scenario](400)
    assert _steps(large) < 6 * _steps(small)
