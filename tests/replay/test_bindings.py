"""docs/replay.md, What is rewritten: ids and folders of the live run in place of the recorded ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reading.talk import answer, ask, call, chosen, hello, opened, prompt, refuse, reply, stop, tell
from tests.replay.lines import (
    START,
    asks,
    chunk,
    may,
    now,
    picks,
    reads,
    state,
    tool,
    unask,
)
from tests.replay.playbook import Playbook, recorded


def said(id: Any, *blocks: dict[str, Any], session: str = "s") -> Any:
    """A prompt of these blocks."""
    return ask(id, "session/prompt", sessionId=session, prompt=list(blocks))


def words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_an_answer_has_the_id_of_the_live_request() -> None:
    """Whatever type that has."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1))
    for id in (0, "x", -1, 1.5, 2**70, ""):
        with Playbook(of) as book:
            book(*START, prompt(1), reads(id, "/w/a"), reply(id, content="A"), stop(1))


def test_ids_of_the_two_sides_may_collide() -> None:
    """Each side counts its own requests; both directions, here and in the recording."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), reads(1, "/w/a"), reply(1, content="A"), stop(1), prompt(2), stop(2))
    of = recorded(*START, prompt(1), reads(1, "/w/a"), reply(1, content="A"), stop(1), prompt(2), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), reads(2, "/w/a"), reply(2, content="A"), stop(1), prompt(2), stop(2))


def test_a_live_agent_may_use_its_ids_again() -> None:
    """An id is free again once it was answered; some agents never count."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), reads(8, "/w/b"),
                  reply(8, content="B"), stop(1))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), reads(0, "/w/a"), reply(0, content="A"))
        book(reads(0, "/w/b"), reply(0, content="B"), stop(1))


def test_an_own_id_that_is_used_twice_becomes_another() -> None:
    """Or the second answer could not be told from the first."""
    of = recorded(*START, prompt(1), stop(1), prompt(1), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), prompt("replay-7"), stop("replay-7"))


def test_null_is_an_id_too() -> None:
    """A request with `"id": null` has an answer."""
    of = recorded(*START, prompt(None), stop(None))
    with Playbook(of) as book:
        book(*START, prompt(None), stop(None))


def test_a_request_is_taken_back_by_the_id_with_which_it_was_sent() -> None:
    """`$/cancel_request`, when own ids had to be changed, names the request that it meant."""
    of = recorded(*START, prompt(1), stop(1), prompt(1), chunk(), unask("client", 1), refuse(1, -32800))
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1), prompt("replay-7")).silent()
        book(chunk(), unask("client", "replay-7"), refuse("replay-7", -32800))


def test_an_elicitation_is_about_the_live_clients_request() -> None:
    """When the agent is played, the request that it names has the id that the live client gave it."""
    of = recorded(*hello(), ask(5, "authenticate", methodId="m"),
                  call(0, "elicitation/create", mode="url", requestId=5, elicitationId="e"),
                  reply(0, action="accept"), answer(5))  # fmt: skip
    with Playbook(of, "agent") as book:
        book(*hello(), ask("auth", "authenticate", methodId="m"))
        book(call(0, "elicitation/create", mode="url", requestId="auth", elicitationId="e"))
        book(reply(0, action="accept"), answer("auth"))


def test_a_session_has_the_live_agents_name() -> None:
    """In requests, notifications, and nowhere in texts."""
    text = said(1, words("say s to session s")), said(1, words("say s to session s"), session="live")
    of = recorded(*START, text[0], chunk(), tell("client", "session/cancel", sessionId="s"), stop(1))
    with Playbook(of) as book:
        book(*hello(), opened()[0], answer("new s", sessionId="live"), text[1], chunk(session="live"))
        book(tell("client", "session/cancel", sessionId="live"), stop(1))


def test_two_sessions_have_each_their_own_name() -> None:
    """Also where the live agent uses the recorded names, the other way round."""
    of = recorded(*hello(), *opened("a"), *opened("b"), prompt(1, "a"), stop(1), prompt(2, "b"), stop(2))
    with Playbook(of) as book:
        book(*hello(), opened("a")[0], answer("new a", sessionId="b"))
        book(opened("b")[0], answer("new b", sessionId="a"))
        book(prompt(1, "b"), stop(1), prompt(2, "a"), stop(2))


def test_a_list_of_sessions_renames_none_that_is_known() -> None:
    """It has others in it, in another order."""
    listed = (
        [{"sessionId": "s", "cwd": "/w"}],
        [{"sessionId": "x", "cwd": "/w"}, {"sessionId": "l", "cwd": "/w"}],
    )
    of = recorded(*START, ask(1, "session/list"), answer(1, sessions=listed[0]), prompt(2), chunk(),
                  ask(3, "session/set_mode", sessionId="s", modeId="m"), answer(3), stop(2))  # fmt: skip
    with Playbook(of) as book:
        book(*hello(), opened()[0], answer("new s", sessionId="l"))
        book(ask(1, "session/list"), answer(1, sessions=listed[1]), prompt(2, "l"))
        book(chunk(session="x")).silent()
        book(chunk(session="l"), ask(3, "session/set_mode", sessionId="l", modeId="m"), answer(3), stop(2))


