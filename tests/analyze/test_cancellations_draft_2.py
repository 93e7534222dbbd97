"""Cancelling in draft 2, where an idle state settles a turn (docs/report.md, Cancellation)."""

from __future__ import annotations

from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, answer, cancel, prompt, tell, up, words
from tests.support import facts_of

_DRAFT: list[Said] = [*start(2), prompt(1), answer(1, messageId="m")]


def _idle(reason: str | None = "cancelled") -> Said:
    return up("state_update", state="idle", stopReason=reason)


def test_the_idle_state_settles() -> None:
    """The response says that the prompt was inserted; a second idle state says nothing new."""
    found = facts_of(*_DRAFT, words(), cancel(), words(), _idle(), _idle()).cancellations
    (one,) = found
    assert (one.target_frame, one.outcome, one.settled_frame, one.settle_ns) == (5, "cancelled", 10, 2000)
    assert (one.quiesce_ns, one.updates_after_cancel) == (1000, 1)


def test_the_answer_does_not_matter() -> None:
    """Whether it comes before the cancel or after it."""
    (one,) = facts_of(
        *start(2), prompt(1), cancel(), answer(1, messageId="m"), _idle("end_turn")
    ).cancellations
    assert (one.outcome, one.settled_frame) == ("completed", 8)
    assert facts_of(*start(2), prompt(1), cancel(), answer(1)).cancellations[0].outcome == "unanswered"


def test_one_idle_state_settles_all_turns() -> None:
    """Two prompts of one session, one cancel, two entries."""
    found = facts_of(*_DRAFT, prompt(2), answer(2), cancel(), _idle()).cancellations
    assert [(one.target_frame, one.settled_frame) for one in found] == [(5, 10), (7, 10)]


def test_an_idle_state_that_ends_nothing_is_no_cancel() -> None:
    """A snapshot may repeat the last stop reason."""
    assert facts_of(*start(2), _idle(), prompt(1), answer(1), _idle("end_turn"), _idle()).cancellations == []


def test_a_prompt_whose_turn_is_over_may_still_wait_for_its_answer() -> None:
    """A $/cancel_request then aims at the request and not at its turn; the answer settles it."""
    drop = tell("client", "$/cancel_request", requestId=1)
    found = facts_of(
        *start(2), prompt(1), _idle("end_turn"), drop, words(), answer(1, messageId="m")
    ).cancellations
    (one,) = found
    assert (one.target_frame, one.outcome, one.settled_frame, one.settle_ns) == (5, "completed", 9, 2000)
    assert (one.updates_after_cancel, one.quiesce_ns) == (0, None)
