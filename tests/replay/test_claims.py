"""docs/replay.md, What is answered: no turn gets the answers of another one; what stalls is told."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import answer, ask, prompt, reply, stop
from tests.replay.lines import START, asks, chunk, may, picks, reads, tool
from tests.replay.playbook import Playbook, recorded, timed


def turn(id: int, option: str, *calls: str) -> list[Any]:
    """A turn with a permission for each of these tool calls, all answered alike."""
    asked = [each for call in calls for each in (may(id, call, title=call), picks(id, option))]
    return [prompt(id), *asked, stop(id)]


def test_an_additional_request_gets_no_answer_of_a_later_turn() -> None:
    """It is refused at once, and the later turn has its own."""
    of = recorded(*START, *turn(1, "yes", "a"), *turn(2, "no", "b"))
    with Playbook(of) as book:
        book(*START, prompt(1), may(1, "a"), picks(1), may(7, "b"))
        assert b"it belongs to another turn" in book.take()
        book(stop(1), *turn(2, "no", "b")).noticed("request-unmatched")


def test_an_additional_permission_where_there_was_none_gets_none_either() -> None:
    """Another tool call than the one that the later turn is about."""
    of = recorded(*START, prompt(1), chunk(), stop(1), *turn(2, "no", "b"))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), may(7, "x", title="x"))
        assert b"-32602" in book.take()
        book(stop(1), *turn(2, "no", "b")).noticed("request-unmatched")


def test_a_permission_of_another_command_gets_no_answer_though_its_title_is_the_same() -> None:
    """As copilot asks: what it says of its tool is the title of each, and the command stands beside it."""
    asked = may(8, "b", title="errand", rawInput={"command": "touch made.txt"})
    of = recorded(*START, prompt(1), chunk(), stop(1), prompt(2), asked, picks(8), stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), may(7, "x", title="errand", rawInput={"command": "ls"}))
        assert b"-32602" in book.take()
        book(stop(1), prompt(2), asked, picks(8), stop(2)).noticed("request-unmatched")


def test_a_request_that_moved_to_another_turn_is_answered_at_once() -> None:
    """The turn that it is in now had none, and waits for it: its order would never come."""
    make, made = asks(7, "terminal/create", command="make"), reply(7, terminalId="t")
    of = recorded(*START, prompt(1), chunk(), stop(1), prompt(2), make, made, stop(2))
    with Playbook(of) as book:
        book(*START, prompt(1), chunk(), make, made, stop(1), prompt(2), stop(2))


def test_a_file_that_is_read_again_is_read_as_before() -> None:
    """In its turn, in a later one, in an earlier one. What is asked for once more is no other file."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), stop(1),
                  prompt(2), reads(8, "/w/b"), reply(8, content="B"), stop(2))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), reads(0, "/w/a"), reply(0, content="A"), reads(1, "/w/a"))
        book(reply(1, content="A"), reads(2, "/w/b"), reply(2, content="B"), stop(1))
        book(prompt(2), reads(3, "/w/a"), reply(3, content="A"), reads(4, "/w/b"), reply(4, content="B"))
        book(stop(2))


def test_a_stall_is_told() -> None:
    """How long nothing was sent though the agent waited, and what for."""
    mode = ask(2, "session/set_mode", sessionId="s", modeId="code")
    of = recorded(*START, prompt(1), tool(), chunk(), mode, answer(2), may(7), picks(7), stop(1))
    with Playbook(of, timeout=60) as book:
        book(*START, prompt(1), tool(), may(7)).silent().later(29).silent().later(2)
        book(mode, picks(7), answer(2), stop(1))
        (stall,) = book.noticed("stalled")
        assert stall.message == (
            "nothing was sent for 30 s though the agent waited: "
            "session/set_mode (#8) waits for message in the turn of #5"
        )


def test_what_is_waited_for_in_vain_is_told_too() -> None:
    """A title that never comes costs a while."""
    title = 1.1, ("agent", {"jsonrpc": "2.0", "method": "session/update", "params": {
        "sessionId": "s", "update": {"sessionUpdate": "session_info_update", "title": "T"}}})  # fmt: skip
    of = timed(
        *((0.1, each) for each in [*START, prompt(1), stop(1)]), title, (1.2, prompt(2)), (1.3, stop(2))
    )
    with Playbook(of) as book:
        book(*START, prompt(1), stop(1)).later(4)(prompt(2), stop(2))
        (stall,) = book.noticed("stalled")
        assert stall.message == (
            "nothing was sent for 3 s: session/prompt (#8) waits for session_info_update"
        )
