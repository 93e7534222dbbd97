"""The examples for CI run as they are: their steps, offline, with real agents on Node.

npm installs what they need beforehand; a step that installs does nothing then. Each step runs where nothing but
the loopback can be reached, if this user can have such a place.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, blocks
from tests.real import hermetic_run, packages
from tests.support import DEADLINE_S, REPOSITORY, SAMPLES
from tests.workflows.runner import Runner, parsed

_EXAMPLES = REPOSITORY / "docs" / "examples"
_AGENT = _EXAMPLES / "agent-in-ci"
_WORKFLOW = ".github/workflows/agent.yml"
_NIGHTLY = _EXAMPLES / "nightly" / ".github" / "workflows" / "nightly.yml"

#: A change of the agent's source -> the code that docs/ci.md says a replay fails with.
_FAULTS = {
    ('{ stopReason: "cancelled" }', '{ stopReason: "end_turn" }'): "cancel-outcome",
    (
        "find(params.sessionId).turn?.abort())",
        "void setTimeout(() => find(params.sessionId).turn?.abort(), 2500))",
    ): "over-budget",
    ("{ sessionId, configOptions: options(session) }", "{ sessionId }"): "config-timeline",
    ("return [{ id:", "if (choices.length) return [];\n  return [{ id:"): "option-missing",
    ("session.style = value;", ""): "config-final",
    ("text: piece }", "text: piece.toUpperCase() }"): "content-differs",
}


def _installed(*pins: str) -> Path:
    """The `node_modules` with these packages."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    try:
        return packages.npm(*pins)
    except packages.OutOfReach as why:
        pytest.skip(f"npm cannot install here: {why}")


def _runner(workspace: Path, beside: Path) -> Runner:
    alone = hermetic_run.ALONE if hermetic_run.can_be_alone() else ()
    runner = Runner(workspace, beside, alone)
    runner.program("npm", f'[ "$1" = install ] || exec {shutil.which("npm")} "$@"')
    return runner


@pytest.fixture
def example(tmp_path: Path) -> Runner:
    """A checkout of the example, with its packages."""
    manifest = json.loads((_AGENT / "package.json").read_text("utf-8"))
    pins: Mapping[str, str] = {**manifest["dependencies"], **manifest["devDependencies"]}
    modules = _installed(*(f"{name}@{version}" for name, version in pins.items()))
    checkout = tmp_path / "agent-in-ci"
    shutil.copytree(_AGENT, checkout, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (checkout / "node_modules").symlink_to(modules)
    return _runner(checkout, tmp_path / "runner")


def _break(runner: Runner) -> None:
    patch = ["patch", "--quiet", "-p1", "-i", "broken.patch"]
    subprocess.run(patch, cwd=runner.workspace, check=True, timeout=DEADLINE_S)


def test_the_example_is_green_and_with_its_patch_red(example: Runner) -> None:
    """On GitHub: with an annotation at the recording, and the reason in the summary."""
    good = example.job(example.workspace / _WORKFLOW, version="installed")
    assert good.code == 0, good.output
    assert good.skipped == ["actions/checkout", "actions/setup-node", "actions/upload-artifact"]
    assert "3 calls, 3 matched" in good.summary
    _break(example)
    broken = example.job(example.workspace / _WORKFLOW, version="installed")
    assert broken.code == 1, broken.output
    assert "::error file=traces/session.jsonl,line=" in broken.output
    assert "cancel-outcome" in broken.summary


def test_the_template_of_gitlab_is_green_and_with_the_patch_red(example: Runner) -> None:
    """The same lines, and the report that GitLab shows."""
    job = parsed(example.workspace / ".gitlab-ci.yml")["replay"]
    good = example.script(job["script"])
    assert good.code == 0, good.output
    _break(example)
    broken = example.script(job["script"])
    assert broken.code == 1, broken.output
    (failure,) = ET.parse(example.workspace / job["artifacts"]["reports"]["junit"]).iter("failure")
    assert failure.get("type") == "cancel-outcome"
    assert all((example.workspace / path).stat().st_size for path in job["artifacts"]["paths"])


def test_the_steps_of_the_page_give_the_job_s_verdict_on_this_machine(example: Runner) -> None:
    """Green, and red with each fault for the reason that docs/ci.md names."""
    steps, _ = blocks(DOCS / "ci.md", "sh")
    good = example.script([steps])
    assert good.code == 0, good.output
    agent = example.workspace / "src" / "agent.ts"
    source = agent.read_text("utf-8")
    for (right, wrong), code in _FAULTS.items():
        assert right in source
        agent.write_text(source.replace(right, wrong), "utf-8")
        broken = example.script([steps])
        assert (broken.code, code in broken.output) == (1, True), broken.output


def test_a_build_that_fails_is_not_replayed(example: Runner) -> None:
    """The job ends at the compiler's error."""
    (example.workspace / "src" / "agent.ts").write_text("const one: string = 1;\n")
    ran = example.job(example.workspace / _WORKFLOW, version="installed")
    assert (bool(ran.code), "TS2322" in ran.output, ran.skipped[-1]) == (True, True, "actions/setup-node")


def test_our_own_job_is_green_because_the_broken_build_is_found(example: Runner, tmp_path: Path) -> None:
    """The action of this repository, with the example in its place."""
    place = tmp_path / "docs" / "examples" / "agent-in-ci"
    place.parent.mkdir(parents=True)
    example.workspace.rename(place)
    example.workspace = tmp_path
    ran = example.job(REPOSITORY / ".github" / "workflows" / "action.yml", version="installed")
    assert ran.code == 0, ran.output
    assert "::error file=docs/examples/agent-in-ci/traces/session.jsonl,line=" in ran.output


@pytest.fixture
def nightly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """A checkout with a recording that begins with a login, and an agent as npm installs it. There is no key.

    Here, npm's newest version is the one that other tests use.
    """
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    modules = _installed(*packages.GEMINI)
    checkout = tmp_path / "nightly"
    (recording,) = (path for path in SAMPLES if path.name == "gemini-model.jsonl")
    assert '"method": "authenticate"' in recording.read_text("utf-8")
    (checkout / "traces").mkdir(parents=True)
    shutil.copy(recording, checkout / "traces" / "gemini-cli.jsonl")
    runner = _runner(checkout, tmp_path / "runner")
    programs = checkout / "agent" / "node_modules" / ".bin"
    programs.mkdir(parents=True)
    (programs / "gemini").symlink_to(modules / ".bin" / "gemini")
    return runner


def test_the_nightly_job_replays_a_published_agent_without_a_key(nightly: Runner) -> None:
    """All calls of its model are answered from the recording."""
    ran = nightly.job(_NIGHTLY, version="installed")
    assert ran.code == 0, ran.output
    assert "8 calls, 8 matched" in ran.summary


def test_the_nightly_job_finds_a_version_with_a_broken_login(nightly: Runner) -> None:
    """The agent no longer knows the method."""
    gemini = nightly.workspace / "agent" / "node_modules" / ".bin" / "gemini"
    real = gemini.readlink()
    gemini.unlink()
    gemini.write_text(f'#!/bin/sh\nsed -u \'s/"authenticate"/"sign_in"/\' | {real} "$@"\n')
    gemini.chmod(0o755)
    ran = nightly.job(_NIGHTLY, version="installed", arguments="--home fresh")
    assert ran.code == 1, ran.output
    assert "error-instead-of-result" in ran.summary
