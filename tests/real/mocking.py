"""`mock` with real clients: each is driven with an agent, and then with that agent's recording in its place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tests.real.agents import PY_SDK
from tests.real.client import drive, recorder
from tests.real.mismatches import Mismatches, printed
from tests.real.processes import Deadline, Fault, run
from tests.real.replaying import last_line
from tests.real.scenario import Scenario
from tests.real.scenarios import PY_ACPX, TS_ACPX
from tests.real.stage import Stage, furnish, staged
from tests.support import ACP_TRACE

_PY_CLIENT = Path(__file__).with_name("py_client.py")
_METHOD_NOT_FOUND = -32601


@dataclass(frozen=True, slots=True)
class Seen:
    """What the Python SDK's client saw."""

    sessions: list[Any]  #: of each session all that came, in order
    listed: Any  #: what its question for a list came to
    exit_code: int  #: the agent's


def acpx(folder: Path, deadline: Deadline) -> list[str]:
    """Prints the same with `mock` as with the agent that was recorded."""
    return [f"{one.name}: {fault}" for one in (PY_ACPX, TS_ACPX) for fault in _acpx(one, folder, deadline)]


def _acpx(scenario: Scenario, folder: Path, deadline: Deadline) -> list[str]:
    recorded = drive(scenario, folder / f"{scenario.name}-recorded", deadline, recorder(scenario))
    if recorded.file is None:
        return ["the agent was not recorded"]
    junit = folder / f"{scenario.name}.xml"  # acpx keeps to itself what its agent says on stderr
    mock = [*ACP_TRACE, "mock", str(recorded.file), "--junit", str(junit)]
    mocked = drive(scenario, folder / f"{scenario.name}-mocked", deadline, mock)
    mismatches = Mismatches()
    mismatches.same("its exit code", mocked.exit_code, recorded.exit_code)
    mismatches.same("what it printed", printed(mocked), printed(recorded))
    return mismatches.faults + failures(junit)


def two_sessions(folder: Path, deadline: Deadline) -> list[str]:
    """Sees twice, at once, what it saw when it was recorded, and the mock is content."""
    with staged(PY_SDK, folder / "stage") as stage:
        recording = folder / "recording.jsonl"
        recorder_ = [*ACP_TRACE, "record", "--out", str(recording), "--", *PY_SDK.command]
        before = _play(stage, deadline, "-", 1, recorder_)
        junit = folder / "mock.xml"
        mock = [*ACP_TRACE, "mock", str(recording), "--sessions", "2", "--junit", str(junit)]
        after = _play(stage, deadline, "-", 2, mock)
    mismatches = Mismatches()
    mismatches.same("the mock's exit code", after.exit_code, 0)
    for number, seen in enumerate(after.sessions, 1):
        mismatches.same(f"what session {number} saw", seen, before.sessions[0])
    return mismatches.faults + failures(junit)


def something_new(folder: Path, deadline: Deadline) -> list[str]:
    """Gets an error for what was not recorded, and the mock tells it as a divergence."""
    with staged(PY_SDK, folder / "stage") as stage:
        recording = folder / "recording.jsonl"
        recorder_ = [*ACP_TRACE, "record", "--out", str(recording), "--", *PY_SDK.command]
        _play(stage, deadline, "-", 1, recorder_)
        junit = folder / "mock.xml"
        mock = [*ACP_TRACE, "mock", str(recording), "--junit", str(junit)]
        seen = _play(stage, deadline, "list", 1, mock)
    wanted = [_METHOD_NOT_FOUND, "acp-trace: the recording has no answer for this session/list"]
    mismatches = Mismatches()
    mismatches.same("what the client got", seen.listed, wanted)
    mismatches.same("the mock's exit code", seen.exit_code, 1)
    told_of = failures(junit)
    told = len(told_of) == 1 and "session/list" in told_of[0]
    mismatches.unless(told, f"the mock's verdict is {told_of}")
    return mismatches.faults


def _play(stage: Stage, deadline: Deadline, more: str, sessions: int, agent: Sequence[str]) -> Seen:
    """Has the client work with an agent, each session in a project of its own."""
    stem = f"client-{agent[len(ACP_TRACE)]}"
    projects = [furnish(stage.folder / f"{stem}-{number}") for number in range(1, sessions + 1)]
    argv = ["../bin/python-sdk/bin/python", "-I", str(_PY_CLIENT), more, *map(str, projects), "--", *agent]
    stderr = stage.folder / f"{stem}.stderr"
    # The SDK gives its agent little of the environment; the home is in that.
    code, output = run(argv, env=stage.env, cwd=stage.project, stderr=stderr, deadline=deadline)
    if code:
        raise Fault(f"the client ended with {code}: {last_line(stderr)}")
    told = json.loads(output)
    pairs = zip(told.pop("sessions"), projects, strict=True)
    seen = [json.loads(json.dumps(one).replace(str(project), "<project>")) for one, project in pairs]
    return Seen(seen, **told)


def failures(junit: Path) -> list[str]:
    """What the verdict of a mock is about, from its JUnit file; nothing where it passed."""
    if not junit.exists():
        return ["the mock left no verdict"]
    cases = ET.parse(junit).getroot().iter("testcase")
    found = [case.find("failure") for case in cases]
    return [str(one.get("message")) for one in found if one is not None]
