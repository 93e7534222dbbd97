"""How long tool calls took, in words."""

from __future__ import annotations

import pytest

from acp_trace.report.tool_times import ToolTimes
from tests.reading.talk import Said, chosen, hello, opened, permit, prompt, stop, up
from tests.support import facts_of

_ENDED = up("tool_call_update", toolCallId="c", status="completed")
_BEGUN = up("tool_call", toolCallId="c", title="T", status="pending")


@pytest.mark.parametrize(
    ("said", "took"),
    [
        pytest.param([_BEGUN, _ENDED], "1 µs", id="announced and over"),
        pytest.param(
            [_BEGUN, permit(2), up("plan", entries=[]), chosen(2, optionId="y"), _ENDED],
            "4 µs, of which 2 µs waiting for permission",
            id="waited",
        ),
        pytest.param(
            [permit(2), chosen(2, optionId="y"), up("tool_call", toolCallId="c", status="completed")],
            "1 µs, from its permission's answer: not announced before it ended",
            id="only named at its end",
        ),
        pytest.param(
            [up("tool_call", toolCallId="c", status="completed")],
            "not announced before it ran: its time is not known",
            id="nobody was asked",
        ),
        pytest.param([_BEGUN], "never ended", id="open"),
    ],
)
def test_a_duration_says_what_it_means(said: list[Said], took: str) -> None:
    """A wait for a permission is part of it; a call that nobody announced has no time."""
    facts = facts_of(*hello(), *opened(), prompt(1), *said, stop(1))
    (call,) = facts.tool_calls
    assert ToolTimes(facts.permissions, facts.trace.duration_ns).of(call) == took
