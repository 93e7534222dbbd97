"""A recording, played to an agent: the agent that it was made with, or a build of it that went wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.real.processes import Deadline, Fault, run
from tests.real.scenario import Scenario
from tests.real.stage import Stage, furnish, staged
from tests.support import ACP_TRACE

_NOTHING_S = 30  #: how long nothing may go on


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `replay` said."""

    exit_code: int
    passed: bool
    steps: tuple[int, int]  #: sent, planned
    took_s: float
    divergences: tuple[tuple[str, str], ...]  #: code and message
    live: Path  #: the trace of the live run

    @property
    def line(self) -> str:
        """For a table."""
        sent, planned = self.steps
        return f"{'passed' if self.passed else 'FAILED'} {sent} of {planned} in {self.took_s:.1f} s"

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(code for code, _ in self.divergences)


def replay(
    scenario: Scenario, recording: Path, folder: Path, deadline: Deadline, agent: Sequence[str] = ()
) -> Verdict:
    """Plays a scenario's recording to its agent, or to another command, with the workspace that it had."""
    with staged(scenario.agent, folder) as stage:
        live = folder / "live.jsonl"
        argv = command(recording, folder, "--json", "--save", str(live))
        return verdict(stage, [*argv, "--", *(agent or scenario.agent.command)], live, deadline)


def verdict(stage: Stage, argv: list[str], live: Path, deadline: Deadline) -> Verdict:
    """What a replay that prints JSON says, and saves its run as `live`."""
    code, found = _told(stage, argv, deadline)
    return Verdict(
        code,
        found["passed"],
        (found["sent"], found["steps"]),
        found["duration_ns"] / 1e9,
        tuple((one["code"], one["message"]) for one in found["divergences"]),
        live,
    )


def command(recording: Path, folder: Path, *options: str, level: str = "semantic") -> list[str]:
    """`acp-trace replay` of a recording, with the workspace that it had."""
    workspace = furnish(folder / "workspace")
    told = ["--workspace", str(workspace), "--timeout", str(_NOTHING_S), "--match", level]
    return [*ACP_TRACE, "replay", str(recording), *told, *options]


def checked(scenario: Scenario, recording: Path, stage: Stage, deadline: Deadline) -> list[str]:
    """What `check` has wrong about a recording: it must find what the scenario says, and judge by that."""
    argv = [*ACP_TRACE, "check", "--json", "--fail-on", "note", str(recording)]
    stderr = stage.folder / "check.stderr"
    code, output = run(argv, env=stage.env, stderr=stderr, deadline=deadline)
    found = tuple(one["code"] for one in json.loads(output)["traces"][0]["findings"]) if output else None
    if found == scenario.findings and code == bool(scenario.findings):
        return []
    return [f"check: {found}, exit {code}, in place of {scenario.findings}; {last_line(stderr)}"]


def last_line(stderr: Path) -> str:
    return stderr.read_text(errors="replace").strip().rpartition("\n")[2]


def _told(stage: Stage, argv: list[str], deadline: Deadline) -> tuple[int, dict[str, Any]]:
    """Exit code and report. The agent is started in the project, as it was when it was recorded."""
    stderr = stage.folder / "replay.stderr"
    code, output = run(argv, env=stage.env, cwd=stage.project, stderr=stderr, deadline=deadline)
    if not output:
        raise Fault(f"replay ended with {code}: {last_line(stderr)}")
    return code, json.loads(output)["replays"][0]
