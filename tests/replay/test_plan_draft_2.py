"""docs/replay.md, What is sent when, in draft 2: turns settle by an idle state."""

from __future__ import annotations

from tests.reading.talk import answer, ask, cancel, hello, opened, prompt, stop
from tests.replay.lines import (
    chunk,
    may,
    picks,
    state,
)
from tests.replay.playbook import Playbook, recorded


def test_draft_2_a_turn_settles_by_an_idle_state() -> None:
    """The next prompt waits for it, not for the response, which only says that the prompt was taken."""
    start = [*hello(2), *opened()]
    run = state("running"), chunk(), state("idle", stopReason="end_turn")
    of = recorded(*start, prompt(1), answer(1, messageId="m"), *run, prompt(2), answer(2), *run)
    with Playbook(of) as book:
        book(*start, prompt(1), answer(1, messageId="n"), state("running"), chunk()).silent().later(
            30
        ).silent()
        book(state("idle"), prompt(2), answer(2), *run)


def test_draft_2_a_cancel_is_skipped_when_the_turn_is_idle() -> None:
    """That is when it is over; the response came long before."""
    start = [*hello(2), *opened()]
    of = recorded(*start, prompt(1), answer(1), state("running"), chunk(), cancel(),
                  state("idle", stopReason="cancelled"))  # fmt: skip
    with Playbook(of) as book:
        book(*start, prompt(1), answer(1), state("running")).silent()
        book(chunk(), cancel(), state("idle", stopReason="cancelled"))
    with Playbook(of) as book:
        book(*start, prompt(1), answer(1), state("running"), state("idle"))
        book.noticed("step-skipped")


def test_draft_2_an_answer_is_dropped_when_the_turn_is_idle() -> None:
    """As in protocol 1 with the response."""
    start = [*hello(2), *opened()]
    of = recorded(*start, prompt(1), answer(1), may(7), picks(7), state("idle"), prompt(2), answer(2),
                  state("idle"))  # fmt: skip
    with Playbook(of) as book:
        book(*start, prompt(1), answer(1)).silent()(state("idle"), prompt(2), answer(2), state("idle"))
        book.noticed("answer-unused")


def test_draft_2_an_idle_state_settles_all_prompts_of_its_session() -> None:
    """Those that were queued as well (docs/report.md, Turn)."""
    start = [*hello(2), *opened()]
    both = prompt(1), answer(1), prompt(2), answer(2)
    of = recorded(*start, *both, state("idle"), prompt(3), answer(3), state("idle"))
    with Playbook(of) as book:
        book(*start, *both).silent()(state("idle"), prompt(3), answer(3), state("idle"))


def test_an_agent_that_went_back_to_protocol_1_still_settles_its_turns() -> None:
    """A stop reason in the response says that nothing more comes."""
    start = [*hello(2), *opened()]
    of = recorded(*start, prompt(1), answer(1), may(7), picks(7), state("idle"), prompt(2), answer(2),
                  state("idle"))  # fmt: skip
    with Playbook(of) as book:
        book(*hello(2)[:1], answer("i", protocolVersion=1), *opened(), prompt(1), stop(1))
        book.later(1.1)(prompt(2), stop(2)).later(1.1)
        book.noticed("answer-unused")


def test_draft_2_a_turn_may_be_idle_before_its_response() -> None:
    """Both are waited for, each for itself."""
    start = [*hello(2), *opened()]
    of = recorded(*start, prompt(1), state("idle"), ask(2, "session/list"), answer(1), answer(2), prompt(3),
                  state("idle"), answer(3))  # fmt: skip
    with Playbook(of) as book:
        book(*start, prompt(1)).silent()(state("idle"), ask(2, "session/list"), answer(2)).silent()
        book(answer(1), prompt(3), state("idle"), answer(3))


def test_draft_2_the_past_settles_no_turn() -> None:
    """An idle state that is told again while a session is resumed is an old one."""
    start = [*hello(2), *opened()]
    again = ask(2, "session/resume", sessionId="s", replayFrom={"type": "start"})
    of = recorded(*start, prompt(1), answer(1), again, state("idle"), answer(2), cancel(), state("idle"))
    with Playbook(of) as book:
        book(*start, prompt(1), answer(1), again, state("idle"), answer(2), cancel(), state("idle"))
