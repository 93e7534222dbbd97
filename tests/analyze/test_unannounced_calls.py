"""Tool calls that nothing announces before they end: gemini-cli's commands. Whose time that is."""

from __future__ import annotations

import pytest

from acp_trace.analyze.budgets.metrics import METRICS
from acp_trace.analyze.facts import Turn
from acp_trace.analyze.tool_span import span
from tests.analyze.model_side import MS, Timed, called, facts
from tests.reading.talk import call, chosen, permit, prompt, reply, stop, up
from tests.support import REPOSITORY, analyzed

_DONE = up("tool_call", toolCallId="c", title="ls", status="completed")
_REFUSED = ("client", {"jsonrpc": "2.0", "id": 3, "result": {"outcome": {"outcome": "cancelled"}}})


def _shares(turn: Turn) -> list[float]:
    """Of a turn of 100 ms: tool, own, unknown."""
    return [(getattr(turn, f"{name}_ns") or 0) / MS for name in ("tool", "own", "unknown")]


def _turn(*events: Timed) -> Turn:
    (turn,) = facts((100, prompt(1)), *called(1, 110, 120), *events, (200, stop(1))).turns
    return turn


def test_the_command_of_a_real_gemini_is_no_time_of_its_own() -> None:
    """It asked (#13), was allowed (#14), ran the command, and announced it when it was done (#15)."""
    found, _ = analyzed((REPOSITORY / "sample_traces/gemini-model.jsonl").read_bytes())
    command, read = found.tool_calls
    answered = next(one for one in found.permissions)
    assert answered.t_ns is not None
    assert answered.wait_ns is not None
    assert command.t_ns is not None
    assert command.began_ns == answered.t_ns + answered.wait_ns
    assert command.duration_ns == command.t_ns - command.began_ns
    assert span(command) == (command.began_ns, command.duration_ns)
    assert read.began_ns == read.t_ns
    first = found.turns[0]
    assert (first.tool_ns, first.unknown_ns) == (command.duration_ns, 0)
    assert [(first.tool_ns or 0) // MS, (first.own_ns or 0) // MS] == [129, 271]
    assert [sample.value for sample in METRICS["tool_call.duration"].samples(found)] == [
        command.duration_ns,
        read.duration_ns,
    ]


def test_one_that_was_allowed_began_at_the_answer() -> None:
    """Until it is announced, a tool runs; before the question, the agent works."""
    assert _shares(_turn((130, permit(3)), (150, chosen(3)), (190, _DONE))) == [40, 30, 0]


def test_one_that_was_refused_did_not_run() -> None:
    """What the agent does then is its own."""
    assert _shares(_turn((130, permit(3)), (150, _REFUSED), (190, _DONE))) == [0, 70, 0]


@pytest.mark.parametrize(
    ("before", "shares"),
    [
        pytest.param([], [0, 10, 80], id="since the prompt"),
        pytest.param([(150, up("agent_message_chunk", content={"type": "text", "text": "a"}))], [0, 50, 40],
                     id="since it wrote"),
        pytest.param([(150, up("usage_update", used=1, size=2))], [0, 10, 80], id="what says nothing of work"),
        pytest.param([(140, call(7, "fs/read_text_file", sessionId="s", path="/a")), (160, reply(7, content="x"))],
                     [0, 40, 30], id="since the client answered"),
        pytest.param([(140, permit(3))], [0, 0, 30], id="while the client is asked"),
    ],
)  # fmt: skip
def test_nobody_knows_when_another_began(before: list[Timed], shares: list[float]) -> None:
    """It may have run since the agent last showed something: that time is not the agent's own."""
    turn = _turn(*before, (190, _DONE))
    assert _shares(turn) == shares
    assert (
        sum(getattr(turn, f"{part}_ns") for part in ("model", "tool", "client", "own", "unknown")) == 100 * MS
    )


def test_a_time_that_is_not_known_is_no_sample() -> None:
    """`check` measures what is known; the call is over, so it does not count as one that never ended."""
    found = facts((100, prompt(1)), (190, _DONE), (200, stop(1)))
    (tool,) = found.tool_calls
    assert (tool.duration_ns, tool.began_ns, tool.ended_frame) == (None, None, tool.frame)
    assert span(tool) == (tool.t_ns, 0)
    assert not list(METRICS["tool_call.duration"].samples(found))


def test_a_permission_of_another_turn_says_nothing() -> None:
    """The same id in a later turn is another call."""
    found = facts(
        (100, prompt(1)), (110, permit(3)), (120, chosen(3)), (130, _DONE), (140, stop(1)),
        (150, prompt(2)), (190, up("tool_call", toolCallId="c", status="completed")), (200, stop(2)),
    )  # fmt: skip
    assert [tool.duration_ns for tool in found.tool_calls] == [10 * MS, None]