def test_a_terminal_has_the_live_clients_name() -> None:
    """The agent is played: in its requests, and in the contents of its tool calls."""
    shows = [{"type": "terminal", "terminalId": "t"}], [{"type": "terminal", "terminalId": "T-1"}]
    of = recorded(*START, prompt(1), asks(0, "terminal/create", command="ls"), reply(0, terminalId="t"),
                  tool("c", content=shows[0]), asks(1, "terminal/wait_for_exit", terminalId="t"),
                  reply(1, exitCode=0), stop(1))  # fmt: skip
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), asks(0, "terminal/create", command="ls"), reply(0, terminalId="T-1"))
        book(tool("c", content=shows[1]), asks(1, "terminal/wait_for_exit", terminalId="T-1"))
        book(reply(1, exitCode=0), stop(1))


def test_a_terminal_of_another_session_is_another_one() -> None:
    """Clients may count in each session; a name that is given out again is the latest one."""
    both = *opened("a"), *opened("b")
    make = [asks(n, "terminal/create", session, command="ls") for n, session in enumerate("aba")]
    free = [asks(n, "terminal/release", session, terminalId="t") for n, session in enumerate("aba", 5)]
    of = recorded(*hello(), *both, prompt(1, "a"), prompt(2, "b"),
                  make[0], reply(0, terminalId="t"), make[1], reply(1, terminalId="t"),
                  free[0], reply(5), free[1], reply(6),
                  make[2], reply(2, terminalId="t"), free[2], reply(7), stop(2), stop(1))  # fmt: skip
    with Playbook(of, "agent") as book:
        book(*hello(), *both, prompt(1, "a"), make[0], prompt(2, "b"), make[1])
        book(reply(0, terminalId="T1"), asks(5, "terminal/release", "a", terminalId="T1"))
        book(reply(1, terminalId="T2"), asks(6, "terminal/release", "b", terminalId="T2"))
        book(reply(5), make[2], reply(6), stop(2))
        book(reply(2, terminalId="T3"), asks(7, "terminal/release", "a", terminalId="T3"), reply(7), stop(1))


def test_a_tool_call_has_the_name_that_the_permission_gave_it() -> None:
    """Draft 2: `tool_call/cancel` names it."""
    start = [*hello(2), *opened()]
    stops = [ask(5, "tool_call/cancel", sessionId="s", toolCallId=id) for id in ("c", "live")]
    of = recorded(*start, prompt(1), answer(1), may(7, "c"), picks(7), stops[0], answer(5), state("idle"))
    with Playbook(of) as book:
        book(*start, prompt(1), answer(1), may(0, "live"), picks(0), stops[1], answer(5), state("idle"))


def test_a_tool_call_that_only_updates_name_is_found_by_its_words_and_place() -> None:
    """The n-th of its turn, else that with the same title and kind."""
    start = [*hello(2), *opened()]

    def cancels(id: str) -> Any:
        return ask(5, "tool_call/cancel", sessionId="s", toolCallId=id)

    def calls(id: str, title: str) -> Any:
        return now(id, "in_progress", title=title, kind="execute")

    of = recorded(*start, prompt(1), answer(1), calls("c1", "make"), state("idle"), prompt(2), answer(2),
                  calls("c2", "ls"), calls("c3", "make"), cancels("c3"), answer(5), state("idle"))  # fmt: skip
    begin = *start, prompt(1), answer(1), calls("x", "make"), calls("y", "make"), state("idle")
    for one, other in (("ls", "make"), ("find", "grep")):
        with Playbook(of) as book:
            book(*begin, prompt(2), answer(2), calls("p", one)).silent()
            book(calls("q", other), cancels("q"), answer(5), state("idle"))
    with Playbook(of) as book:
        book(*begin, prompt(2), answer(2), calls("p", "make")).silent()
        book(calls("q", "ls"), cancels("p"), answer(5), state("idle"))


ALWAYS = {"optionId": "r1", "name": "Always", "kind": "allow_always"}


ONCE = {"optionId": "r2", "name": "Yes", "kind": "allow_once"}


NEVER = {"optionId": "r3", "name": "No", "kind": "reject_once"}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([{**ONCE, "optionId": "x"}, {**NEVER, "optionId": "y"}, {**ALWAYS, "optionId": "z"}], "x"),
        ([{"optionId": "x", "name": "Go", "kind": "allow_once"}, {**ALWAYS, "optionId": "z"}], "x"),
        ([{"optionId": "x", "name": "Yes", "kind": "other"}, {**ALWAYS, "optionId": "z"}], "x"),
        ([{"optionId": "x", "name": "A", "kind": "b"}, {"optionId": "y", "name": "C", "kind": "d"}], "y"),
        ([{"optionId": "r1", "name": "Yes", "kind": "allow_once"}, {**ALWAYS, "optionId": "r2"}], "r1"),
    ],
    ids=["same", "by kind", "by name", "by position", "names changed places"],
)
def test_an_option_is_found_by_kind_then_name_then_position(options: Any, expected: str) -> None:
    """Whatever the live agent calls it."""
    of = recorded(*START, prompt(1), may(7, options=[ALWAYS, ONCE, NEVER]), picks(7, "r2"), stop(1))
    with Playbook(of, unmatched="nearest") as book:
        book(*START, prompt(1), may(0, options=options), picks(0, expected), stop(1))
        book.noticed(*book.codes)  # other kinds of options are no match, which is not what is asked here


def test_what_is_not_changed_goes_out_as_it_was() -> None:
    """Byte for byte."""
    of = recorded(*START, tell("client", "_x", text="\u2028", big=10**30, odd=1.0))
    with Playbook(of) as book:
        book(*START, tell("client", "_x", text="\u2028", big=10**30, odd=1.0))


def test_the_answer_to_a_cancelled_permission_has_no_option() -> None:
    """There is nothing to bind."""
    of = recorded(*START, prompt(1), may(7), chosen(7, "cancelled"), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), may(0), chosen(0, "cancelled"), stop(1))
