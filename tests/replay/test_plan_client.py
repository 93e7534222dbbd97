"""docs/replay.md, What is sent when: when the played client says what, and when it does not."""

from __future__ import annotations

from tests.reading.talk import answer, ask, cancel, hello, opened, prompt, refuse, reply, stop, tell
from tests.replay.lines import (
    START,
    chunk,
    commands,
    gone,
    info,
    may,
    now,
    picks,
    reads,
    thought,
    tool,
    unask,
)
from tests.replay.playbook import Playbook, recorded


def test_a_response_waits_for_the_request_that_it_answers() -> None:
    """An extra chunk, or any other message, never triggers an answer before it is asked."""
    of = recorded(*START, prompt(1), chunk(), reads(7, "/w/a"), reply(7, content="A"), chunk(), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), chunk("more"), thought(), chunk()).silent()
        book(reads(7, "/w/a"), reply(7, content="A"), stop(1))


def test_a_response_waits_for_own_messages_before_it() -> None:
    """What was said before the answer is said before it again, though the request came earlier."""
    of = recorded(*START, prompt(1), may(7), cancel(), gone(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), may(7), cancel(), gone(7)).silent()
        book(stop(1, "cancelled"))


def test_two_requests_asked_in_another_order_do_not_deadlock() -> None:
    """A response does not wait for other responses."""
    a, b = reads(7, "/w/a"), reads(8, "/w/b")
    of = recorded(*START, prompt(1), a, reply(7, content="A"), b, reply(8, content="B"), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), reads(0, "/w/b"), reply(0, content="B"))
        book(reads(1, "/w/a"), reply(1, content="A"), stop(1))


def test_two_permissions_at_once_in_another_order() -> None:
    """Each gets the answer of its own tool's kind."""
    calls = tool("c", "edit"), tool("d", "execute")
    of = recorded(*START, prompt(1), *calls, may(7, "c"), may(8, "d"), picks(7), picks(8, "no"), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), *calls, may(0, "d"), picks(0, "no"), may(1, "c"), picks(1), stop(1))


def test_an_answer_that_is_not_needed_is_dropped_when_its_turn_settled() -> None:
    """The next prompt does not wait for a request that did not come."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk()).silent()
        book(stop(1), prompt(2), stop(2))
        (one,) = book.noticed("answer-unused")
        assert "fs/read_text_file" in one.message


def test_an_answer_is_dropped_when_its_own_turn_settled_though_another_goes_on() -> None:
    """The turn of another session has nothing to do with it, and may wait for the step behind."""
    of = recorded(
        *[*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b"), chunk(session="b")],
        *[may(7, session="a"), picks(7), stop(1), cancel("b"), stop(2, "cancelled")],
    )
    with Playbook(of) as book:
        book(*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b"), chunk(session="b"))
        book.silent()(stop(1), cancel("b"), stop(2, "cancelled"))
        book.noticed("answer-unused")


def test_an_answer_is_dropped_though_something_else_never_was_answered() -> None:
    """A request that the agent ignored when it was recorded holds nothing up."""
    odd = ask(0, "_vendor/hello", sessionId="s")
    of = recorded(*START, odd, prompt(1), may(7), picks(7), stop(1), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, odd, prompt(1)).silent()(stop(1), prompt(2), stop(2))
        book.noticed("answer-unused")


def test_an_answer_is_dropped_though_a_step_of_its_turn_was_skipped() -> None:
    """What was never sent is not waited for."""
    skipped = ask(5, "tool_call/cancel", sessionId="s", toolCallId="c")
    of = recorded(
        *[*START, prompt(1), tool("c"), skipped, may(7, "c"), answer(5), gone(7), stop(1, "cancelled")],
        *[prompt(2), stop(2)],
    )
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(stop(1), prompt(2), stop(2))
        book.noticed("answer-unused", "step-skipped")


def test_responses_that_own_side_had_got_by_then_are_waited_for() -> None:
    """And those that it had not got are not: both prompts were open at once."""
    of = recorded(*START, ask(1, "session/list"), prompt(2), answer(1, sessions=[]), cancel(), stop(2))
    with Playbook(of) as book:
        book(*START, ask(1, "session/list"), prompt(2)).silent()
        book(answer(1, sessions=[]), cancel(), stop(2))


def test_an_error_in_place_of_a_result_is_a_response() -> None:
    """The conversation goes on; what differs is for the comparison to say."""
    of = recorded(*START, prompt(1), stop(1), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), refuse(1, -32603), prompt(2), stop(2))


def test_a_result_in_place_of_an_error_is_a_response() -> None:
    """The other way round."""
    of = recorded(*START, prompt(1), refuse(1, -32603), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), prompt(2), stop(2))


def test_updates_just_before_a_step_are_waited_for_a_while() -> None:
    """They make no request necessary, so that an agent that has none to send does not hang a replay."""
    of = recorded(*START, commands(), prompt(1), stop(1))
    with Playbook(of) as book:
        book(*START).silent()(commands(), prompt(1), stop(1))
    with Playbook(of) as book:
        book(*START).silent().later(0.9).silent().later(0.2)
        book(prompt(1), stop(1))


def test_an_update_that_came_earlier_than_recorded_is_not_waited_for() -> None:
    """Before the response, or before own side's message: as many as there were by then are enough."""
    of = recorded(*hello(), *opened(), ask(5, "session/list"), commands(), answer(5, sessions=[]), info(),
                  prompt(1), stop(1))  # fmt: skip
    with Playbook(of) as book:
        new, made = opened()
        book(*hello(), new, made, ask(5, "session/list"), info(), commands(), answer(5, sessions=[]))
        book(prompt(1), stop(1))


