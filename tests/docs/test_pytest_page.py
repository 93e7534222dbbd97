"""The examples of docs/pytest.md work as they are written, with a small agent under their names."""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import fields

import pytest

from acp_trace.plugin import AcpReplay, Result
from tests.api.cancelled_turn import AGENT, RECORDED
from tests.docs.pages import DOCS, blocks, inline, text_of
from tests.plugin.project import Project

pytest_plugins = ["pytester"]

PAGE = DOCS / "pytest.md"
_TIME = re.compile(r"\d[\d.]* (ns|µs|ms|s|min)\b")


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The project of the page: an agent in dist, a recording in traces, the page's own settings and test."""
    made = Project(pytester, monkeypatch)
    made.write("dist/agent.js", AGENT)
    made.write("traces/cancel.jsonl", RECORDED.decode())
    made.write("traces/cancel.replay.toml", blocks(PAGE, "toml")[0])
    made.write("test_cancel.py", blocks(PAGE, "python")[0])
    made.write("bin/node", f'#!/bin/sh\nexec {sys.executable} -IS "$@"\n').chmod(0o755)
    monkeypatch.setenv("PATH", f"{made.path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return made


def test_the_settings_and_the_test_pass(project: Project) -> None:
    """Both."""
    assert "2 passed" in project.run()


def test_every_call_of_pytest_can_be_typed(project: Project) -> None:
    """It selects the replay and passes."""
    calls = [shlex.split(line, comments=True) for line in blocks(PAGE, "sh")[0].splitlines()]
    assert len(calls) == 5
    for program, *args in calls:
        assert program == "pytest"
        if "-n" not in args:  # which takes longest, and is tried with the plugin
            assert "traces/cancel.replay.toml::replay PASSED" in project.run("-v", *args)


def test_the_failure_is_the_one_that_is_shown(project: Project) -> None:
    """Its first lines and pytest's last."""
    agent = project.path / "dist/agent.js"
    agent.write_text(AGENT.replace('"cancelled"', '"end_turn"'), "utf-8")
    told = _TIME.sub("TIME", project.run("traces", code=1))
    (shown,) = [block for block in blocks(PAGE, "text") if "FAILED" in block]
    for line in shown.splitlines():
        if "_" * 9 not in line and " steps in " not in line and line != "…":
            assert _TIME.sub("TIME", line.rstrip("…")) in told, line


def test_every_parameter_and_every_field_is_explained() -> None:
    """Those of the fixture, and those of what it gives."""
    (call,) = [code for code in inline(PAGE) if code.startswith("acp_replay(")]
    parameters = [name for name in AcpReplay.__call__.__annotations__ if name not in ("trace", "return")]
    assert re.findall(r"\w+", call.partition("*")[2]) == parameters
    told = set(re.findall(r"`(\w+)`", text_of(PAGE)))
    assert {field.name for field in fields(Result)} | {"counts"} <= told


def test_a_conversation_is_recorded_once(project: Project) -> None:
    """That of the settings, and that of the test; each line of the page does what it says."""
    settings, test = blocks(PAGE, "toml")[1], blocks(PAGE, "python")[1]
    (project.path / "traces/cancel.jsonl").unlink()
    (project.path / "traces/cancel.replay.toml").unlink()
    (project.path / "test_cancel.py").unlink()
    # The small agent answers a prompt only when it is cancelled.
    project.write("traces/hello.replay.toml", settings.replace('"Write a file with a greeting", ', ""))
    project.write("test_story.py", test)
    lines = [shlex.split(line, comments=True) for line in blocks(PAGE, "sh")[1].splitlines()]
    once, none, every = (args for _, *args in lines)
    assert "traces/story.jsonl does not exist: `pytest --acp-record=once` records it" in project.run(
        *none, code=1
    )
    out = project.run(*once)
    assert "recorded traces/story.jsonl: 1 turn (cancelled)" in out
    assert "recorded traces/hello.jsonl: 1 turn (cancelled)" in out
    assert "recorded traces" not in project.run(*once)
    project.run(*none)
    assert out.count("recorded traces/") == project.run(*every).count("recorded traces/") == 2
