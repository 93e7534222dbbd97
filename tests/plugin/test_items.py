"""`NAME.replay.toml` beside a trace is a test."""

from __future__ import annotations

import json
import re
import shlex
import xml.etree.ElementTree as ET

import pytest

from acp_trace.plugin.items import SUFFIX
from acp_trace.replay import settings
from tests.plugin.project import Project, command
from tests.support import Home

pytest_plugins = ["pytester"]

ID = "traces/hi.replay.toml::replay"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    return Project(pytester, monkeypatch)


def test_settings_beside_a_trace_are_a_test(project: Project) -> None:
    """It has an id to name it by, is selected by its name, and passes where the agent is as recorded."""
    project.replays()
    assert ID in project.run("--collect-only", "-q")
    assert f"{ID} PASSED" in project.run("-v")
    assert "1 passed" in project.run(ID)
    assert "1 passed" in project.run("traces/hi.replay.toml")
    assert "1 passed" in project.run("-k", "hi and replay")
    assert "1 deselected" in project.run("-k", "bye", code=5)


def test_the_suffix_is_that_of_the_settings() -> None:
    """It stands in two places, because collecting must not import the settings."""
    assert SUFFIX == settings.SUFFIX


def test_a_failure_is_the_report(project: Project) -> None:
    """All of it, no line of a traceback, and the first divergence in the summary."""
    project.replays()
    out = project.run("--acp-agent", shlex.join(command("--stop", "refusal")), code=1)
    assert "_ replay of traces/hi.jsonl _" in out
    assert "\nFAILED  traces/hi.jsonl  " in out
    assert "    actual    #7 ◂ answer to session/prompt: refusal\n" in out
    assert "acp-trace replay traces/hi.jsonl --update -- " in out
    assert f"FAILED {ID} - Failed: stop-reason: turn 0: stopR" in out
    assert "Traceback" not in out
    assert ".py:" not in out


def test_nothing_is_updated_in_ci(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """So nobody is told to."""
    monkeypatch.setenv("CI", "true")
    project.replays()
    assert "--update" not in project.run("--acp-agent", shlex.join(command("--stop", "refusal")), code=1)


def test_retries_tell_flaky_from_failing(project: Project) -> None:
    """Tried again, it passes; where there are no retries, the same agent fails."""
    first = command("--once", str(project.path / "tried"))
    project.replays("retries = 1", f"agent = {json.dumps(first)}", agent=False)
    project.test(
        "found = acp_replay('traces/hi.jsonl')\n    assert (found.passed, found.flaky) == (True, True)"
    )
    assert "1 passed" in project.run("test_it.py")
    (project.path / "tried").unlink()
    assert "1 passed" in project.run(ID)
    (project.path / "tried").unlink()
    project.replays(f"agent = {json.dumps(first)}", agent=False)
    assert "stop-reason: turn 0: stopR" in project.run(ID, code=1)


def test_the_report_says_how_often_it_was_tried(project: Project) -> None:
    """And what the attempts differ in."""
    project.replays("retries = 1")
    out = project.run("--acp-agent", shlex.join(command("--stop", "refusal")), code=1)
    assert "\n all 2 attempts failed; below, attempt 2\n attempt 1, " in out


def test_any_of_the_alternatives_will_do(project: Project) -> None:
    """Recordings of the same conversation in which an agent ends otherwise; one that is not there is an error."""
    recorded = (project.path / "traces/hi.jsonl").read_text("utf-8")
    project.write("traces/refused.jsonl", recorded.replace("end_turn", "refusal"))
    project.replays('alternatives = ["refused.jsonl"]')
    for reason, code in (("refusal", 0), ("max_tokens", 1)):
        out = project.run("--acp-agent", shlex.join(command("--stop", reason)), code=code)
        assert ("against traces/refused.jsonl: stop-reason" in out) == bool(code)
    project.replays('alternatives = ["none.jsonl"]')
    assert "hi.replay.toml: alternatives: there is no file none.jsonl" in project.run(code=1)


def test_an_agent_that_dies(project: Project) -> None:
    """The report says so, and what it said last."""
    project.replays()
    out = project.run("--acp-agent", shlex.join(command("--die")), code=1)
    assert "agent-gone" in out
    assert "out of luck" in out
    assert "--update" not in out


def test_an_agent_that_is_not_there(project: Project) -> None:
    """A divergence, as in `acp-trace replay`, and no error of pytest."""
    project.replays('agent = ["no-such-agent-here"]', agent=False)
    out = project.run(code=1)
    assert "cannot-start" in out
    assert "no-such-agent-here" in out


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], 'hi.replay.toml names no agent: add `agent = ["my-agent", "--acp"]` to it'),
        (["agent = 1"], "hi.replay.toml: agent is 1: it must be a list of strings"),
        (["agnet = []"], "hi.replay.toml: 'agnet' is not a setting; did you mean agent?"),
        (["agent = "], "hi.replay.toml: Invalid value"),
        (['workspace = "nowhere"'], "hi.replay.toml: workspace: there is no directory nowhere"),
    ],
)
def test_settings_that_are_wrong_fail_their_own_test(project: Project, lines: list[str], said: str) -> None:
    """With words, and the other tests run."""
    project.replays(*lines, agent=False)
    project.test("pass")
    out = project.run(code=1)
    assert said in out
    assert "1 failed, 1 passed" in out
    assert "Traceback" not in out
    assert "During handling" not in out


