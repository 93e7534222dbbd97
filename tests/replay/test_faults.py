"""Every deliberate fault of a running agent fails its replay, by its own codes and in time."""

from __future__ import annotations

import json
import time

import pytest

from acp_trace.compare.codes import CODES, MATCHES, Match
from acp_trace.replay.conversation import patience
from acp_trace.replay.drive.replay_and_compare import replay_and_compare
from acp_trace.replay.incidents import RUN_CODES
from acp_trace.replay.settings import Settings
from tests.replay import levels, scenario
from tests.replay.faults import FAULTS
from tests.support import DEADLINE_S, Home, until

#: What no fault of this agent brings about: what hangs on the client, on a setting, or on the recording.
UNTOLD = {
    "session-crossed",
    "cannot-start",
    "notification-extra",
    "notification-missing",
    "over-budget",
    "permission-answer",
    "response-missing",
    "result-differs",
    "session-missing",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told(name: str, stage: scenario.Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its codes and no others, its own one first, at each level; nothing of the agent is left.

    A flood of messages is over after a tenth of those that `test_a_flood_is_over` counts; that of bytes is as
    it is.
    """
    fault = FAULTS[name]
    if fault.hangs and "flood" in fault.codes:
        monkeypatch.setattr(patience, "FLOOD_TIMES", 2)
    began = time.monotonic()
    played = stage.play(fault, "fault", name)
    verdicts = stage.verdicts(played)
    took = time.monotonic() - began
    for match, verdict in verdicts.items():
        told, due = levels.told(verdict.comparison.divergences), levels.due(fault, match)
        said = [one.message for one in verdict.comparison.failing]
        assert (sorted(told.causes), told.follows) == (sorted(due.causes), due.follows), (match, said)
        assert told.causes[:1] == due.causes[:1], (match, said)
        assert verdict.passed is not bool(due.causes)
        notes = {one.code for one in verdict.comparison.divergences if one.severity == "note"}
        assert ("model-away" in notes) is (fault.is_away and bool(due.causes))
        assert verdict.died is fault.ends
    assert list(verdicts) == [*MATCHES]
    assert took < 4 * DEADLINE_S  # it ends; how soon depends on the machine: 64 MB took 36 s on a busy one
    (pid,) = scenario.logged(played, "pid")
    until(lambda: not scenario.group(pid), "the end of its group")


#: Faults that are told otherwise from level to level.
CHANGING = ("another title of a tool call", "another file that is read", "a title that says `undefined`")


@pytest.mark.parametrize("match", MATCHES)
def test_the_command_tells_the_same_at_a_level(match: Match, recorded_file: bytes, home: Home) -> None:
    """A replay that is played at this level, and not only judged at it."""
    recording = home.path.with_name("recorded.jsonl")
    recording.write_bytes(recorded_file)
    for name in CHANGING:
        due = levels.due(FAULTS[name], match)
        agent = ["--", *scenario.AGENT, "--fault", name]
        done = home.outcome("replay", str(recording), "--match", match, "--json", *agent)
        verdict = json.loads(done.stdout)
        (replay,) = verdict["replays"]
        failing = [one for one in replay["divergences"] if one["severity"] == "error"]
        own = [
            one["code"] for one in failing if one["consequence_of"] is one["consequence_of_expected"] is None
        ]
        assert (sorted(own), done.returncode) == (sorted(due.causes), int(bool(own))), verdict


def test_the_table_of_faults_is_whole() -> None:
    """Every code that fails a replay is told of some fault, but those that this agent has no hand in."""
    told = {
        code for fault in FAULTS.values() for match in MATCHES for code in levels.due(fault, match).causes
    }
    known = {code for code, one in {**CODES, **RUN_CODES}.items() if one.severity == "error"}
    assert told <= known
    elsewhere = {code for code in known if code.startswith(("model-", "file-"))}  # this agent has neither
    assert known - told == UNTOLD | elsewhere


def test_an_agent_that_cannot_be_started(stage: scenario.Stage) -> None:
    """A verdict, with a code of its own."""
    found = replay_and_compare(stage.recorded, ["/no/such/agent"], Settings())
    assert levels.told(found.verdict.comparison.divergences) == levels.Told(("cannot-start",))
    assert (found.verdict.passed, found.verdict.died) == (False, True)
