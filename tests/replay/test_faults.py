"""Every deliberate fault of a running agent fails its replay, by its own codes and in time."""

from __future__ import annotations

import time

import pytest

from acp_trace.compare.codes import CODES
from acp_trace.replay.drive.replay_and_compare import replay_and_compare
from acp_trace.replay.incidents import RUN_CODES
from acp_trace.replay.settings import Settings
from tests.replay import scenario
from tests.replay.faults import FAULTS
from tests.support import DEADLINE_S, until

#: What no fault of this agent brings about: what hangs on the client, on a setting, or on the recording.
UNTOLD = {
    "answer-unused",
    "cannot-start",
    "notification-extra",
    "notification-missing",
    "over-budget",
    "permission-answer",
    "response-missing",
    "result-differs",
    "session-extra",
    "session-missing",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told(name: str, stage: scenario.Stage) -> None:
    """By its codes and no others, its own one first; nothing of the agent is left."""
    fault = FAULTS[name]
    began = time.monotonic()
    found = stage.play(fault, "fault", name)
    took = time.monotonic() - began
    told = scenario.told(found)
    assert sorted(told) == sorted(fault.codes), [one.message for one in scenario.errors(found)]
    assert told[0] == fault.codes[0]
    assert sorted(scenario.following(found)) == sorted(fault.follows)
    assert (found.verdict.passed, found.verdict.died) == (False, fault.ends)
    assert took < DEADLINE_S
    (pid,) = scenario.logged(found, "pid")
    until(lambda: not scenario.group(pid), "the end of its group")


def test_the_table_of_faults_is_whole() -> None:
    """Every code that fails a replay is told of some fault, but those that this agent has no hand in."""
    told = {code for fault in FAULTS.values() for code in fault.codes}
    known = {code for code, one in {**CODES, **RUN_CODES}.items() if one.severity == "error"}
    assert told <= known
    assert known - told == UNTOLD


def test_an_agent_that_cannot_be_started(stage: scenario.Stage) -> None:
    """A verdict, with a code of its own."""
    found = replay_and_compare(stage.recorded, ["/no/such/agent"], Settings())
    assert scenario.told(found) == ["cannot-start"]
    assert (found.verdict.passed, found.verdict.died) == (False, True)
