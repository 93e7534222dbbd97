"""Where a turn's time went with its model in sight, and what a cancel did not save of a call."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_trace.analyze.facts import ModelCall
from tests.analyze.model_side import MS, Timed, called, facts, parts
from tests.reading.talk import call, cancel, chosen, permit, prompt, reply, stop, tell, up

_RUNS = up("tool_call", toolCallId="c", title="ls", status="in_progress")
_ENDS = up("tool_call_update", toolCallId="c", status="completed")


def _parts(*events: Timed) -> list[float | None]:
    """Of a turn of 100 ms."""
    (turn,) = facts((100, prompt(1)), *events, (200, stop(1))).turns
    return parts(turn)


def test_each_moment_belongs_to_one() -> None:
    """Client before model, model before tools, and the rest is the agent's own."""
    read: list[Timed] = [
        (150, call(7, "fs/read_text_file", sessionId="s", path="/a")),
        (160, reply(7, content="x")),
    ]
    assert _parts(*called(1, 110, 130)) == [20, 0, 0, 80]
    assert _parts(*called(1, 110, 130), (120, _RUNS), (170, _ENDS)) == [20, 40, 0, 40]
    assert _parts(*called(1, 110, 130), (120, _RUNS), *read, (170, _ENDS)) == [20, 30, 10, 40]
    assert _parts(*called(1, 110, 180), (120, _RUNS), *read, (170, _ENDS)) == [60, 0, 10, 30]
    assert _parts(*called(1, 110, 120), (130, permit(3)), (170, chosen(3))) == [10, 0, 40, 50]
    command: list[Timed] = [
        (150, call(7, "terminal/wait_for_exit", sessionId="s", terminalId="t")),
        (160, reply(7, exitCode=0)),
    ]
    assert _parts(*called(1, 110, 120), *command) == [10, 10, 0, 80]


def test_what_reaches_out_of_a_turn_is_cut_off() -> None:
    """A call that goes on after the turn, or never ends. One that began before it is not of it."""
    assert _parts(*called(1, 190, 400)) == [10, 0, 0, 90]
    assert _parts(*called(1, 190, None, says=[(195, "a")])) == [10, 0, 0, 90]
    assert _parts(*called(1, 50, 150)) == [0, 0, 0, 100]


def test_waiting_for_a_retry_is_waiting_for_the_model() -> None:
    """The provider told it to wait."""
    assert _parts(*called(1, 110, 112, status=429, error="Slow down"), *called(2, 140, 150)) == [40, 0, 0, 60]


def test_waiting_for_a_retry_that_a_cancel_prevents_is_waiting_for_the_model() -> None:
    """Whoever is told to slow down, and cancelled, did not work. An answer that is whole ends the wait."""
    slow = called(1, 110, 112, status=429, error="Slow down")
    ends: list[Timed] = [(180, cancel()), (200, stop(1, "cancelled"))]
    (turn,) = facts((100, prompt(1)), *slow, *ends).turns
    assert parts(turn) == [70, 0, 0, 30]
    (turn,) = facts((100, prompt(1)), *slow, (200, stop(1, "cancelled"))).turns
    assert parts(turn) == [90, 0, 0, 10]
    (turn,) = facts((100, prompt(1)), *slow, *called(2, 120, 130), *ends).turns
    assert parts(turn) == [20, 0, 0, 80]
    (turn,) = facts((100, prompt(1)), *slow, (200, stop(1))).turns
    assert parts(turn) == [2, 0, 0, 98]


def _beside(*events: Timed) -> tuple[list[bool], list[float | None]]:
    found = facts((100, prompt(1)), *events, (200, stop(1)))
    return [call.beside for call in found.model_calls], parts(found.turns[0])


def test_a_title_made_beside_the_conversation_holds_nothing_up() -> None:
    """It tells of no tools while a call that does is open. Alone, the agent waits for it."""
    assert _beside(*called(1, 110, 190, tools=False), *called(2, 111, 120)) == ([True, False], [9, 0, 0, 91])
    assert _beside(*called(1, 110, 120), *called(2, 115, 190, tools=False)) == ([False, True], [10, 0, 0, 90])
    assert _beside(*called(1, 110, 120), *called(2, 130, 150, tools=False)) == ([False] * 2, [30, 0, 0, 70])
    assert _beside(*called(1, 110, 140, tools=False), *called(2, 120, 150, tools=False)) == (
        [False, False],
        [40, 0, 0, 60],
    )