def test_a_cancel_waits_for_the_first_message_not_for_a_count_of_chunks() -> None:
    """One chunk fewer does not hang, one more changes nothing."""
    of = recorded(*START, prompt(1), chunk("a"), chunk("b"), chunk("c"), cancel(), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(chunk("all"), cancel(), stop(1, "cancelled"))


def test_a_cancel_waits_for_the_first_thought_and_the_first_message() -> None:
    """Both, in any order."""
    of = recorded(*START, prompt(1), thought(), chunk(), cancel(), stop(1, "cancelled"))
    for one, other in ((thought(), chunk()), (chunk(), thought())):
        with Playbook(of) as book:
            book(*START, prompt(1), one, one).silent()(other, cancel(), stop(1, "cancelled"))


def test_a_cancel_waits_for_the_nth_tool_call_with_its_status() -> None:
    """Of two calls, one was over and one under way: which of them does not matter."""
    seen = tool("c"), now("c", "in_progress"), tool("d"), now("c", "completed"), now("d", "in_progress")
    of = recorded(*START, prompt(1), *seen, cancel(), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool("x"), now("x", "in_progress"), now("x", "completed")).silent()
        book(now("x", "completed"), tool("y")).silent()
        book(now("y", "in_progress"), cancel(), stop(1, "cancelled"))


def test_a_cancel_waits_for_a_permission_request() -> None:
    """And the permission is answered after it, as it was."""
    of = recorded(*START, prompt(1), tool(), may(7), cancel(), gone(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool(), chunk()).silent()
        book(may(0), cancel(), gone(0), stop(1, "cancelled"))


def test_a_set_mode_in_a_turn_waits_for_what_had_been_seen() -> None:
    """Any request of the turn does."""
    mode = ask(2, "session/set_mode", sessionId="s", modeId="code")
    of = recorded(*START, prompt(1), chunk(), mode, answer(2), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(chunk(), mode, answer(2), stop(1))


def test_what_was_seen_of_another_session_is_not_waited_for() -> None:
    """A step belongs to the turn of its own session."""
    of = recorded(
        *[*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b"), chunk(session="a")],
        *[cancel("b"), stop(2, "cancelled"), stop(1)],
    )
    with Playbook(of) as book:
        book(*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b"), cancel("b"))
        book(chunk(session="a"), stop(2, "cancelled"), stop(1))


def test_a_cancel_is_skipped_when_the_turn_is_over_before() -> None:
    """It would hit nothing, or the next turn."""
    of = recorded(*START, prompt(1), chunk(), cancel(), stop(1, "cancelled"), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), prompt(2), stop(2))
        (one,) = book.noticed("step-skipped")
        assert (
            one.message
            == "session/cancel was not sent: session/prompt (#5 of the recording) was already over"
        )


def test_a_set_mode_is_sent_late_when_the_turn_is_over_before() -> None:
    """It makes sense outside of a turn as well; the next steps rely on it."""
    mode = ask(2, "session/set_mode", sessionId="s", modeId="code")
    of = recorded(*START, prompt(1), chunk(), mode, answer(2), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), mode, answer(2))
        book.noticed("step-late")


def test_a_request_is_taken_back_only_while_it_is_open() -> None:
    """`$/cancel_request` aims at a request, not at a turn."""
    of = recorded(*START, prompt(1), chunk(), unask("client", 1), refuse(1, -32800), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(chunk(), unask("client", 1), refuse(1, -32800), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), prompt(2), stop(2))
        book.noticed("step-skipped")


def test_a_second_prompt_in_a_turn_waits_for_what_had_been_seen() -> None:
    """Clients that steer send one while another goes on."""
    of = recorded(*START, prompt(1), chunk(), prompt(2), stop(1), chunk(), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(chunk(), prompt(2), stop(1), chunk(), stop(2))


def test_the_end_waits_for_all_that_came() -> None:
    """A replay is not over before the last response, or before what was seen of a turn that stayed open."""
    of = recorded(*START, prompt(1), thought(), chunk(), end=False)
    with Playbook(of) as book:
        book(*START, prompt(1), thought()).silent()(chunk())
    with Playbook(recorded(*START, tell("client", "_x"))) as book:
        book(*START, tell("client", "_x"))


def whole_at(book: Playbook) -> int | None:
    """With which line of the agent all was there."""
    return book.conversation.whole_at


def test_when_all_is_there_that_was_recorded() -> None:
    """With the last response, and with the last update that came behind it. It may never be."""
    of = recorded(*START, prompt(1), chunk(), stop(1), info())
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), chunk(), stop(1))
        assert whole_at(book) is None
        book(info(), chunk("P.S."), info())
        assert whole_at(book) == 6
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), stop(1), chunk("P.S.")).later(2)
        assert whole_at(book) is None
