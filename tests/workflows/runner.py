"""Runs the steps of a job or of a composite action on this machine, as a runner of GitHub would.

Steps with `run` are run by bash. Of the steps with `uses`, those that name our own action run `action.yml`; the
others are skipped, and named in the result. Nothing of GitHub is reached.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from release.repository import REPOSITORY as OWN
from tests.support import ACP_TRACE, DEADLINE_S, REPOSITORY
from tests.workflows.expressions import holds, substitute

Step = Mapping[str, Any]


@dataclass(slots=True)
class Ran:
    """What became of a job or an action."""

    code: int = 0  #: of the first step that failed
    output: str = ""  #: of all steps, standard output and standard error
    summary: str = ""  #: the Markdown of all steps
    skipped: list[str] = field(default_factory=list)  #: the actions of others, without their versions
    outputs: dict[str, str] = field(default_factory=dict)  #: of an action


def parsed(path: Path) -> Any:
    """A YAML file, read as GitHub and GitLab read it: `on` is a word, not true."""
    yaml = pytest.importorskip("ruamel.yaml")  # comes with check-jsonschema
    return yaml.YAML(typ="safe", pure=True).load(path.read_text("utf-8"))


class Runner:
    """A checkout, the directories of a runner beside it, and the environment of its steps."""

    def __init__(self, workspace: Path, beside: Path, prefix: Sequence[str] = ()) -> None:
        """`beside`: a directory for what is not in the checkout. `prefix`: what each shell is started with."""
        self.workspace = workspace
        self._prefix = prefix
        self.temp = beside / "temp"
        self._programs = beside / "programs"
        for directory in (self.temp, self._programs):
            directory.mkdir(parents=True)
        self.program("acp-trace", f'exec {" ".join(ACP_TRACE)} "$@"')
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "ACP_TRACE"))
        }
        self._environment = {
            **kept,
            "PATH": f"{self._programs}{os.pathsep}{os.environ['PATH']}",
            "CI": "true",
            "GITHUB_WORKSPACE": str(workspace),
            "RUNNER_TEMP": str(self.temp),
        }

    def program(self, name: str, script: str) -> None:
        """Puts a program on the PATH of the steps, before all others."""
        path = self._programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def without(self, name: str) -> None:
        """Takes a program that this machine has from the PATH of the steps."""
        places = self._environment["PATH"].split(os.pathsep)
        for at, place in enumerate(map(Path, places)):
            if (place / name).exists():
                copy = self._programs.parent / f"without-{name}-{at}"
                copy.mkdir()
                for program in place.iterdir():
                    if program.name != name:
                        (copy / program.name).symlink_to(program)
                places[at] = str(copy)
        self._environment["PATH"] = os.pathsep.join(places)

    def job(self, workflow: Path, **inputs: str) -> Ran:
        """Runs the only job of a workflow, with the first combination of its matrix. `inputs` go to our own action, too."""
        (job,) = parsed(workflow)["jobs"].values()
        ran = Ran()
        combination, *_ = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
        self._steps(job["steps"], {"matrix": combination}, ran, inputs)
        return ran

    def action(self, **inputs: str) -> Ran:
        """Runs our own action."""
        ran = Ran()
        self._action(inputs, ran)
        return ran

    def script(self, lines: Sequence[str]) -> Ran:
        """Runs the lines of a script, as GitLab does."""
        ran = Ran()
        ran.code = self._bash("\n".join(lines), {}, ran)
        return ran

    def _steps(
        self, steps: Sequence[Step], values: dict[str, Any], ran: Ran, own: Mapping[str, str] | None = None
    ) -> None:
        values |= {"steps": {}, "runner": {"temp": str(self.temp)}}
        for step in steps:
            if not holds(step.get("if", "success()"), values, failed=bool(ran.code)):
                continue
            before = ran.code
            outputs = self._step(step, values, ran, own or {})
            outcome = "failure" if ran.code and not before else "success"
            if step.get("continue-on-error"):
                ran.code = before
            if "id" in step:
                values["steps"][step["id"]] = {"outputs": outputs, "outcome": outcome}

    def _step(
        self, step: Step, values: Mapping[str, Any], ran: Ran, own: Mapping[str, str]
    ) -> dict[str, str]:
        """Runs one step; its outputs."""
        if "run" in step:
            return self._run(step, values, ran)
        action = step["uses"].partition("@")[0]
        if action not in {OWN, "./"}:
            ran.skipped.append(action)
            return {}
        inputs = {name: substitute(str(value), values) for name, value in step.get("with", {}).items()}
        return self._action({**inputs, **own}, ran)

    def _action(self, inputs: Mapping[str, str], ran: Ran) -> dict[str, str]:
        action = parsed(REPOSITORY / "action.yml")
        assert set(inputs) <= set(action["inputs"]), (
            "GitHub only warns of an input that an action does not have"
        )
        defaults = {name: its["default"] for name, its in action["inputs"].items()}
        values: dict[str, Any] = {"inputs": {**defaults, **inputs}}
        self._steps(action["runs"]["steps"], values, ran)
        ran.outputs = {name: substitute(its["value"], values) for name, its in action["outputs"].items()}
        return ran.outputs

    def _run(self, step: Step, values: Mapping[str, Any], ran: Ran) -> dict[str, str]:
        """Runs a script; its outputs."""
        files = {name: self.temp / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for path in files.values():
            path.write_text("")
        environment = {name: substitute(str(value), values) for name, value in step.get("env", {}).items()}
        environment |= {name: str(path) for name, path in files.items()}
        environment["GITHUB_ACTION_PATH"] = str(REPOSITORY)
        directory = self.workspace / step.get("working-directory", ".")
        code = self._bash(step["run"], environment, ran, directory)
        ran.code = ran.code or code
        ran.summary += files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
        return dict(_pairs(files["GITHUB_OUTPUT"].read_text("utf-8")))

    def _bash(
        self, script: str, environment: Mapping[str, str], ran: Ran, directory: Path | None = None
    ) -> int:
        done = subprocess.run(
            [*self._prefix, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
            cwd=directory or self.workspace,
            env={**self._environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=DEADLINE_S * 8,
            check=False,
        )
        ran.output += done.stdout.decode("utf-8")
        return done.returncode


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        assert equals, f"{line!r} is not of the form NAME=VALUE"
        yield name, value
