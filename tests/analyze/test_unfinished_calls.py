"""When a tool call is over that never said so: it does not run until the trace ends."""

from __future__ import annotations

from acp_trace.analyze.facts import Facts, ToolCall
from acp_trace.analyze.tool_span import span
from tests.reading.talk import Said, call, opened, prompt, reply, stop, up, words
from tests.support import facts_of

_MS = 1_000  # the time from one frame to the next, ns


def _begun(status: str = "in_progress") -> Said:
    return up("tool_call", toolCallId="c", title="Edit", status=status)


def _asked(id_: int, option: str) -> list[Said]:
    options = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_once", "reject_once")]
    return [
        call(id_, "session/request_permission", sessionId="s", toolCall={"toolCallId": "c"}, options=options),
        reply(id_, outcome={"outcome": "selected", "optionId": option}),
    ]


def _spans(found: Facts) -> list[tuple[int | None, int | None]]:
    return [span(each) for each in found.tool_calls]


def _one(found: Facts) -> ToolCall:
    (made,) = found.tool_calls
    return made


def test_a_call_is_over_with_its_turn() -> None:
    """codex-acp leaves calls `in_progress`; what comes in later turns is not their time."""
    found = facts_of(*opened(), prompt(1), _begun(), words(), stop(1), prompt(2), words(), stop(2))
    assert _spans(found) == [(4 * _MS, 2 * _MS)]
    assert (_one(found).duration_ns, _one(found).ended_frame) == (None, None)


def test_a_call_goes_on_in_a_turn_that_is_open() -> None:
    """Nothing is known of its end."""
    assert _spans(facts_of(*opened(), prompt(1), _begun(), words())) == [(4 * _MS, None)]


def test_an_update_after_the_turn_is_its_call_s() -> None:
    """It went on in the background; a later turn may say so too."""
    later = up("tool_call_update", toolCallId="c", status="in_progress")
    found = facts_of(*opened(), prompt(1), _begun(), stop(1), later, prompt(2), words(), later, stop(2))
    assert _spans(found) == [(4 * _MS, 5 * _MS)]


def test_a_refused_call_is_over_with_the_answer() -> None:
    """The agent does not say that it ended, and goes on writing."""
    found = facts_of(*opened(), prompt(1), _begun(), *_asked(9, "reject_once"), words(), words(), stop(1))
    assert _spans(found) == [(4 * _MS, 2 * _MS)]
    (turn,) = found.turns
    assert turn.tools_ns == 1 * _MS, "from its begin until the question"


def test_a_call_that_is_allowed_after_a_refusal_goes_on() -> None:
    """Only the last answer counts."""
    asked = [*_asked(8, "reject_once"), *_asked(9, "allow_once")]
    found = facts_of(*opened(), prompt(1), _begun(), *asked, words(), stop(1))
    assert _spans(found) == [(4 * _MS, 6 * _MS)]


def test_an_id_that_is_used_again_is_another_call() -> None:
    """The example agent of the TypeScript SDK numbers its calls anew in each turn."""
    again = (
        up("tool_call", toolCallId="c", status="pending"),
        up("tool_call_update", toolCallId="c", status="completed"),
    )
    found = facts_of(
        *opened(),
        prompt(1),
        _begun("pending"),
        *_asked(9, "reject_once"),
        stop(1),
        prompt(2),
        *again,
        stop(2),
    )
    assert _spans(found) == [(4 * _MS, 2 * _MS), (9 * _MS, 1 * _MS)]


def test_an_ended_call_is_over_where_it_ended() -> None:
    """Also if nothing says when it began."""
    found = facts_of(*opened(), prompt(1), up("tool_call", toolCallId="c", status="completed"), stop(1))
    assert (_one(found).over_ns, _one(found).duration_ns) == (4 * _MS, None)
