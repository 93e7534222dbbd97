"""docs/replay.md, What is sent when, when the agent is played: what it says to a live client, and when."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reading.talk import answer, ask, cancel, hello, opened, prompt, refuse, reply, stop, tell
from tests.replay.lines import START, chunk, commands, gone, info, may, picks, reads, state, tool, unask
from tests.replay.playbook import Playbook, recorded, timed


def unknown(id: Any, told: str, code: int = -32602) -> Any:
    error = {"code": code, "message": f"acp-trace: the recording has no answer for this {told}"}
    return "agent", {"jsonrpc": "2.0", "id": id, "error": error}


def mode(id: Any, session: str = "s") -> Any:
    return ask(id, "session/set_mode", sessionId=session, modeId="code")


def says(text: str, id: Any) -> Any:
    return ask(id, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": text}])


# -- what it waits for


def test_it_says_nothing_before_the_client_does() -> None:
    """And has all the time: a client may be a person."""
    with Playbook(recorded(*START, commands(), prompt(1), chunk(), stop(1)), "agent") as book:
        book.silent()
        assert book.conversation.deadline is None
        book.later(1000).silent()(*START, commands()).silent()
        assert book.conversation.deadline is None
        book(prompt(1), chunk(), stop(1))


def test_it_waits_for_requests_of_its_session() -> None:
    """What came after a request is said after it, though nothing answers that yet."""
    of = recorded(*START, prompt(1), chunk("1"), mode(2), chunk("2"), answer(2), chunk("3"), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk("1")).silent()
        book(mode(9), chunk("2"), answer(9), chunk("3"), stop(1))


def test_it_waits_for_notifications_of_its_session() -> None:
    """A prompt that was cancelled does not say so before it is."""
    of = recorded(*START, prompt(1), chunk(), cancel(), stop(1, "cancelled"))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk()).silent().later(1.4).silent()
        book(cancel(), stop(1, "cancelled"))


def test_it_waits_for_a_request_that_is_taken_back() -> None:
    """`$/cancel_request` names no session, and belongs to that of its request."""
    of = recorded(*START, prompt(1), chunk(), unask("client", 1), refuse(1, -32800))
    with Playbook(of, "agent") as book:
        book(*START, prompt("p"), chunk()).silent()
        book(unask("client", "p"), refuse("p", -32800))


def test_a_request_that_is_taken_back_too_late_counts() -> None:
    """It was answered in the meantime, which the answer of a prompt is not."""
    of = recorded(*START, mode(1), unask("client", 1), refuse(1, -32800), prompt(2), stop(2))
    with Playbook(of, "agent") as book:
        book(*START, mode(1)).silent().later(1.1)(refuse(1, -32800))
        book(unask("client", 1), prompt(2), stop(2))


def test_it_waits_for_answers_that_it_had_got() -> None:
    """A turn does not end while its permission is open."""
    of = recorded(*START, prompt(1), may(0), picks(0), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), may(0)).silent().later(50).silent()(picks(0), stop(1))


def test_an_answer_that_is_not_the_recorded_one_is_one() -> None:
    """The client chose otherwise, or refused; what differs is for the comparison to say."""
    of = recorded(*START, prompt(1), may(0), picks(0), chunk(), stop(1))
    with Playbook(of, "agent") as book:
        refusal = "client", {"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "no"}}
        book(*START, prompt(1), may(0), refusal, chunk(), stop(1))


def test_two_sessions_may_be_interleaved_otherwise() -> None:
    """Between sessions there is no order."""
    both = [*hello(), *opened("a"), *opened("b")]
    of = recorded(*both, prompt(1, "a"), chunk("1", "a"), prompt(2, "b"), chunk("2", "b"), stop(1), stop(2))
    with Playbook(of, "agent") as book:
        book(*both, prompt(2, "b"), chunk("2", "b"), stop(2), prompt(1, "a"), chunk("1", "a"), stop(1))
    with Playbook(of, "agent") as book:
        a, b = opened("a"), opened("b")
        book(
            *hello(),
            *a,
            prompt(1, "a"),
            chunk("1", "a"),
            stop(1),
            *b,
            prompt(2, "b"),
            chunk("2", "b"),
            stop(2),
        )


def test_two_sessions_that_one_client_opens_one_after_the_other() -> None:
    """The first `session/new` is the first session, whatever comes between."""
    of = recorded(*hello(), *opened("a"), *opened("b"), prompt(1, "a"), stop(1), prompt(2, "b"), stop(2))
    with Playbook(of, "agent") as book:
        book(*hello(), opened("b")[0], answer("new b", sessionId="a"), opened("a")[0])
        book(answer("new a", sessionId="b"), prompt(1, "b"), stop(1), prompt(2, "a"), stop(2))


def test_an_answer_waits_only_for_a_while_for_what_else_the_client_had_said() -> None:
    """A client that had asked two things at once may ask them one after the other."""
    of = recorded(*START, mode(1), ask(2, "session/close", sessionId="s"), answer(1), answer(2))
    with Playbook(of, "agent") as book:
        book(*START, mode(1)).silent().later(1.1)
        book(answer(1), ask(2, "session/close", sessionId="s"), answer(2))


def test_requests_in_another_order_have_their_answers() -> None:
    """Each its own, the second one after a while: it had come after the first."""
    of = recorded(*START, mode(1), answer(1), ask(2, "session/close", sessionId="s"), answer(2))
    with Playbook(of, "agent") as book:
        book(*START, ask(2, "session/close", sessionId="s")).silent().later(1.1)(
            answer(2), mode(1), answer(1)
        )
        book.noticed("stalled")


def test_own_steps_come_before_the_answer() -> None:
    """All that the agent told in the turn is told, whatever the client asks meanwhile."""
    of = recorded(*START, prompt(1), chunk("1"), may(0), picks(0), chunk("2"), info(), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk("1"), may(0)).silent()(picks(0), chunk("2"), info(), stop(1))


def test_an_answer_of_its_client_is_never_given_up() -> None:
    """A mode that was set while a permission was open may be set after it."""
    of = recorded(*START, prompt(1), may(0), mode(2), picks(0), answer(2), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), may(0), picks(0)).silent()(mode(2), answer(2), stop(1))


def test_draft_2_it_settles_turns_by_itself() -> None:
    """The idle state is a step as any other."""
    start = [*hello(2), *opened()]
    of = recorded(*start, prompt(1), answer(1), state("running"), chunk(), state("idle"), prompt(2), answer(2),
                  state("idle"))  # fmt: skip
    with Playbook(of, "agent") as book:
        book(*start, prompt(1), answer(1), state("running"), chunk(), state("idle")).silent()
        book(prompt(2), answer(2), state("idle"))


# -- a client that does something else


def test_a_client_that_says_something_new_gets_an_error() -> None:
    """A clear one, and goes on; the run has a divergence."""
    of = recorded(*START, prompt(1), chunk(), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, ask(5, "session/list"), unknown(5, "session/list", -32601))
        book(ask(6, "session/set_mode", sessionId="s", modeId="x"), unknown(6, "session/set_mode", -32601))
        book(prompt(1), chunk(), stop(1))
        book(prompt(2), unknown(2, "session/prompt (nearest is frame 5: was already used)"))
        book.noticed("request-unmatched", "request-unmatched", "request-unmatched")


def test_a_client_that_tells_something_new_is_listened_to() -> None:
    """A notification has no answer."""
    of = recorded(*START, prompt(1), chunk(), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, tell("client", "_vendor/hello"), cancel(), prompt(1), chunk(), stop(1))


def test_a_client_that_chooses_another_value_gets_an_error() -> None:
    """The recording cannot know what the agent would have done."""
    of = recorded(*START, ask(1, "session/set_mode", sessionId="s", modeId="code"), answer(1))
    with Playbook(of, "agent") as book:
        book(*START, ask(1, "session/set_mode", sessionId="s", modeId="ask"))
        told = 'session/set_mode (nearest is frame 5: modeId was "code", is "ask")'
        book(unknown(1, told)).stuck("session/set_mode of the client")
        book.noticed("request-unmatched")


def test_a_prompt_with_other_words_is_the_prompt() -> None:
    """What is said is not compared."""
    of = recorded(*START, prompt(1), chunk(), stop(1))
    other = ask(1, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "something else"}])
    with Playbook(of, "agent") as book:
        book(*START, other, chunk(), stop(1))


def test_a_client_that_loads_a_session_by_another_name() -> None:
    """It knows one from another day: the session is called so from then on."""
    load = [ask(1, "session/load", sessionId=name, cwd="/w") for name in ("s", "mine")]
    of = recorded(*hello(), load[0], chunk(), answer(1), prompt(2), chunk(), stop(2))
    with Playbook(of, "agent") as book:
        book(*hello(), load[1], chunk(session="mine"), answer(1))
        book(prompt(2, "mine"), chunk(session="mine"), stop(2))


def test_a_client_that_never_answers_has_waited_long_enough() -> None:
    """There is a deadline while the agent waits for an answer, or owes one."""
    of = recorded(
        *START, prompt(1), reads(0, "/w/a"), reply(0, content="A"), tool(), cancel(), gone(0), stop(1)
    )
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), reads(0, "/w/a")).stuck("the answer to fs/read_text_file")
        assert book.conversation.deadline == book.now + 60 * 10**9
        book(reply(0, content="A"), tool()).stuck("session/cancel of the client")
        assert book.conversation.deadline is not None


def test_a_prompt_in_the_middle_of_a_turn_is_the_next_one_recorded() -> None:
    """Not one that was sent when nothing went on."""
    of = recorded(*START, prompt(1), chunk("1"), prompt(2), chunk("2"), stop(1), stop(2), prompt(3), stop(3))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk("1"), prompt(2), chunk("2"), stop(1), stop(2), prompt(3), stop(3))


def test_a_client_that_leaves_a_request_out() -> None:
    """It has sent the next one, and waits for its answer: so what stood before that comes no more."""
    of = recorded(*START, mode(5), answer(5), prompt(1), chunk(), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1)).silent().later(0.9).silent().later(0.2)(chunk(), stop(1))
        book.stuck("session/set_mode of the client")
        (stall,) = book.noticed("stalled")
        assert stall.message == (
            "nothing was sent for 1 s though the client waited: "
            "the answer to session/prompt (#9) waits for session/set_mode of the client (#5)"
        )
    with Playbook(of, "agent") as book:  # it comes late
        book(*START, prompt(1)).later(1.1)(chunk(), stop(1), mode(5), answer(5)).noticed("stalled")


def test_a_client_that_leaves_a_prompt_out() -> None:
    """With all that the agent did then; the rest goes on as it was."""
    of = recorded(*START, says("first", 1), chunk("one"), may(7), picks(7), stop(1), says("second", 2),
                  chunk("two"), stop(2))  # fmt: skip
    with Playbook(of, "agent") as book:
        book(*START, says("second", 2)).later(1.1)(chunk("two"), stop(2))
        book.noticed("stalled")
        book.stuck("session/prompt of the client")


def error(id: Any, told: str) -> Any:
    return "agent", {"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": f"acp-trace: {told}"}}


def test_a_client_that_does_not_cancel() -> None:
    """Nobody can say how that turn would have ended. The error names what is awaited; the next turn goes on."""
    next_ = prompt(2), chunk("2"), stop(2)
    of = recorded(*START, prompt(1), chunk(), cancel(), tool(), stop(1, "cancelled"), *next_)
    told = "session/cancel (#7 of the recording) did not come, so there is no answer to this session/prompt"
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk()).later(1.4).silent().later(0.2)(tool(), error(1, told), *next_)
        (stall,) = book.noticed("stalled")
        assert stall.message.endswith("session/update (#8) waits for session/cancel of the client (#7)")
    with Playbook(of, "agent") as book:  # it does so late
        book(*START, prompt(1), chunk()).later(1.6)(tool(), error(1, told), cancel(), *next_).noticed(
            "stalled"
        )
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk()).later(1.4)(cancel(), tool(), stop(1, "cancelled"), *next_)


@pytest.mark.parametrize("work", [(chunk("2"),), ()], ids=["with work after it", "with none"])
def test_a_client_that_leaves_out_what_it_had_sent_in_a_turn(work: Any) -> None:
    """A mode, and a notification: both are waited for at once, and then the turn goes on as it was."""
    told = tell("client", "_vendor/told", sessionId="s")
    of = recorded(*START, prompt(1), chunk("1"), mode(2), told, answer(2), *work, stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk("1")).later(1.4).silent().later(0.2)(*work, stop(1))
        (stall,) = book.noticed("stalled")
        awaited = "waits for session/set_mode of the client (#7), _vendor/told of the client (#8)"
        assert awaited in stall.message
        book.stuck("session/set_mode")
    with Playbook(of, "agent") as book:  # only one comes, and only then the time begins for the other one
        book(*START, prompt(1), chunk("1")).later(1)(mode(2)).later(1.1)(answer(2)).silent().later(
            0.3
        ).silent()
        book.later(0.2)(*work, stop(1)).noticed("stalled")


def test_a_client_that_leaves_out_a_prompt_in_a_turn() -> None:
    """Of that one nothing is sent."""
    of = recorded(*START, says("a", 1), chunk("1"), says("b", 2), chunk("2"), stop(1), chunk("3"), stop(2),
                  says("c", 3), chunk("4"), stop(3))  # fmt: skip
    with Playbook(of, "agent") as book:
        book(*START, says("a", 1), chunk("1")).later(1.6)(chunk("2"), stop(1))
        book(says("c", 3), chunk("4"), stop(3)).noticed("stalled")
        book.stuck("session/prompt")


def test_draft_2_a_client_that_leaves_out_what_it_had_sent_in_a_turn() -> None:
    """There the prompt has its answer already."""
    start = [*hello(2), *opened(), prompt(1), answer(1), state("running"), chunk()]
    of = recorded(*start, mode(2), answer(2), state("idle"))
    with Playbook(of, "agent") as book:
        book(*start).later(1.4).silent().later(0.2)(state("idle")).noticed("stalled")
        book.stuck("session/set_mode")


def test_a_client_that_owes_an_answer_is_waited_for() -> None:
    """A person may look at a permission for a while, whatever else was sent meanwhile."""
    of = recorded(*START, prompt(1), may(7), mode(2), picks(7), answer(2), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), may(7)).later(30).silent()(picks(7)).later(1.6)(stop(1)).noticed("stalled")
        book.stuck("session/set_mode")


def test_a_recorded_pause_is_left_to_the_client() -> None:
    """With `--pace recorded`: as long as it had taken, and three times as long."""
    times = [*[0] * 6, 5, 5]
    said = [*START, prompt(1), chunk(), cancel(), stop(1, "cancelled")]
    with Playbook(timed(*zip(times, said, strict=True)), "agent", pace=1.0) as book:
        book(*START, prompt(1), chunk()).later(16).silent()(cancel(), stop(1, "cancelled"))
