"""Where one connection ends and another begins, in a log of several."""

from __future__ import annotations

import json
from typing import Any

from acp_trace.formats.reading.connections import split
from acp_trace.formats.reading.log import Log, Said, Sent, Unused
from tests.support import error, request, result, update


def sent(message: dict[str, Any], t: int | None = None) -> Sent:
    return Sent(json.dumps(message).encode(), None, t)


def sizes(*messages: Sent | Said) -> list[int]:
    return [len(log.messages) for log in split(Log(list(messages)))]


INITIALIZE, ANSWER = sent(request(0, "initialize")), sent(result(0))


def test_each_begins_with_initialize() -> None:
    """What comes before the first one is a connection, unless it is stderr alone."""
    assert sizes() == []
    assert sizes(ANSWER) == [1]
    assert sizes(INITIALIZE, ANSWER, INITIALIZE, ANSWER, ANSWER) == [2, 3]
    assert sizes(ANSWER, INITIALIZE) == [1, 1]
    assert sizes(Said(b"a"), Said(b"b"), INITIALIZE, Said(b"c"), INITIALIZE) == [4, 1]


def test_a_repeated_initialize_counts_on() -> None:
    """A client that tries another version on the same connection; a string never counts."""
    second = sent(request(1, "initialize"))
    assert sizes(INITIALIZE, ANSWER, second) == [3]
    assert sizes(INITIALIZE, ANSWER, second, sent(request(2, "session/new")), second) == [4, 1]
    named = sent(request("a", "initialize"))
    assert sizes(named, ANSWER, named) == [2, 1]


def test_an_agent_does_not_begin_one() -> None:
    """Where the log says who sent it."""
    assert sizes(INITIALIZE, INITIALIZE._replace(sender="agent")) == [2]


def test_times_begin_at_0() -> None:
    """And the wall clock with them. What is unused stays with the first."""
    messages = [sent(request(0, "initialize"), 5), sent(result(0), 9), sent(request(0, "initialize"), 30)]
    log = Log([*messages, sent(result(0), 31)], [Unused("line 2", "x")], started_ns=1000, labels={"a": "b"})
    first, second = split(log)
    assert ([item.t for item in first.messages], first.started_ns) == ([5, 9], 1000)
    assert ([item.t for item in second.messages], second.started_ns) == ([0, 1], 1030)
    assert (len(first.unused), len(second.unused), second.labels) == (1, 0, {"a": "b"})


def test_two_at_the_same_time() -> None:
    """Told apart by their sessions, by who waits for a response, and by the client's ids."""
    one, two = "one", "two"
    lines: list[tuple[str, dict[str, Any]]] = [
        (one, request(0, "initialize")),
        (one, result(0, protocolVersion=1)),
        (one, request(1, "session/new")),
        (two, request(0, "initialize")),
        (one, result(1, sessionId="a")),
        (two, result(0, protocolVersion=1)),
        (one, request(2, "session/prompt", sessionId="a")),
        (two, request(1, "session/load", sessionId="b")),
        (one, update("a", "plan")),
        (two, update("b", "plan")),
        (two, result(1)),
        (one, request(7, "session/request_permission", sessionId="a")),
        (one, result(7, outcome={})),
        (one, request(3, "authenticate")),
        (one, result(3)),
        (two, request(2, "session/prompt", sessionId="b")),
        (one, {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "a"}}),
    ]
    log = Log([sent(line) for _, line in lines])
    expected = [[line for name, line in lines if name == which] for which in (one, two)]
    assert [[json.loads(item.data) for item in part.messages] for part in split(log)] == expected


def test_a_response_that_both_wait_for_is_told_by_its_shape() -> None:
    """If that says nothing, it belongs to the newest connection."""
    opened = [INITIALIZE, ANSWER, sent(request(1, "session/prompt", sessionId="a"))]
    second = [INITIALIZE, ANSWER, sent(request(1, "session/new"))]
    assert sizes(*opened, *second, sent(result(1, stopReason="end_turn"))) == [4, 3]
    assert sizes(*opened, *second, sent(result(1, sessionId="b")), sent(update("b", "plan"))) == [3, 5]
    assert sizes(*opened, *second, sent(error(1, -32603))) == [3, 4]


def test_a_connection_may_go_on_with_a_session_that_another_opened() -> None:
    """The log has no `session/load`, but the ids of the client go on."""
    opened = [INITIALIZE, sent(request(1, "session/new")), sent(result(1, sessionId="a"))]
    prompt = sent(request(1, "session/prompt", sessionId="a"))
    assert sizes(*opened, INITIALIZE, prompt, sent(update("a", "plan"))) == [3, 3]


def test_a_session_that_is_loaded_again_has_moved() -> None:
    """What the next connection loads belongs to it; so does a response that both wait for."""
    prompt, loaded = (
        sent(request(2, "session/prompt", sessionId="a")),
        request(1, "session/load", sessionId="a"),
    )
    first = [INITIALIZE, sent(request(1, "session/new")), sent(result(1, sessionId="a")), prompt]
    second = [INITIALIZE, sent(loaded), sent(update("a", "plan")), sent(result(1)), prompt, sent(result(2))]
    assert sizes(*first, *second) == [4, 6]
