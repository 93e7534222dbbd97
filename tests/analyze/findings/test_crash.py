"""The finding of a crash: what its message says, and traces that are no recording of an agent."""

from __future__ import annotations

from typing import Any

import pytest

from acp_trace.analyze.facts import Finding
from tests.analyze.findings.scenario import start
from tests.reading.talk import ask, prompt
from tests.support import END, analyzed, line, trace


def _crash(*more: tuple[str, Any], ended: dict[str, Any], **header: Any) -> list[Finding]:
    whole = trace(*start(), prompt(1), *more, end=False, **header) + line(t=99_000, end={**END, **ended})
    return [one for one in analyzed(whole)[0].findings if one.code == "agent-crashed"]


def test_the_message_says_how_it_ended_and_what_waited() -> None:
    """By the name of the signal, if it has one."""
    told = [
        _crash(ended={"exit_code": 3})[0].message,
        _crash(ask(2, "session/list"), ended={"exit_code": None, "signal": 11})[0].message,
        _crash(ended={"exit_code": None, "signal": 4000})[0].message,
    ]
    assert told == [
        "the agent ended with exit code 3 while session/prompt #5 was open",
        "the agent ended by signal 11 (SIGSEGV) while session/prompt #5 and 1 more were open",
        "the agent ended by signal 4000 while session/prompt #5 was open",
    ]


def test_where_frames_were_lost_it_is_a_note() -> None:
    """The answer may be among them."""
    lost = line(t=50_000, gap={"frames": 1, "bytes": 9, "reason": "full"})
    whole = trace(*start(), prompt(1), end=False) + lost + line(t=99_000, end={**END, "exit_code": 1})
    severities = {one.code: one.severity for one in analyzed(whole)[0].findings}
    assert severities["agent-crashed"] == "note"


@pytest.mark.parametrize(("origin", "crashes"), [("mock", 0), ("replay", 1)])
def test_a_mock_is_no_agent_that_crashes(origin: str, crashes: int) -> None:
    """It ends as its recording did. The agent of a replay is a real one."""
    assert len(_crash(ended={"exit_code": 1}, origin=origin, replay_of="x")) == crashes


def test_without_a_footer_nobody_knows() -> None:
    """The recorder died, or lives."""
    found = analyzed(trace(*start(), prompt(1), end=False))[0].findings
    assert "agent-crashed" not in {one.code for one in found}
