"""`--acp-record`: what is recorded, by whom, and what is said of it."""

from __future__ import annotations

import json
import os

import pytest

from tests.plugin.project import Project
from tests.support import frames_in

pytest_plugins = ["pytester"]

NEW = "traces/new.jsonl"
RECORD = '[record]\nprompts = ["hi"]'


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project(pytester, monkeypatch)
    made.replays(RECORD, name="new")
    return made


def test_nothing_is_recorded_unless_it_is_asked_for(project: Project) -> None:
    """The test fails, and says how."""
    for args in ((), ("--acp-record=none",)):
        out = project.run("traces/new.replay.toml", *args, code=1)
        assert "traces/new.jsonl does not exist: `pytest --acp-record=once` records it" in out
    assert not (project.path / NEW).exists()


def test_it_is_recorded_once_and_replayed_ever_after(project: Project) -> None:
    """The same bytes, whatever the mode; only `all` records anew."""
    out = project.run("--acp-record=once")
    assert "recorded traces/new.jsonl: 1 turn (end_turn)" in out
    recorded = (project.path / NEW).read_bytes()
    assert [frame["frame"].get("method") for frame in frames_in(project.path / NEW)] == [
        "initialize",
        None,
        "session/new",
        None,
        "session/prompt",
        "session/update",
        None,
    ]
    for mode in ("once", "none"):
        assert "recorded traces" not in project.run(f"--acp-record={mode}")
        assert (project.path / NEW).read_bytes() == recorded
    assert "recorded traces/new.jsonl" in project.run("--acp-record=all")
    assert (project.path / NEW).read_bytes() != recorded


def test_all_leaves_alone_what_has_no_conversation(project: Project) -> None:
    """A recording of an editor cannot be made again."""
    project.replays()
    before = (project.path / "traces/hi.jsonl").read_bytes()
    assert "2 passed" in project.run("--acp-record=all")
    assert (project.path / "traces/hi.jsonl").read_bytes() == before


def test_what_was_recorded_is_tested(project: Project) -> None:
    """Against another agent it fails, as any recording."""
    project.run("--acp-record=once")
    agent = f"{json.loads((project.path / NEW).read_text().splitlines()[0])['agent']['argv'][0]} agent.py"
    out = project.run("--acp-record=once", "--acp-agent", f"{agent} --stop refusal", code=1)
    assert "stop-reason" in out


def test_the_fixture_records_too(project: Project) -> None:
    """Next to the test, or where rootdir has the directory; a directory is made."""
    body = "acp_replay({!r}, agent=AGENT, record={{'prompts': ['hi']}})"
    project.test(body.format("own/a.jsonl"), "tests/test_own.py")
    project.test(body.format("traces/b.jsonl"), "tests/test_root.py")
    out = project.run("tests", "--acp-record=once")
    assert "recorded tests/own/a.jsonl: 1 turn (end_turn)" in out
    assert "recorded traces/b.jsonl: 1 turn (end_turn)" in out
    assert "2 passed" in project.run("tests")


def test_a_conversation_that_means_nothing(project: Project) -> None:
    """Fails its test, in settings and in a call."""
    project.replays("[record]\nprompt = 'hi'", name="new")
    assert "new.replay.toml: record: it has no 'prompt'; did you mean prompts?" in project.run(code=1)
    project.test("acp_replay('x.jsonl', agent=AGENT, record={})")
    assert "acp_replay: record: it has no prompts" in project.run("test_it.py", code=1)


def test_what_could_not_be_recorded(project: Project) -> None:
    """The reason, and what the agent said last; no file, and no second reason."""
    out = project.run("--acp-record=once", "--acp-agent", "python agent.py --die", code=1)
    assert "traces/new.jsonl was not recorded: the agent ended (exit code 1) before the answer" in out
    assert "out of luck" in out
    assert "Traceback" not in out
    assert not (project.path / NEW).exists()
    assert [path.name for path in (project.path / "traces").iterdir() if path.name.startswith(".")] == []


def test_an_agent_that_is_not_there(project: Project) -> None:
    """One line."""
    out = project.run("--acp-record=once", "--acp-agent", "no-such-agent", code=1)
    assert "was not recorded: cannot start the agent (No such file or directory): no-such-agent" in out


def test_a_place_that_cannot_be_written(project: Project) -> None:
    """One line."""
    project.write("file", "")
    project.test("acp_replay('file/x.jsonl', agent=AGENT, record={'prompts': ['hi']})")
    out = project.run("test_it.py", "--acp-record=once", code=1)
    assert "acp_replay: " in out
    assert "File exists" in out or "Not a directory" in out
    assert "Traceback" not in out


def test_who_is_slower_replays_what_the_faster_one_recorded(project: Project) -> None:
    """Another worker's recording comes while this one records: nothing is replaced, and nothing is said."""
    project.run("--acp-record=once")
    winner = (project.path / NEW).read_bytes()
    (project.path / NEW).unlink()
    (project.path / "winner").write_bytes(winner)
    places = f"{str(project.path / 'winner')!r}, {str(project.path / NEW)!r}"
    agent = (project.path / "agent.py").read_text("utf-8")
    copy = f"        if not os.path.exists({places.split(', ')[1]}): os.link({places})\n"
    project.write("agent.py", agent.replace("        session =", f"{copy}        session ="))
    out = project.run("--acp-record=once")
    assert "1 passed" in out
    assert "recorded traces" not in out
    assert (project.path / NEW).read_bytes() == winner


def test_side_by_side(project: Project) -> None:
    """With xdist, what the workers recorded is said by the one who called them."""
    pytest.importorskip("xdist")
    body = "acp_replay('traces/same.jsonl', agent=AGENT, record={'prompts': ['hi']})"
    for name in "ab":
        project.test(body, f"test_{name}.py")
    out = project.run_apart("-n2", "--acp-record=once")
    assert "recorded traces/new.jsonl: 1 turn (end_turn)" in out
    assert out.count("recorded traces/same.jsonl") == 1


def test_secrets_are_told(project: Project) -> None:
    """What `redact` would replace, by its kind; the recording is there, to be looked at."""
    secret = "ghp_" + "a1B2" * 9
    project.replays(f'[record]\nprompts = ["my token is {secret}"]', name="new")
    out = project.run("--acp-record=once")
    assert "recorded traces/new.jsonl: 1 turn (end_turn). It contains 1 secret (" in out
    assert "`acp-trace redact` removes that" in out
    assert secret not in out
    assert (project.path / NEW).exists()


def test_the_file_of_junit_has_nothing_more(project: Project) -> None:
    """Its schema knows a case without properties."""
    project.run("--acp-record=once", "--junitxml", "report.xml")
    assert "properties" not in (project.path / "report.xml").read_text("utf-8")


def test_a_mode_that_is_none(project: Project) -> None:
    """Pytest says which there are."""
    out = project.run("--acp-record=twice", code=4)
    assert "none" in out
    assert "once" in out


def test_the_file_is_as_the_umask_says(project: Project) -> None:
    """It is to be committed, not to be kept private."""
    before = os.umask(0o022)
    try:
        project.run("--acp-record=once")
    finally:
        os.umask(before)
    assert (project.path / NEW).stat().st_mode & 0o777 == 0o644
