"""The action does what its inputs say, and text of strangers stays text. Its steps run here, with a small agent."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from acp_trace.cli import errors
from action import replay
from tests.plugin.project import AGENT, RECORDED
from tests.support import ACP_TRACE, DEADLINE_S, PYTHON, REPOSITORY, until
from tests.workflows.expressions import evaluate, holds
from tests.workflows.runner import Ran, Runner, parsed

_AGENT = f"{shlex.quote(sys.executable)} -IS agent.py"


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A checkout with an agent, and a recording whose name is an option of a shell's command."""
    workspace = tmp_path / "check out"
    workspace.mkdir()
    (workspace / "agent.py").write_text(AGENT)
    (workspace / "--chaos=$(touch pwned) one.jsonl").write_bytes(RECORDED)
    return Runner(workspace, tmp_path / "runner")


def _act(runner: Runner, **inputs: str) -> Ran:
    return runner.action(version="installed", **{"agent": _AGENT, "traces": "*.jsonl", **inputs})


@pytest.mark.slow
def test_a_good_build_passes_whatever_its_recording_is_called(runner: Runner) -> None:
    """All outputs, a summary, and nothing written beside the agent."""
    ran = _act(runner)
    assert ran.code == 0, ran.output
    paths = {"junit", "page", "home"}
    counted = {name: value for name, value in ran.outputs.items() if name not in paths}
    assert counted == {"verdict": "passed", "exit-code": "0", "passed": "1", "failed": "0"}
    assert all(runner.temp in Path(ran.outputs[name]).parents for name in paths)
    assert Path(ran.outputs["home"]).is_dir()
    assert "1 passed, 0 failed" in ran.summary
    assert ran.skipped == ["actions/upload-artifact"]
    assert sorted(path.name for path in runner.workspace.iterdir()) == [
        "--chaos=$(touch pwned) one.jsonl",
        "agent.py",
    ]


@pytest.mark.slow
def test_a_broken_build_fails_with_the_verdict_of_the_replay(runner: Runner) -> None:
    """With an annotation; the artifact is uploaded all the same."""
    ran = _act(runner, agent=f"{_AGENT} --stop refusal")
    assert (ran.code, ran.outputs["verdict"], ran.outputs["failed"]) == (1, "differs", "1"), ran.output
    assert "\n::error file=" in ran.output
    assert "stop-reason" in ran.summary
    assert "::error" not in ran.summary
    assert ran.skipped == ["actions/upload-artifact"]


