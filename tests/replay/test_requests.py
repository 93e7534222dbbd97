"""docs/replay.md, What is answered: whose answer they get, and what becomes of those that have none."""

from __future__ import annotations

from typing import Any

from tests.reading.talk import answer, ask, call, cancel, hello, opened, prompt, reply, stop
from tests.replay.lines import START, asks, chunk, gone, may, now, picks, reads, tool
from tests.replay.playbook import Playbook, recorded


def polls(id: Any, session: str = "s") -> Any:
    return asks(id, "terminal/output", session, terminalId="t")


def output(id: Any, text: str, **more: Any) -> Any:
    return reply(id, output=text, truncated=False, **more)


SHELL = [asks(0, "terminal/create", command="make"), reply(0, terminalId="t")]


DONE = {"exitStatus": {"exitCode": 0}}


def test_a_file_is_found_by_its_path() -> None:
    """As seen from the folder that the session lives in."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content="A"), reads(8, "/w/b"),
                  reply(8, content="B"), stop(1))  # fmt: skip
    with Playbook(of, folders={"/w": "/tmp/9"}) as book:
        new = ask("new s", "session/new", cwd="/tmp/9"), answer("new s", sessionId="s")
        book(*hello(), *new, prompt(1), reads(0, "/tmp/9/b"), reply(0, content="B"))
        book(reads(1, "/tmp/9/a"), reply(1, content="A"), stop(1))


def test_files_of_one_name_in_two_directories_keep_their_own_answers() -> None:
    """Whichever is read first: each directory of the recording has its own in the run."""
    opens = [
        line
        for id, cwd in (("s", "/w"), ("t", "/x"))
        for line in (ask(f"new {id}", "session/new", cwd=cwd), answer(f"new {id}", sessionId=id))
    ]
    moved = [line for id, cwd in (("s", "/tmp/9"), ("t", "/tmp/8"))
             for line in (ask(f"new {id}", "session/new", cwd=cwd), answer(f"new {id}", sessionId=id))]  # fmt: skip
    of = recorded(*hello(), *opens, prompt(1), reads(7, "/w/a"), reply(7, content="W"), reads(8, "/x/a"),
                  reply(8, content="X"), stop(1))  # fmt: skip
    with Playbook(of, folders={"/w": "/tmp/9", "/x": "/tmp/8"}) as book:
        book(*hello(), *moved, prompt(1), reads(0, "/tmp/8/a"), reply(0, content="X"))
        book(reads(1, "/tmp/9/a"), reply(1, content="W"), stop(1))


def test_a_file_outside_of_all_folders_is_found_by_its_whole_path() -> None:
    """Also one that lies where the recorded agent was started."""
    of = recorded(*START, prompt(1), reads(7, "/opt/a"), reply(7, content="A"), stop(1),
                  agent={"argv": ["x"], "cwd": "/opt"})  # fmt: skip
    with Playbook(of, folders={"/w": "/w"}) as book:
        book(*START, prompt(1), reads(0, "/opt/a"), reply(0, content="A"), stop(1))


def test_the_same_file_twice_has_its_answers_in_order() -> None:
    """The first unclaimed one that fits."""
    twice = reads(7, "/w/a"), reply(7, content="old"), reads(7, "/w/a"), reply(7, content="new")
    with Playbook(recorded(*START, prompt(1), *twice, stop(1))) as book:
        book(*START, prompt(1), *twice, stop(1))


def test_a_request_of_the_same_turn_comes_first() -> None:
    """The first turn did not ask this time: its answer is not given to the second."""

    def turn(id: int, text: str) -> list[Any]:
        return [prompt(id), chunk(), reads(7, "/w/a"), reply(7, content=text), stop(id)]

    with Playbook(recorded(*START, *turn(1, "old"), *turn(2, "new"))) as book:
        book(
            *START, prompt(1), chunk(), stop(1), prompt(2), chunk(), reads(7, "/w/a"), reply(7, content="new")
        )
        book(stop(2)).noticed("answer-unused")


def test_the_turn_counts_more_than_the_words() -> None:
    """Two permissions whose titles have changed places: each turn keeps its own answer."""

    def turn(id: int, title: str, option: str) -> list[Any]:
        return [prompt(id), may(id, title=title), picks(id, option), stop(id)]

    with Playbook(recorded(*START, *turn(1, "first", "no"), *turn(2, "second", "yes"))) as book:
        book(*START, *turn(1, "second", "no"), *turn(2, "first", "yes"))


def test_a_terminal_is_found_by_its_command_and_arguments() -> None:
    """And each gets the id that is its own."""

    def make(id: int, *args: str) -> Any:
        return asks(id, "terminal/create", command="make", args=list(args))

    of = recorded(*START, prompt(1), make(1, "a"), reply(1, terminalId="A"), make(2, "b"),
                  reply(2, terminalId="B"), stop(1))  # fmt: skip
    with Playbook(of) as book:
        book(
            *START, prompt(1), make(1, "b"), reply(1, terminalId="B"), make(2, "a"), reply(2, terminalId="A")
        )
        book(stop(1))


def test_a_permission_is_found_by_the_kind_of_its_tool_and_of_its_options() -> None:
    """Whatever the tool call is called."""
    calls = tool("c", "edit"), tool("d", "execute")
    of = recorded(*START, prompt(1), *calls, may(7, "c"), picks(7), may(8, "d"), picks(8, "no"), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), tool("x", "execute"), may(0, "x"), picks(0, "no"))
        book(tool("y", "edit"), may(1, "y"), picks(1), stop(1))


def test_a_permission_before_its_tool_call_is_announced_gets_its_answer() -> None:
    """Its kind is not known then; some agents always do so, the recorded one as well."""
    for order in ((tool("c"), may(7)), (may(7), tool("c"))):
        of = recorded(*START, prompt(1), *order, picks(7), stop(1))
        with Playbook(of) as book:
            book(*START, prompt(1), may(0), picks(0), tool("c"), stop(1))
        with Playbook(of) as book:
            book(*START, prompt(1), tool("c"), may(0), picks(0), stop(1))


def test_a_permission_for_a_tool_call_without_a_kind() -> None:
    """Both runs know none."""
    of = recorded(*START, prompt(1), now("c", "pending"), may(7), picks(7), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), now("c", "pending"), may(0), picks(0), stop(1))


def test_a_tool_call_whose_kind_becomes_known_later() -> None:
    """Any kind that it ever had fits."""
    calls = tool("c", "other"), may(7), picks(7), now("c", "completed", kind="edit")
    with Playbook(recorded(*START, prompt(1), *calls, stop(1))) as book:
        book(*START, prompt(1), *calls, stop(1))


def test_another_session_has_its_own_answers() -> None:
    """The same request in both."""
    start = [*hello(), *opened("a"), *opened("b"), prompt(1, "a"), prompt(2, "b")]
    of = recorded(*start, reads(7, "/w/x", "a"), reply(7, content="A"), reads(8, "/w/x", "b"),
                  reply(8, content="B"), stop(1), stop(2))  # fmt: skip
    with Playbook(of) as book:
        book(
            *start, reads(0, "/w/x", "b"), reply(0, content="B"), reads(1, "/w/x", "a"), reply(1, content="A")
        )
        book(stop(1), stop(2))


def test_an_error_is_an_answer_too() -> None:
    """The client had refused."""
    refused = "client", {"jsonrpc": "2.0", "id": 7, "error": {"code": -32002, "message": "no such file"}}
    with Playbook(recorded(*START, prompt(1), reads(7, "/w/a"), refused, stop(1))) as book:
        book(*START, prompt(1), reads(7, "/w/a"), refused, stop(1))


def test_a_request_that_never_was_answered_is_not_answered_now() -> None:
    """The client died over it, or ignored it."""
    of = recorded(*START, prompt(1), may(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), may(7)).silent()(stop(1, "cancelled"))


def test_an_unknown_method_is_refused_as_it_was() -> None:
    """Extensions as well: whatever was recorded is the answer."""
    of = recorded(*START, prompt(1), call(7, "_x/y", a=1), reply(7, b=2), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1), call(0, "_x/y", a=3), reply(0, b=2), stop(1))


def test_polls_are_answered_again() -> None:
    """An agent that asks more often than recorded hears what it heard last."""
    of = recorded(
        *START, prompt(1), *SHELL, polls(1), output(1, "a"), polls(2), output(2, "ab", **DONE), stop(1)
    )
    with Playbook(of) as book:
        book(*START, prompt(1), *SHELL, polls(1), output(1, "a"), polls(2), output(2, "ab", **DONE))
        book(polls("x"), output("x", "ab", **DONE), polls(4), output(4, "ab", **DONE), stop(1))


def test_polls_that_are_not_asked_are_no_divergence() -> None:
    """An agent that asks less often hears less."""
    of = recorded(*START, prompt(1), *SHELL, polls(1), output(1, "a"), polls(2), output(2, "ab", **DONE),
                  stop(1), prompt(2), stop(2))  # fmt: skip
    with Playbook(of) as book:
        book(*START, prompt(1), *SHELL, polls(1), output(1, "a"), stop(1), prompt(2), stop(2))


def test_a_step_does_not_wait_for_polls_that_said_nothing_new() -> None:
    """How often an agent looks hangs on its clock; a cancel after it needs only what had been new."""
    many = [one for id in range(1, 9) for one in (polls(id), output(id, "a" if id < 8 else "b"))]
    of = recorded(*START, prompt(1), *SHELL, *many, cancel(), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), *SHELL, polls(1), output(1, "a")).silent()
        for id in range(2, 8):
            book(polls(id), output(id, "a")).silent()
        book(polls(8), output(8, "b"), cancel(), stop(1, "cancelled"))
    of = recorded(*START, prompt(1), *SHELL, *many[:-2], cancel(), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), *SHELL).silent()(polls(1), output(1, "a"), cancel())
        book(polls(2), output(2, "a"), stop(1, "cancelled"))


def test_a_permission_asked_after_the_cancel_is_answered_as_it_was() -> None:
    """A cancel in the middle of an open permission: the agent may ask once more."""
    of = recorded(*START, prompt(1), tool(), may(7), cancel(), gone(7), stop(1, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1), tool(), may(0), cancel(), gone(0), stop(1, "cancelled"))
