"""Recordings that are cut off, redacted, or hold what no client should have said: they replay all the same."""

from __future__ import annotations

import json
from typing import Any

from acp_trace.replay.plan.builder import plan
from tests.compare.conversation import base
from tests.compare.conversation import file as file_of
from tests.reading.talk import answer, ask, cancel, hello, prompt, reply, stop, tell
from tests.redact.redacting import redacted
from tests.replay.facing import Facing, conversation, recording
from tests.replay.lines import START, chunk, may, picks, reads
from tests.replay.playbook import Playbook, recorded
from tests.support import END, line, trace


def test_a_recording_that_ends_in_a_turn() -> None:
    """What was recorded is played to its end: the turn has not to be over."""
    of = recorded(*START, prompt(1), chunk(), may(7), end=False)
    with Playbook(of) as book:
        book(*START, prompt(1), chunk()).silent()(may(0))
        assert book.conversation.closed


def test_a_recording_that_ends_with_its_last_request() -> None:
    """There is nothing to wait for: what comes is compared, up to the end of the recording."""
    with Playbook(recorded(*START, prompt(1), end=False)) as book:
        book(*START, prompt(1))
        assert book.conversation.closed


def test_a_recording_cut_in_the_middle_of_an_entry() -> None:
    """The torn line is no message."""
    whole = trace(*START, prompt(1), stop(1), prompt(2), end=False)
    with Playbook(recording(whole[:-20])) as book:
        book(*START, prompt(1), stop(1))


def test_the_last_line_of_a_client_that_died_is_not_sent() -> None:
    """It was never ended: an agent that read it would wait for its end."""
    partial = line(t=9000, **{"from": "client"}, text='{"jsonrpc":"2.0","id":9,"meth', partial=True)
    whole = line(t=9000, **{"from": "client"}, frame=prompt(1)[1], partial=True)
    for last in (partial, whole):
        with Playbook(recording(trace(*START, end=False) + last)) as book:
            book(*START)


def test_a_turn_that_never_settled_is_given_up_at_the_next_prompt() -> None:
    """An agent that hung when it was recorded, and was prompted again."""
    of = recorded(*START, prompt(1), chunk(), prompt(2), chunk(), cancel(), stop(2, "cancelled"))
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(chunk(), prompt(2)).silent()(chunk(), cancel(), stop(2, "cancelled"))
    with Playbook(of) as book:  # one that does not hang any more
        book(*START, prompt(1), chunk(), prompt(2), stop(1)).silent()(chunk(), cancel(), stop(2, "cancelled"))


def test_an_empty_recording() -> None:
    """There is nothing to say, for either side."""
    for own in ("client", "agent"):
        with Playbook(recorded(), own):
            pass
    assert len(plan(recorded(), "client").steps) == 1


def test_a_file_that_is_no_trace() -> None:
    """Nor is there."""
    with Playbook(recording(b"hello\n{}\n")):
        pass


def test_lines_of_the_own_side_that_are_no_json() -> None:
    """They are said just as they were, in their place."""
    odd = [
        line(t=8000 + n, **{"from": "client"}, text=text) for n, text in enumerate(["what?", "", "[1,2]x\r"])
    ]
    raw = line(t=8500, **{"from": "client"}, base64="/w==")
    rest = line(t=9000, **{"from": "client"}, frame=prompt(1)[1]) + line(
        t=9001, **{"from": "agent"}, frame=stop(1)[1]
    )
    of = recording(trace(*START, end=False) + b"".join(odd) + raw + rest + line(t=10000, end=END))
    with Playbook(of) as book:
        book(*START, ("client", "what?"), ("client", ""), ("client", "[1,2]x\r"))
        assert book.take() == b"\xff\n"
        book(prompt(1), stop(1))


def test_json_of_the_own_side_that_is_no_message() -> None:
    """A batch, a number, an answer to nobody: as it was."""
    odd: list[Any] = [("client", [1, {"id": 2}]), ("client", 5), ("client", {"x": 1}), reply(99, late=True),
                      ("client", {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "?"}})]  # fmt: skip
    with Playbook(recorded(*START, *odd, prompt(1), stop(1))) as book:
        book(*START, *odd, prompt(1), stop(1))


