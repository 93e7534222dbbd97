"""`mock --sessions N`: a recording whose sessions stand several times, for several clients' sessions at once."""

from __future__ import annotations

from acp_trace.replay.plan.recording import Recording, read
from acp_trace.replay.session_copies import copies, opened
from tests.compare.conversation import base
from tests.compare.conversation import file as file_of
from tests.reading.talk import answer, ask, cancel, hello, prompt, refuse, reply, stop
from tests.reading.talk import opened as opens
from tests.replay.facing import Facing, conversation, entries
from tests.replay.lines import START, asks, chunk, may, picks, unask
from tests.replay.playbook import Playbook
from tests.support import TRACES, trace


def times(count: int, *said: object) -> Recording:
    """A recording with copies."""
    return read(copies(entries(trace(*said)), count))  # type: ignore[arg-type]


def renamed(name: str) -> list[object]:
    """What a live client does to open a copy."""
    return [ask(f"for {name}", "session/new", cwd="/w"), answer(f"for {name}", sessionId=name)]


def test_two_sessions_one_after_the_other() -> None:
    """Each `session/new` makes another one, with a name of its own."""
    of = times(2, *START, prompt(1), chunk("hi"), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, prompt(1), chunk("hi"), stop(1))
        book(*renamed("s-2"), prompt(2, "s-2"), chunk("hi", "s-2"), stop(2))  # type: ignore[arg-type]


def test_two_sessions_prompted_at_once() -> None:
    """Neither waits for the other."""
    of = times(2, *START, prompt(1), may(0), picks(0), chunk("hi"), cancel(), stop(1, "cancelled"))
    with Playbook(of, "agent") as book:
        book(*START, *renamed("s-2"), prompt(1), may(0), prompt(2, "s-2"))  # type: ignore[arg-type]
        book(may("0-2", session="s-2"), picks("0-2"), chunk("hi", "s-2"), cancel("s-2"), stop(2, "cancelled"))
        book(picks(0), chunk("hi"), cancel(), stop(1, "cancelled"))


def test_each_copy_has_its_clients_terminals() -> None:
    """Whatever the client calls them."""
    shell = asks(0, "terminal/create", command="ls"), reply(0, terminalId="t")
    of = times(2, *START, prompt(1), *shell, asks(1, "terminal/release", terminalId="t"), reply(1), stop(1))
    with Playbook(of, "agent") as book:
        book(*START, *renamed("s-2"), prompt(1), shell[0], prompt(2, "s-2"))  # type: ignore[arg-type]
        book(asks("0-2", "terminal/create", "s-2", command="ls"), reply("0-2", terminalId="B"))
        book(asks("1-2", "terminal/release", "s-2", terminalId="B"), reply("1-2"), stop(2))
        book(reply(0, terminalId="A"), asks(1, "terminal/release", terminalId="A"), reply(1), stop(1))


def test_a_request_of_a_copy_can_be_taken_back() -> None:
    """Its ids are its own."""
    of = times(2, *START, prompt(1), chunk(), unask("client", 1), refuse(1, -32800))
    with Playbook(of, "agent") as book:
        book(*START, *renamed("s-2"), prompt(1), chunk(), prompt(2, "s-2"), chunk(session="s-2"))  # type: ignore[arg-type]
        book(unask("client", 2), refuse(2, -32800)).silent()(unask("client", 1), refuse(1, -32800))


def test_what_belongs_to_no_session_stands_once() -> None:
    """A client initializes once."""
    of = times(3, *hello(), *opens("a"), *opens("b"), prompt(1, "a"), stop(1))
    assert [one.method for one in of.messages if one.kind == "request"].count("initialize") == 1
    assert list(dict.fromkeys(one.session for one in of.messages if one.session)) == [
        "a",
        "b",
        "a-2",
        "b-2",
        "a-3",
        "b-3",
    ]


def test_frames_stay_in_one_row() -> None:
    """Numbers without holes, the end at the end."""
    file = trace(*START, prompt(1), stop(1))
    made = copies(entries(file), 3)
    of = read(made)
    assert [one.frame for one in of.messages] == list(range(1, 2 + 3 * 4 + 1))
    assert of.complete
    assert made[-1].kind == "end"


def test_one_copy_is_the_trace() -> None:
    """`--sessions 1` changes nothing."""
    there = entries(trace(*START, prompt(1), stop(1)))
    assert copies(there, 1) == there
    assert opened(there) == 1


def test_copies_play_against_themselves() -> None:
    """Also where everything happens, and for every recording."""
    for file in (file_of(base()), *(path.read_bytes() for path in TRACES if path.stat().st_size < 100_000)):
        of = read(copies(entries(file), 3))
        facing = Facing(conversation(of, "client"), conversation(of, "agent"))
        facing.run()
        assert facing.client.is_over, facing.client.waits()
        assert facing.agent.is_over, facing.agent.waits()
        assert [*facing.client.incidents, *facing.agent.incidents] == []
