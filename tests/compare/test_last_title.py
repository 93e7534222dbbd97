"""A session's title that comes between two turns, or behind the last: whether it comes by then is chance."""

from __future__ import annotations

import pytest

from tests.compare.conversation import codes, compared
from tests.reading.talk import Said, prompt, stop, up
from tests.replay.lines import START, chunk
from tests.support import trace

_TURN = [prompt(1), chunk(), stop(1)]


def _title(title: str) -> Said:
    return up("session_info_update", title=title)


def _trace(first: str, last: str = "", *, late: bool = True) -> bytes:
    """Two turns, each of which gives the session a title; the last one behind the turn if `late`."""
    titled = [_title(last)] if last else []
    turns = [prompt(1), chunk(), stop(1), _title(first), prompt(2), chunk()]
    return trace(*START, *turns, *([stop(2), *titled] if late else [*titled, stop(2)]))


@pytest.mark.parametrize(
    ("expected", "actual", "told"),
    [
        (_trace("Read", "Plan"), _trace("Read"), []),  # claude-agent-acp against itself
        (_trace("Read"), _trace("Read", "Plan"), []),
        (_trace("Read", "Plan"), _trace("Read", "Count"), ["content-differs"]),
        (_trace("Read"), _trace("Plan"), ["content-differs"]),
        (_trace("Read", "Plan", late=False), _trace("Read"), ["content-differs"]),
        (trace(*START, *_TURN, *_TURN, _title("Read")), _trace("Plan"), []),
        (trace(*START, _title("Read"), *_TURN, *_TURN), _trace("Plan"), ["content-differs"]),
    ],
)
def test_a_title_behind_the_last_turn(expected: bytes, actual: bytes, told: list[str]) -> None:
    """It is compared if both traces have one there, or neither has."""
    assert codes(compared(expected, actual, "content")) == told


@pytest.mark.parametrize(("first", "told"), [("Read", []), ("Plan", ["content-differs"])])
def test_a_title_that_only_one_trace_has_there(first: str, told: list[str]) -> None:
    """Between two turns, and only in one trace; what was said before is compared."""
    turns = [*START, *_TURN, _title(first), *_TURN]
    found = compared(trace(*turns, *_TURN), trace(*turns, _title("Count"), *_TURN), "content")
    assert codes(found) == []
    other = trace(*START, *_TURN, _title("Read"), *_TURN, _title("Count"), *_TURN)
    assert codes(compared(trace(*turns, *_TURN), other, "content")) == told