def test_a_turn_that_never_ends_has_no_parts() -> None:
    """But calls."""
    (turn,) = facts((100, prompt(1)), *called(1, 110, 120)).turns
    assert (parts(turn), turn.model_calls) == ([None] * 4, 1)


_SPAN = st.tuples(st.integers(0, 300), st.integers(0, 120)).map(lambda at: (at[0], at[0] + at[1]))


@settings(max_examples=40)
@given(
    calls=st.lists(st.tuples(_SPAN, st.booleans(), st.booleans()), max_size=5),
    tools=st.lists(_SPAN, max_size=3),
    asked=st.lists(_SPAN, max_size=3),
    ends=st.integers(100, 400),
)
def test_the_parts_add_up(calls: Any, tools: Any, asked: Any, ends: int) -> None:
    """Whatever overlaps what: none is negative, and together they are the turn."""
    events: list[Timed] = called(99, 1, 2)  # without any call, nothing is known
    for number, ((since, until), has_tools, fails) in enumerate(calls, 1):
        error = "Slow" if fails else None
        events += called(number, since, until, tools=has_tools, error=error, status=429 if fails else 200)
    for number, (since, until) in enumerate(tools):
        events.append((since, up("tool_call", toolCallId=f"c{number}", status="in_progress")))
        events.append((until, up("tool_call_update", toolCallId=f"c{number}", status="completed")))
    for number, (since, until) in enumerate(asked):
        events.append((since, permit(number)))
        events.append((until, chosen(number)))
    found = facts((100, prompt("p")), *events, (ends, stop("p")))
    (turn,) = found.turns
    shares = [turn.model_ns, turn.tool_ns, turn.client_ns, turn.own_ns]
    assert all(share is not None and share >= 0 for share in shares)
    assert sum(share or 0 for share in shares) == turn.duration_ns
    assert turn.client_ns == (turn.permissions_ns or 0) + (turn.requests_ns or 0)
    assert len(found.model_calls) == len(calls) + 1


def _cancelled(*events: Timed, at: int = 150) -> ModelCall:
    found = facts((100, prompt(1)), *events, (at, cancel()), (400, stop(1, "cancelled")))
    (only,) = found.model_calls
    return only


def _after(only: ModelCall) -> tuple[int | None, float | None, int | None, int | None]:
    to_end = None if only.cancel_to_end_ns is None else only.cancel_to_end_ns / MS
    return only.cancel_frame, to_end, only.output_after_cancel, only.tokens_after_cancel


def test_what_a_cancel_did_not_save() -> None:
    """The cancel, until the call ended, and what still came. Tokens only of a whole answer."""
    says = [(120, "abcde"), (149, "f"), (160, "gh"), (170, "ij")]
    assert _after(_cancelled(*called(1, 110, 180, says=says, tokens=(9, 5)))) == (6, 30, 4, 2)
    assert _after(_cancelled(*called(1, 110, 180, says=says))) == (6, 30, 4, None)
    assert _after(_cancelled(*called(1, 110, 155, says=says[:2], broken_by="agent"))) == (6, 5, 0, None)
    assert _after(_cancelled(*called(1, 110, 180, tokens=(9, 5)))) == (6, 30, 0, None)
    assert _after(_cancelled(*called(1, 110, None, says=says))) == (6, None, 4, None)


def test_a_call_that_was_over_before_the_cancel_is_not_of_it() -> None:
    """Nor is one that begins later, or one of another turn."""
    assert _after(_cancelled(*called(1, 110, 149))) == (None,) * 4
    assert _after(_cancelled(*called(1, 160, 180))) == (None,) * 4
    found = facts((100, prompt(1)), *called(1, 110, 300), (120, stop(1)), (130, prompt(2)), (140, cancel()))
    assert [_after(call) for call in found.model_calls] == [(None,) * 4]


def test_the_first_of_two_cancels_counts() -> None:
    """Whatever its kind; of several open prompts, that of the call's own turn."""
    taken_back = tell("client", "$/cancel_request", requestId=1)
    only = _cancelled(*called(1, 110, 300), (120, taken_back))
    assert _after(only)[:2] == (6, 180)
