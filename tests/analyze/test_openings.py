"""Which sessions are open, and whether what names one is early, late or wrong."""

from __future__ import annotations

import pytest

from acp_trace.analyze.facts import Finding
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.openings import Openings
from tests.analyze.findings.scenario import hello
from tests.reading.talk import Said, answer, ask, opened, prompt, refuse, stop, words
from tests.support import facts_of

_CODES = {"unknown-session", "update-unknown-session"}


def _found(*said: Said) -> list[tuple[str, int, str | None, int]]:
    findings = facts_of(*hello(), *said).findings
    return [(one.code, one.frame, one.session_id, one.count) for one in findings if one.code in _CODES]


def _message(*said: Said) -> str:
    (one,) = [one for one in facts_of(*hello(), *said).findings if one.code in _CODES]
    return one.message


def _open(method: str) -> list[Said]:
    """An opening with its answer; in frames 3 and 4."""
    return [ask(1, method, sessionId="s", cwd="/w"), answer(1, sessionId="s")]


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume", "session/fork"])
def test_what_opens_a_session(method: str) -> None:
    """Two by what they name, two by what they answer."""
    assert _found(*_open(method), prompt(2), words(), stop(2)) == []


@pytest.mark.parametrize(
    "method", ["session/list", "session/status", "session/unarchive", "session/set_title", "_x/y"]
)
def test_what_opens_none(method: str) -> None:
    """To name a session is not to open it."""
    assert _found(*_open(method), prompt(2), stop(2)) == [("unknown-session", 5, "s", 1)]


@pytest.mark.parametrize("method", ["session/new", "session/load", "session/resume"])
def test_a_refusal_opens_none(method: str) -> None:
    """What comes after it names no open session."""
    assert _found(ask(1, method, sessionId="s"), refuse(1, -32603), words()) == [
        ("update-unknown-session", 5, "s", 1)
    ]


def test_an_answer_without_an_id_opens_none() -> None:
    """Of session/new and fork, whose result must hold it; the result of a load may be null."""
    assert _found(ask(1, "session/new"), answer(1), words()) == [("update-unknown-session", 5, "s", 1)]
    assert _found(ask(1, "session/new"), answer(1, sessionId=5), words()) == [
        ("update-unknown-session", 5, "s", 1)
    ]
    assert (
        _found(
            ask(1, "session/load", sessionId="s"),
            ("agent", {"jsonrpc": "2.0", "id": 1, "result": None}),
            words(),
        )
        == []
    )


@pytest.mark.parametrize(
    ("method", "closed"), [("session/close", True), ("session/archive", True), ("session/delete", False)]
)
def test_what_closes_a_session(method: str, closed: bool) -> None:
    """When it succeeds; what a delete does to an open session is up to the agent."""
    ended = [ask(2, method, sessionId="s"), answer(2)]
    assert _found(*opened(), *ended, words()) == ([("update-unknown-session", 7, "s", 1)] if closed else [])
    assert _found(*opened(), ask(2, method, sessionId="s"), refuse(2, -32603), words()) == []


def test_the_last_updates_of_a_turn_may_come_after_a_close() -> None:
    """Until the turn has settled, which the close ends: not what comes later."""
    begun = [*opened(), prompt(2), ask(3, "session/close", sessionId="s"), answer(3), words()]
    assert _found(*begun, stop(2, "cancelled")) == []
    assert _found(*begun, stop(2, "cancelled"), words()) == [("update-unknown-session", 10, "s", 1)]


def test_a_session_may_be_opened_again() -> None:
    """By a load after the close; a message in between stays wrong."""
    closed = [*opened(), ask(2, "session/close", sessionId="s"), answer(2)]
    again = [ask(3, "session/load", sessionId="s"), words(), answer(3), words()]
    assert _found(*closed, *again) == []
    assert _found(*closed, prompt(4), refuse(4, -32002), *again) == [("unknown-session", 7, "s", 1)]


def test_an_opening_that_is_asked_for_twice_is_open_until_both_failed() -> None:
    """One refusal does not close what the other may still open."""
    both = [ask(1, "session/load", sessionId="s"), ask(2, "session/load", sessionId="s"), refuse(1, -32603)]
    assert _found(*both, words(), refuse(2, -32603)) == []
    assert _found(*both, refuse(2, -32603), words()) == [("update-unknown-session", 7, "s", 1)]


def test_the_agent_may_be_early_and_the_client_may_not() -> None:
    """Before the answer only the agent knows the id of a new session."""
    assert _found(ask(1, "session/new"), words(), answer(1, sessionId="s"), words()) == []
    assert _found(ask(1, "session/new"), prompt(2), answer(1, sessionId="s"), stop(2)) == [
        ("unknown-session", 4, "s", 1)
    ]


def test_the_message_says_why() -> None:
    """Closed, or never opened here."""
    assert _message(words()) == 'session/update names session "s", which was not opened here'
    closed = [*opened(), ask(2, "session/close", sessionId="s"), answer(2)]
    assert (
        _message(*closed, prompt(3), refuse(3, -32002))
        == 'session/prompt names session "s", which was closed'
    )


def test_each_side_and_session_is_counted_by_itself() -> None:
    """The first frame, the first method, and how many there were."""
    made, findings = Openings(), Findings()
    made.named(1, "client", "session/prompt", "s")
    made.named(2, "agent", "session/update", "s")
    made.named(3, "client", "session/cancel", "s")
    made.named(4, "client", "session/prompt", "t")
    made.speak(findings)
    assert [_short(one) for one in findings.all()] == [
        ("unknown-session", "client", 1, "s", 2),
        ("update-unknown-session", "agent", 2, "s", 1),
        ("unknown-session", "client", 4, "t", 1),
    ]
    assert "session/prompt" in findings.all()[0].message


def _short(one: Finding) -> tuple[str, str, int, str | None, int]:
    return one.code, one.blame, one.frame, one.session_id, one.count
