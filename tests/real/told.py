"""What the commands tell of a recorded run, beside what the scenario wants told.

Nothing here starts an agent, and nothing judges: a fact is what it is about, what was told, what was
wanted.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from typing import Any

from tests.real.client import Run
from tests.real.processes import Deadline, Fault
from tests.real.scenario import Scenario
from tests.support import ACP_TRACE

Fact = tuple[str, object, object]
_SIGTERM = 15


class Told:
    """What the commands say about the one trace of a run. Raises Fault where one fails."""

    def __init__(self, run: Run, deadline: Deadline) -> None:
        self._run = run
        self._deadline = deadline
        self.report: dict[str, Any] = json.loads(self.ask("show", "--json", "last"))
        self.rows: list[dict[str, Any]] = json.loads(self.ask("ls", "--json"))
        self.frames: list[dict[str, Any]] = json.loads(self.ask("frames", "--json"))
        self.file = self.ask("export", "last")
        self.client = self.ask("export", "last", "--raw", "client")
        self.agent = self.ask("export", "last", "--raw", "agent")

    def ask(self, *argv: str, **env: str) -> bytes:
        """What `acp-trace ARGV…` prints."""
        done = subprocess.run(
            [*ACP_TRACE, *argv],
            env={**self._run.stage.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=self._deadline.left(),
            check=False,
        )
        if done.returncode or done.stderr:
            said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise Fault(f"acp-trace {' '.join(argv)} ended with {done.returncode}: {said}")
        return done.stdout

    def facts(self, scenario: Scenario) -> Iterator[Fact]:
        """All of them."""
        yield from self._speakers(scenario)
        yield from self._story(scenario)
        yield from self._exchanges(scenario)
        yield from self._list(scenario)

    def _speakers(self, scenario: Scenario) -> Iterator[Fact]:
        """`show` says who spoke, and that the trace is whole."""
        trace, agent = self.report["trace"], scenario.agent
        whole = scenario.kill_at is None
        yield "agent", [trace["agent"][key] for key in ("name", "version")], [agent.name, agent.version]
        yield "client", f"{trace['client']['name']}@{trace['client']['version']}", scenario.client
        yield "protocol version", trace["protocol_version"], 1
        yield "complete", trace["complete"], whole
        yield "lost", trace["lost"], {"frames": 0, "bytes": 0}
        yield "damaged lines", (trace["damaged"], trace["torn_bytes"]), (0, 0)
        yield "labels", trace["labels"], {"scenario": scenario.name}
        yield "log lines", trace["logs"], len(self._run.agent_stderr.splitlines())
        end = trace["end"]
        yield f"the agent ended well with {end}", _ended_well(end) if whole else end is None, True

    def _story(self, scenario: Scenario) -> Iterator[Fact]:
        """`show` says what was asked, what came of it, and how it ended."""
        sessions = self.report["sessions"]
        yield "session/new", "session/new" in {one["opened_by"] for one in sessions}, True
        yield "cwd", {one["cwd"] for one in sessions}, {str(self._run.stage.project)}
        yield "how the session ended", sessions[-1]["ended_by"], scenario.ended_by
        turns = [turn for one in sessions for turn in one["turns"]]
        yield "prompts", [turn["prompt"] for turn in turns], scenario.prompts
        yield "stop reasons", tuple(turn["stop_reason"] for turn in turns), scenario.stop_reasons
        settled = all(turn["settled_frame"] is not None for turn in turns)
        yield "settled", settled, scenario.kill_at is None
        calls = [(call["kind"], call["status"]) for turn in turns for call in turn["tool_calls"]]
        yield "tool calls", tuple(calls), scenario.tool_calls
        asked = [(one["outcome"], one["option_kind"]) for turn in turns for one in turn["permissions"]]
        yield "permissions", tuple(asked), scenario.permissions
        timeline = [entry for one in sessions for entry in one["config"]["timeline"] if not entry["legacy"]]
        sets = [(_requested(entry), entry["honoured"]) for entry in timeline if entry["cause"] == "set"]
        yield "sets, and whether they were honoured", sets, [(one, True) for one in scenario.sets]
        cancels = [(one["kind"], one["outcome"]) for s in sessions for one in s["cancellations"]]
        yield "cancels", tuple(cancels), scenario.cancels
        yield "cancels of no session", self.report["cancellations"], []
        yield "findings", tuple(one["code"] for one in self.report["findings"]), scenario.findings

    def _exchanges(self, scenario: Scenario) -> Iterator[Fact]:
        """`show` says what failed, and what was never answered."""
        exchanges = self.report["exchanges"]
        files = [one for one in exchanges if one["method"].startswith("fs/")]
        done = sorted(one["method"] for one in files if one["outcome"] == "result")
        yield "files", done, sorted(scenario.files)
        failed = {one["method"] for one in exchanges if one["outcome"] not in ("result", "open")}
        yield "failed exchanges", failed, set(scenario.missed)
        still_open = [one["method"] for one in exchanges if one["outcome"] == "open"]
        yield "open exchanges", still_open, [] if scenario.kill_at is None else ["session/prompt"]

    def _list(self, scenario: Scenario) -> Iterator[Fact]:
        """`ls` has this one trace, and agrees with `show`."""
        yield "traces of `ls`", len(self.rows), 1
        row, trace = self.rows[0], self.report["trace"]
        yield "id", row["id"], trace["id"]
        yield "state", row["state"], "complete" if scenario.kill_at is None else "incomplete"
        for side in ("agent", "client"):
            named = {key: trace[side][key] for key in ("name", "version")}
            yield f"{side} of `ls`", row[side], named
        sessions = [one["session_id"] for one in self.report["sessions"]]
        yield "sessions of `ls`", [one["session_id"] for one in row["sessions"]], sessions
        yield "turns of `ls`", row["turns"], len(scenario.prompts)
        yield "frames of `ls`", row["frames"], len(self.frames)
        yield "frames of `show`", sum(trace["frames"].values()), len(self.frames)


def _requested(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["requested"]["config_id"], entry["requested"]["value"]


def _ended_well(end: dict[str, Any] | None) -> bool:
    """Whether the agent ended by itself, or by the SIGTERM that acpx sends 100 ms after the EOF."""
    return end is not None and (end["exit_code"] in (0, 128 + _SIGTERM) or end["signal"] == _SIGTERM)