def test_two_answers_to_one_request() -> None:
    """The second one answers nothing: it is said where it was, to the request that has been answered."""
    of = recorded(*START, prompt(1), may(7), picks(7), picks(7, "no"), stop(1))
    with Playbook(of) as book:
        book(*START, prompt(1)).silent()(may(0), picks(0), picks(0, "no"), stop(1))


def test_an_agent_that_had_answered_twice() -> None:
    """When it is played: not before it was asked."""
    of = recorded(*START, prompt(1), stop(1), stop(1, "refusal"), prompt(2), stop(2))
    with Playbook(of, "agent") as book:
        book(*START).silent()(prompt("p"), stop("p"), stop("p", "refusal"), prompt(2), stop(2))


def test_noise_of_an_agent_comes_where_it_came() -> None:
    """What names no session comes after what came just before it."""
    of = recorded(*START, prompt(1), chunk(), tell("agent", "_noise"), stop(1))
    with Playbook(of, "agent") as book:
        book(*START).silent()(prompt(1), chunk(), tell("agent", "_noise"), stop(1))


def test_a_live_agent_that_answers_twice() -> None:
    """The second answer is nobody's."""
    with Playbook(recorded(*START, prompt(1), stop(1), prompt(2), stop(2))) as book:
        book(*START, prompt(1), stop(1), prompt(2), stop(1)).silent()(stop(2))


def test_gaps_and_log_lines_are_no_messages() -> None:
    """What was lost is not replayed."""
    gap = line(t=8000, gap={"frames": 3, "bytes": 9, "reason": "No space left on device"})
    log = line(t=8100, log="warning")
    said = line(t=9000, **{"from": "client"}, frame=prompt(1)[1])
    with Playbook(recording(trace(*START, end=False) + gap + log + said)) as book:
        book(*START, prompt(1))


def test_a_redacted_recording_replays() -> None:
    """Placeholders are values as any others; equal ones stay equal."""
    secret = "sk-proj-abcdefghijklmnopqrstuvwx1234567890"
    servers = [
        {"name": "x", "command": "/home/ann/bin/x", "args": [], "env": [{"name": "KEY", "value": secret}]}
    ]
    new = ask(1, "session/new", cwd="/home/ann/work", mcpServers=servers), answer(1, sessionId="s")
    said = [*hello(), *new, prompt(2), reads(0, "/home/ann/work/a"), reply(0, content=secret), stop(2)]
    clean = recording(redacted(trace(*said))[0])
    (folder,) = clean.directories
    assert b"ann" not in b"".join(one.text for one in clean.messages)
    with Playbook(clean, folders={folder: "/tmp/9"}) as book:
        sent = json.loads(book(*hello()).take())
        assert sent["params"]["cwd"] == "/tmp/9"
        hidden = sent["params"]["mcpServers"][0]["env"][0]["value"]
        assert secret not in hidden
        book(answer(1, sessionId="s"), prompt(2), reads(0, "/tmp/9/a"), reply(0, content=hidden), stop(2))


def test_a_redacted_conversation_plays_against_itself() -> None:
    """The one in which everything happens."""
    of = recording(redacted(file_of(base()))[0])
    facing = Facing(conversation(of, "client"), conversation(of, "agent"))
    facing.run()
    assert facing.client.is_over
    assert facing.agent.is_over
    assert [*facing.client.incidents, *facing.agent.incidents] == []


def test_what_was_lost_of_a_recording_is_no_reason_to_hang() -> None:
    """An answer to a request that was never seen, a request of which only the answer is there."""
    of = recorded(reply(7, content="A"), answer(3), *START, tell("client", "_x"), prompt(1), stop(1))
    with Playbook(of) as book:
        book(reply(7, content="A"), *START, tell("client", "_x"), prompt(1), stop(1))