def test_settings_without_a_trace(project: Project) -> None:
    """There is nothing to replay: a trace that was renamed does not pass for ever."""
    project.replays(name="bye")
    assert "traces/bye.replay.toml: there is no bye.jsonl beside it" in project.run(code=1)


def test_a_trace_that_is_none(project: Project) -> None:
    """The reader's own words."""
    project.replays()
    project.write("traces/hi.jsonl", "hello\n")
    assert "traces/hi.jsonl is not a trace" in project.run(code=1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('mask = "/params/nothing"', "nothing to hide for mask /params/nothing at this level"),
        ('budget = "cancel.settle max < 1s"', "over-budget"),
    ],
)
def test_all_settings_hold(project: Project, line: str, said: str) -> None:
    """A mask without a use and a budget without a sample fail, and no update would help."""
    project.replays(line)
    out = project.run(code=1)
    assert said in out
    assert "--update" not in out


def test_the_agent_of_the_ini_file(project: Project) -> None:
    """It serves the replays that name none."""
    project.write("pytest.ini", f"[pytest]\nacp_agent = {shlex.join(command())}\n")
    project.replays(agent=False)
    project.replays('agent = ["no-such-agent-here"]', agent=False, name="other")
    project.write("traces/other.jsonl", (project.path / "traces/hi.jsonl").read_text("utf-8"))
    out = project.run("-v", code=1)
    assert f"{ID} PASSED" in out
    assert "traces/other.replay.toml::replay FAILED" in out


@pytest.mark.parametrize("given", ["", "'"])
def test_an_agent_that_is_no_command(project: Project, given: str) -> None:
    """Nothing is run, and pytest says that it was called wrongly."""
    assert "--acp-agent" in project.run("--acp-agent", given, code=4)


def test_the_agent_is_started_in_rootdir(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """From wherever pytest is called; what is typed is seen from there."""
    project.replays()
    monkeypatch.chdir(project.path / "traces")
    assert "1 passed" in project.run()
    typed = [word.replace("agent.py", "../agent.py") for word in command()]
    assert "1 passed" in project.run("--acp-agent", shlex.join(typed))


def test_the_live_run_is_in_the_store(project: Project) -> None:
    """Under the id that the report has, in the home that the environment names."""
    project.replays()
    out = project.run("--acp-agent", shlex.join(command("--stop", "refusal")), code=1)
    (live,) = set(re.findall(r"\d{8}T\d{6}Z-[0-9a-f]{6}", out))
    shown = Home(project.home).run("export", live)
    assert json.loads(shown.splitlines()[0])["replay_of"] == "20261120T130501Z-7f3a9c"


def test_the_plugin_adds_nothing_to_pytests_own_report(project: Project) -> None:
    """Properties of a case, which Jenkins' schema has none of, would make the whole file invalid."""
    project.replays()
    project.run("--acp-agent", shlex.join(command("--stop", "refusal")), "--junitxml", "report.xml", code=1)
    (case,) = ET.parse(project.path / "report.xml").iter("testcase")
    assert (case.get("classname"), case.get("name")) == ("traces.hi.replay.toml", "replay")
    assert [child.tag for child in case] == ["failure"]
    assert "stop-reason" in (case[0].get("message") or "")


def test_side_by_side(project: Project) -> None:
    """With xdist, each worker finds the same tests in each worker, and tells the same."""
    pytest.importorskip("xdist")
    for name in ("a", "b"):
        project.replays(name=name)
        project.write(f"traces/{name}.jsonl", (project.path / "traces/hi.jsonl").read_text("utf-8"))
    project.replays("match = 'outcome'", 'mask = "/params/x"', name="b")
    out = project.run_apart("-n2", "-v", code=1)
    assert "PASSED traces/a.replay.toml::replay" in out
    assert "FAILED traces/b.replay.toml::replay" in out
    assert "\nFAILED  traces/b.jsonl  " in out


def test_it_can_be_left_out(project: Project) -> None:
    """As any plugin."""
    project.replays()
    assert "no tests ran" in project.run_apart("-p", "no:acp_trace", code=5)