@pytest.mark.slow
def test_a_job_that_is_cancelled_leaves_no_agent_behind(tmp_path: Path) -> None:
    """The step gets a signal; it passes the signal to the replay, which ends the agent."""
    (tmp_path / "one.jsonl").write_bytes(RECORDED)
    (tmp_path / "agent.py").write_text(
        "import os; print(os.getpid(), file=open('pid', 'w'), flush=True); input(); input()"
    )
    environment = {
        **os.environ,
        "TRACES": "one.jsonl",
        "AGENT": _AGENT,
        "ARGUMENTS": "--cwd .",
        "PROGRAM": str(tmp_path / "acp-trace"),
        **{name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")},
        "RUNNER_TEMP": str(tmp_path),
    }
    program = tmp_path / "acp-trace"
    program.write_text(f'#!/bin/sh\nexec {" ".join(ACP_TRACE)} "$@"\n')
    program.chmod(0o755)
    step = [*PYTHON, str(REPOSITORY / "action" / "replay.py")]
    with subprocess.Popen(
        step, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        pid = tmp_path / "pid"
        number = int(until(lambda: pid.exists() and pid.read_text().strip(), "the agent"))
        run.terminate()
        assert run.wait(DEADLINE_S) == 128 + signal.SIGTERM
    assert not Path(f"/proc/{number}").exists()


def test_an_input_is_never_run(runner: Runner) -> None:
    """Each is a word of the replay's command, and the replay refuses it."""
    bad = "$(touch pwned); touch pwned `touch pwned`"
    ran = _act(runner, traces=bad, match=bad, budget=bad, arguments=bad, agent=bad)
    assert (ran.code, ran.outputs["verdict"], ran.outputs["junit"]) == (2, "misused", ""), ran.output
    assert "::error title=acp-trace::" in ran.output
    assert not (runner.workspace / "pwned").exists()


#: In place of a Python: makes an environment whose Python prints what it is called with.
_PYTHON = (
    'mkdir -p "$3/bin"; printf \'#!/bin/sh\\necho "$0" "$@"\\n\' >"$3/bin/python"; chmod +x "$3/bin/python"'
)


@pytest.mark.parametrize(
    ("version", "package"), [("", f"{REPOSITORY}[model]"), ("0.1.0", "acp-trace[model]==0.1.0")]
)
def test_acp_trace_is_installed_in_an_environment_of_its_own(
    runner: Runner, version: str, package: str
) -> None:
    """By default the checkout of the action, so that a tag of the action is a version of acp-trace."""
    runner.program("python3", _PYTHON)
    runner.without("uv")
    ran = runner.action(version=version, agent=_AGENT)
    environment = runner.temp / "acp-trace-environment" / "bin" / "python"
    installed, replayed = ran.output.splitlines()
    assert installed == f"{environment} -m pip install --quiet --disable-pip-version-check {package}"
    assert replayed == f"{environment} -I {REPOSITORY}/action/replay.py"
    assert ran.skipped == ["actions/setup-python"]


def test_uv_installs_if_it_is_there(runner: Runner) -> None:
    """Into the same environment."""
    runner.program("python3", _PYTHON)
    runner.program("uv", 'echo uv "$@"')
    environment = runner.temp / "acp-trace-environment" / "bin" / "python"
    ran = runner.action(agent=_AGENT)
    assert ran.output.splitlines()[0] == f"uv pip install --quiet --python {environment} {REPOSITORY}[model]"


def test_a_version_that_is_none_is_refused(runner: Runner) -> None:
    """Before anything is installed."""
    ran = runner.action(version="0.1.0 --index-url x")
    assert (ran.code, "not a version" in ran.output, ran.outputs["verdict"]) == (1, True, "")


def test_the_command_has_the_inputs_in_their_places(tmp_path: Path) -> None:
    """Several patterns, several budgets, quoted arguments."""
    inputs = {
        "PROGRAM": "acp-trace",
        "TRACES": "a b/*.jsonl\n\n  c.jsonl\n-d.jsonl\n",
        "BUDGET": "cancel.settle p95 < 2s\nturn.took max < 1m",
        "MATCH": "exact",
        "ARGUMENTS": "--jobs 2 --home 'my home'",
        "AGENT": 'node "dist/my agent.js"',
    }
    junit, page = tmp_path / "replay.xml", tmp_path / "replay.html"
    assert replay.command(inputs, tmp_path) == [
        *("acp-trace", "replay", "a b/*.jsonl", "c.jsonl", "./-d.jsonl"),
        *("--github", "--junit", str(junit), "--html", str(page), "--match", "exact"),
        *("--budget", "cancel.settle p95 < 2s", "--budget", "turn.took max < 1m"),
        *("--jobs", "2", "--home", "my home", "--", "node", "dist/my agent.js"),
    ]


@pytest.mark.parametrize(("name", "value"), [("AGENT", 'node "dist'), ("ARGUMENTS", "'"), ("TRACES", "\n")])
def test_what_cannot_be_split_is_named(tmp_path: Path, name: str, value: str) -> None:
    """By the name of its input."""
    with pytest.raises(replay.Misuse, match=name.lower()):
        replay.command({"PROGRAM": "acp-trace", "TRACES": "traces", name: value}, tmp_path)


def test_no_text_of_a_report_leaves_its_quotation() -> None:
    """A longer run of backticks than any in the report; a report that is too long is cut."""
    text = replay.summary("It differs.", replay.Counts(0, 1), "a\n````\n<img src=x>\n" + "x" * 1_000_000)
    assert text.count("`````") == 2
    assert len(text) < 2**18


def test_each_exit_code_has_its_word() -> None:
    """All that a replay ends with."""
    assert set(replay.VERDICTS) == {
        0,
        errors.DIFFERS,
        errors.USAGE,
        errors.UNREADABLE,
        errors.NOTHING,
        errors.DIED,
    }
    words = parsed(REPOSITORY / "action.yml")["outputs"]["verdict"]["description"]
    assert all(f"`{word}`" in words for word, _ in replay.VERDICTS.values())


@pytest.mark.parametrize(
    ("condition", "after_success", "after_failure"),
    [
        ("success()", True, False),
        ("inputs.a != ''", True, False),
        ("always() && inputs.a != '' && steps.x.outputs.y == '1'", True, True),
        ("failure()", False, True),
        ("always() && inputs.missing != ''", False, False),
    ],
)
def test_a_condition_is_evaluated_as_on_github(
    condition: str, after_success: bool, after_failure: bool
) -> None:
    """Else the tests above would show nothing."""
    values = {"inputs": {"a": "b"}, "steps": {"x": {"outputs": {"y": "1"}}}}
    assert (holds(condition, values, failed=False), holds(condition, values, failed=True)) == (
        after_success,
        after_failure,
    )
    with pytest.raises(ValueError, match="not an expression"):
        evaluate("hashFiles('x')", values)
