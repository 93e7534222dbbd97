"""`replay_trace`: the same verdict as the command's, as data, from a process that goes on."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

import pytest

import acp_trace
from acp_trace.api import SettingError, UnknownTrace
from acp_trace.record import descriptor, sink
from tests.api import cancelled_turn
from tests.commands import Commands
from tests.support import Home
from tests.transport.background import answered
from tests.transport.talk import Agent
from tests.transport.talk import recording as served_recording


@pytest.fixture
def recording(tmp_path: Path, commands: Commands, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recording, and an agent on the PATH that does the same."""
    monkeypatch.delenv("CI", raising=False)
    return cancelled_turn.project(tmp_path, monkeypatch)


def _with(tmp_path: Path, old: str, new: str) -> None:
    agent = tmp_path / "bin" / "my-agent"
    agent.write_text(agent.read_text("utf-8").replace(old, new), "utf-8")


def test_an_agent_that_does_the_same_passes(recording: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed; the run is a trace that can be opened."""
    capfd.readouterr()
    replay = acp_trace.replay_trace(recording, ["my-agent", "acp"])
    assert capfd.readouterr() == ("", "")
    assert (replay.passed, replay.died, replay.flaky) == (True, False, False)
    assert replay.steps == replay.sent > 0
    assert replay.counts.unmatched == 0
    assert str(replay).startswith("passed")
    with acp_trace.open_trace(replay.trace_id) as run:
        assert run.analyze().trace.origin == "replay"
    assert [row.id for row in acp_trace.list_traces(origin="replay")] == [replay.trace_id]
    assert acp_trace.list_traces() == []


def test_a_run_that_could_not_be_recorded_is_no_verdict(
    recording: Path, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is missing from its trace is not missing from the agent, and what is compared is not all."""
    room = 400

    def fits(size: int) -> None:
        nonlocal room
        room -= size
        if room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        fits(len(head) + len(data))
        return descriptor.append(fd, head, data)

    def write_all(fd: int, data: bytes) -> None:
        fits(len(data))
        descriptor.write_all(fd, data)

    monkeypatch.setattr(sink, "append", append)
    monkeypatch.setattr(sink, "write_all", write_all)
    why = "the run could not be recorded: cannot write the trace (No space left on device)"
    said = commands("replay", recording, "--json", "--", "my-agent", "acp")
    assert (said.code, said.out) == (3, ""), said
    assert f"{recording}: {why}" in said.err
    room = 400
    with pytest.raises(OSError, match=re.escape(why)):
        acp_trace.replay_trace(recording, ["my-agent", "acp"])


def test_an_agent_that_differs_fails_as_with_the_command(
    recording: Path, tmp_path: Path, commands: Commands
) -> None:
    """The same codes, and what to do next; shown in a notebook as it is."""
    _with(tmp_path, '"cancelled"', '"end_turn"')
    replay = acp_trace.replay_trace(recording, ["my-agent", "acp"])
    said = commands("replay", recording, "--json", "--", "my-agent", "acp")
    assert said.code == 1
    assert [one.code for one in replay.divergences if one.severity == "error"] == ["cancel-outcome"]
    assert '"cancel-outcome"' in said.out
    assert not replay.passed
    assert f"acp-trace replay {recording} --update -- my-agent acp" in replay.report
    page = replay._repr_html_()
    assert "FAILED" in page
    assert "cancel-outcome" in page


def test_settings_next_to_the_trace_apply(recording: Path, tmp_path: Path) -> None:
    """The agent from there; arguments come first, and lists are added."""
    (tmp_path / "cancel.replay.toml").write_text('agent = ["my-agent"]\nmask = ["/params/nothing"]\n')
    replay = acp_trace.replay_trace(recording, masks=["/params/neither"])
    assert [mask.mask for mask in replay.comparison.idle] == ["/params/nothing", "/params/neither"]
    assert not replay.passed


def test_a_stored_trace_is_replayed(recording: Path, commands: Commands) -> None:
    """By its id; there is no file to update."""
    commands.passes("load", recording)
    replay = acp_trace.replay_trace("last", ["my-agent"])
    assert replay.passed
    assert "--update" not in replay.report


def test_an_agent_that_dies_is_a_result(recording: Path) -> None:
    """Not an exception."""
    replay = acp_trace.replay_trace(recording, ["/nowhere/agent"])
    assert (replay.passed, replay.died) == (False, True)
    assert "the agent ended too early" in replay._repr_html_()


@pytest.mark.parametrize("scheme", ["http", "ws"])
def test_an_agent_at_a_url(commands: Commands, tmp_path: Path, scheme: str) -> None:
    """Nothing is started; the streams are in the run."""
    path = tmp_path / "served.jsonl"
    path.write_bytes(served_recording())
    with answered(Agent()) as address:
        replay = acp_trace.replay_trace(path, url=f"{scheme}://{address}", headers=["X-Key: k3y"])
    assert (replay.passed, replay.steps, replay.sent) == (True, 7, 7)
    with acp_trace.open_trace(replay.trace_id) as run:
        assert len({frame.stream for frame in run.frames()}) == (1 if scheme == "ws" else 10)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({}, "has no agent: give `agent"),
        ({"agent": []}, "agent is empty"),
        ({"agent": ["a"], "url": "http://127.0.0.1"}, "give either agent or url"),
        ({"url": "http://192.0.2.1"}, "url is on another machine"),
        ({"url": "http://127.0.0.1", "headers": ["k3y"]}, "'NAME: VALUE'"),
        ({"agent": ["a"], "match": "close"}, "match is 'close'"),
        ({"agent": ["a"], "cwd": "/nowhere"}, "there is no directory /nowhere"),
        ({"agent": ["a"], "allow_terminal": True}, "allow_terminal needs unmatched='workspace'"),
        ({"agent": ["a"], "model": "recorded"}, "does not have the model's side"),
    ],
)
def test_what_means_nothing_is_a_setting_error(
    recording: Path, words: dict[str, object], message: str
) -> None:
    """Before an agent is started, with what to do."""
    with pytest.raises(SettingError, match=message):
        acp_trace.replay_trace(recording, **words)  # type: ignore[arg-type]


def test_a_file_of_settings_is_named_in_its_errors(recording: Path, tmp_path: Path, home: Home) -> None:
    """And a trace that is none is an error as everywhere."""
    (tmp_path / "cancel.replay.toml").write_text("math = 1\n")
    with pytest.raises(SettingError, match=r"cancel\.replay\.toml: 'math' is not a setting"):
        acp_trace.replay_trace(recording)
    with pytest.raises((UnknownTrace, acp_trace.api.NoTrace)):
        acp_trace.replay_trace("nothing-like-it", ["a"])
