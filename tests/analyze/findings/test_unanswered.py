"""Whose fault it is that a request was still open when the trace ended, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analyze.findings.scenario import start
from tests.reading.talk import Said, ask, call, cancel, permit, prompt, reply, stop, words
from tests.support import END, analyzed, header, line

_S = 1_000_000_000
_LEFT = {"client_left": True}
_READ = call(0, "fs/read_text_file", sessionId="s", path="/a")


def _findings(said: list[Said], after_s: float, **ended: Any) -> dict[tuple[str, str], tuple[str, str]]:
    """Severity and message of each code and side; frames 1 s apart, and the end so long after the last."""
    lines = [header()]
    for number, (sender, message) in enumerate(said, 1):
        lines.append(line(t=number * _S, **{"from": sender}, frame=message))
    lines.append(line(t=int((len(said) + after_s) * _S), end={**END, **ended}))
    found = analyzed(b"".join(lines))[0].findings
    return {(one.code, one.blame): (one.severity, one.message) for one in found}


@pytest.mark.parametrize(
    ("ended", "after_s", "severity", "message"),
    [
        (_LEFT, 0.9, "note", "session/prompt was never answered; open for 900 ms when the client left"),
        (_LEFT, 1, "error", "session/prompt was never answered; open for 1.00 s when the client left"),
        (_LEFT, 57.9, "error", "session/prompt was never answered; open for 57.9 s when the client left"),
        ({}, 0.1, "error", "session/prompt was never answered; open for 100 ms when the trace ended"),
    ],
)
def test_an_agent_has_a_second_to_answer(
    ended: dict[str, Any], after_s: float, severity: str, message: str
) -> None:
    """A client that leaves at once gets no answer; one that waits until it gives up should have got one."""
    found = _findings([*start(), prompt(1)], after_s, **ended)
    assert found["never-answered", "agent"] == (severity, message)


def test_a_command_may_outlive_its_client() -> None:
    """Its end was never to be told; the turn that waited for it follows from nothing."""
    waits = call(0, "terminal/wait_for_exit", sessionId="s", terminalId="t")
    found = _findings([*start(), prompt(1), waits], 60, **_LEFT)
    assert found["never-answered", "client"][0] == "note"
    assert found["never-answered", "agent"][0] == "note"


@pytest.mark.parametrize(("after_s", "severity"), [(0.9, "note"), (1, "error")])
def test_a_client_has_a_second_as_well(after_s: float, severity: str) -> None:
    """What comes while it is about to leave, it cannot answer any more."""
    found = _findings([*start(), _READ], after_s, **_LEFT)
    assert found["never-answered", "client"][0] == severity


def test_a_cancel_has_a_second_of_its_own() -> None:
    """A client that gives up, cancels and leaves: the agent hung before, and had no time for the cancel."""
    found = _findings([*start(), prompt(1), cancel()], 0.5, **_LEFT)
    told = "session/prompt #5 was never answered after session/cancel; 500 ms later the client left"
    assert found["cancel-unanswered", "agent"] == ("note", told)
    assert found["never-answered", "agent"][0] == "error"
    assert _findings([*start(), prompt(1), cancel()], 2, **_LEFT)["cancel-unanswered", "agent"][0] == "error"


@pytest.mark.parametrize("asked", [_READ, permit(0)], ids=["file", "permission"])
def test_an_agent_that_waits_for_its_client_is_not_to_blame(asked: Said) -> None:
    """The open request of the agent is the client's fault, and so is all that waits for it."""
    found = _findings([*start(), prompt(1), asked, prompt(2), cancel()], 60, **_LEFT)
    severity, message = found["never-answered", "agent"]
    assert severity == "note"
    assert message.endswith(f"; the agent was waiting for {asked[1]['method']} #6")
    assert found["cancel-unanswered", "agent"][0] == "note"
    code = "never-answered" if asked is _READ else "permission-not-cancelled"
    assert found[code, "client"][0] == "error"
    assert {found["never-answered", "client"][0]} == {"error" if asked is _READ else "note"}


@pytest.mark.parametrize(
    "said",
    [
        [*start(), prompt(1), _READ, reply(0, content=""), cancel()],
        [*start(), prompt(1), _READ, stop(1), prompt(2), cancel()],
        [*start(), prompt(1), call(0, "fs/read_text_file", sessionId="t", path="/a"), cancel()],
    ],
    ids=["answered", "of an earlier turn", "of another session"],
)
def test_an_agent_that_waits_for_nothing_is_to_blame(said: list[Said]) -> None:
    """Only what it asked for since, and what is still open, keeps an agent from answering."""
    found = _findings(said, 60, **_LEFT)
    assert found["cancel-unanswered", "agent"][0] == "error"
    assert found["never-answered", "agent"][0] == "note"  # one fault: it follows


def test_an_agent_that_leaves_takes_its_own_requests_with_it() -> None:
    """It ends with 0 while a person decides, or a client has had no time: nobody can answer it any more."""
    found = _findings([*start(), prompt(1), permit(0)], 60)
    assert found["never-answered", "agent"][0] == "error"
    severity, message = found["never-answered", "client"]
    assert severity == "note"
    assert message.endswith("open for 60.0 s when the trace ended; the agent ended by itself")
    assert _findings([*start(), prompt(1), _READ], 60)["never-answered", "client"][0] == "error"
    assert _findings([*start(), prompt(1), _READ], 0.5)["never-answered", "client"][0] == "note"


@pytest.mark.parametrize(("silent", "severity"), [(9, "note"), (10, "error")])
def test_an_agent_at_work_may_pause(silent: float, severity: str) -> None:
    """A client that leaves in the middle of a turn has not waited for anything."""
    found = _findings([*start(), prompt(1), words()], silent, **_LEFT)
    assert found["never-answered", "agent"][0] == severity


def test_other_requests_of_the_client_stay_errors() -> None:
    """A request without a session waits for nothing that a session waits for."""
    found = _findings([*start(), _READ, ask(1, "_x/y")], 60)
    assert found["never-answered", "agent"][0] == "error"


@pytest.mark.parametrize("ended", [_LEFT, {}], ids=["it left", "it stayed"])
def test_the_footer_says_whether_the_client_left(ended: dict[str, Any]) -> None:
    """A fact of the trace."""
    file = header() + line(t=1, end={**END, **ended})
    assert analyzed(file)[0].trace.client_left == bool(ended)
