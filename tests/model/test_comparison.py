"""The calls of two traces: which stand for which, and what differs."""

from __future__ import annotations

from typing import Any

from acp_trace.model.comparison import CallComparison, compare_calls
from acp_trace.normalize.moved_places import MovedPlaces
from tests.model.test_changes import HELLO, RESULT, RUN, USER, body, calls, tool

NOTE = {"role": "user", "content": "Context: linux, bash, a directory"}
STOP = {"role": "user", "content": "Stop it now."}


def _compared(expected: list[dict[str, Any]], actual: list[dict[str, Any]]) -> CallComparison:
    return compare_calls(calls(*expected), calls(*actual), MovedPlaces())


def _pairs(
    expected: list[dict[str, Any]], actual: list[dict[str, Any]]
) -> list[tuple[int | None, int | None]]:
    found = _compared(expected, actual)
    return [
        (pair.recorded.call if pair.recorded else None, pair.actual.call if pair.actual else None)
        for pair in found.pairs
    ]


def test_a_message_more_in_each_call_is_one_change() -> None:
    """No call stands at the same point of the conversation then: they are paired by what they say."""
    conversation = [(USER,), (USER, RUN, RESULT), (USER, RUN, RESULT, HELLO, STOP)]
    expected = [body(*messages) for messages in conversation]
    actual = [body(NOTE, *messages) for messages in conversation]
    found = _compared(expected, actual)
    assert [(change.code, change.where, change.message) for change in found.changes] == [
        ("model-prompt-changed", "calls 1–3", f"message 1 (user) added: {NOTE['content']}")
    ]


def test_calls_of_two_kinds_are_not_compared() -> None:
    """A title that is no longer asked for is missing, and a call of another kind is extra."""
    title = body({"role": "user", "content": "A title for this, in three words."}, system="Titles.", tools=[])
    assert _pairs([title, body(USER)], [body(USER)]) == [(2, 1), (1, None)]
    assert _pairs([title], [body(NOTE)]) == [(None, 1), (1, None)]
    memory = body(NOTE, USER, HELLO, {"role": "user", "content": "What of this is worth keeping?"})
    assert _pairs([body(USER), body(NOTE, STOP)], [memory, body(USER)]) == [(None, 1), (1, 2), (2, None)]
    other = body({"role": "user", "content": "Sum up what was done so far"}, system="Sum up.", tools=[])
    assert _pairs([title], [other]) == [(None, 1), (1, None)]


def test_calls_of_two_sessions_are_not_compared() -> None:
    """Even if they end with the same words: a side request in one session is none in another."""
    keep = {"role": "user", "content": "What of this is worth keeping?"}
    sides = calls(body(NOTE, USER, HELLO, keep)), calls(body(STOP, keep))
    (pair,) = compare_calls(*sides, MovedPlaces(), sessions=({1: 0}, {1: 0})).pairs
    assert (pair.level, pair.actual) == (None, sides[1][0])
    assert len(compare_calls(*sides, MovedPlaces(), sessions=({1: 0}, {1: 1})).pairs) == 2


def test_of_calls_that_are_left_over_the_order_is_kept() -> None:
    """Of one kind, whatever else lies between; one that has no partner stands alone."""
    tools = [tool("bash"), tool("read")]
    expected = [body(NOTE, USER, tools=tools), body(NOTE, USER, HELLO, STOP, tools=tools)]
    actual = [body(STOP, USER, HELLO, USER, HELLO, STOP, tools=tools)]
    assert _pairs(expected, actual) == [(2, 1), (1, None)]


def test_directories_that_moved_are_no_difference() -> None:
    """Nor is another day; a directory that has not moved is one."""
    sides = [
        calls(body(system=f"In {home}/w on {day}. Config in {home}/c. Shell in {shell}."))
        for home, day, shell in (
            ("/home/ann", "2026-11-20", "/bin"),
            ("/root/x/bob", "2026-11-23", "/bin"),
            ("/root/x/bob", "2026-11-23", "/usr/bin"),
        )
    ]
    places = MovedPlaces.of([("/home/ann", "/root/x/bob")])
    assert compare_calls(sides[0], sides[1], places).changes == []
    (change,) = compare_calls(sides[0], sides[2], places).changes
    assert change.message == "system prompt: 1 line changed"


def test_what_tools_and_models_said_stands_apart() -> None:
    """Another answer and another size are no news of the agent; a prompt that is added is one."""
    was, now = (
        {**RESULT, "content": f"total {size}, id {id}"} for size, id in ((4, "a1b2c3"), (12, "99d0ff"))
    )
    said = {**HELLO, "content": "Good day."}
    found = _compared([body(USER, RUN, was, HELLO, STOP)], [body(USER, RUN, now, said, STOP)])
    assert found.changes == []
    assert [change.message for change in found.others] == [
        "message 3 (tool): tool result: 1 line changed",
        "message 4 (assistant): 1 line changed",
    ]
    (change,) = _compared([body(USER, HELLO, STOP)], [body(USER, HELLO, NOTE, STOP)]).changes
    assert change.message.startswith("message 3 (user) added: ")


def test_what_an_agent_adds_to_a_result_is_its_own() -> None:
    """If the model asked for the same; if it asked for something else, tools give something else."""
    timed = {**RESULT, "content": f"Wall time: 0.04 seconds\n{RESULT['content']}"}
    (change,) = _compared([body(USER, RUN, RESULT)], [body(USER, RUN, timed)]).changes
    assert change.message == "message 3 (tool): tool result: 1 line added"
    function = {"name": "bash", "arguments": '{"command":"ls -l"}'}
    other = {**RUN, "tool_calls": [{"id": "c-1", "function": function}]}
    found = _compared([body(USER, RUN, RESULT, STOP)], [body(USER, other, timed, STOP)])
    assert (found.changes, len(found.others)) == ([], 2)


def test_one_call() -> None:
    """Only the pair of that call is compared."""
    expected = calls(body(USER), body(USER, HELLO, STOP))
    actual = calls(body(USER), body(USER, HELLO, STOP, model="m-2"))
    assert compare_calls(expected, actual, MovedPlaces(), 1).changes == []
    (change,) = compare_calls(expected, actual, MovedPlaces(), 2).changes
    assert (change.message, change.where) == ("model: m-1 → m-2", "call 2")
    assert compare_calls(expected, actual, MovedPlaces(), 3).pairs == []
