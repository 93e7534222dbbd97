"""Traces that a replay or a mock made: they do not stand for real use, unless somebody asks for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import Commands
from tests.support import request, result, trace

_TALK = (
    ("client", request(0, "initialize", protocolVersion=1)),
    ("agent", result(0, protocolVersion=1)),
    ("client", request(1, "session/new", cwd="/w")),
    ("agent", result(1, sessionId="s")),
    ("client", request(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "hello"}])),
)
_RECORDED, _REPLAY, _MOCK = "20261120T130000Z-aaaaa1", "20261120T130001Z-bbbbb2", "20261120T130002Z-ccccc3"


def _at(second: int) -> str:
    return f"2026-11-20T13:00:0{second}Z"


@pytest.fixture
def full(commands: Commands, tmp_path: Path) -> Commands:
    """A recording, then its replay by an older version, then a mock of it that was given up."""
    aborted = trace(*_TALK, id=_MOCK, started_at=_at(2), origin="mock", replay_of=_RECORDED)
    files = {
        "a": trace(*_TALK, ("agent", result(2, stopReason="end_turn")), id=_RECORDED, started_at=_at(0)),
        "b": trace(*_TALK, id=_REPLAY, started_at=_at(1), replay_of=_RECORDED),
        "c": aborted.replace(b'"exit_code":0', b'"aborted":"timeout","exit_code":0'),
    }
    for name, content in files.items():
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    commands.passes("load", *(tmp_path / f"{name}.jsonl" for name in files))
    return commands


def test_they_are_left_out(full: Commands) -> None:
    """By `ls`, `ls --sessions`, `stats` and `last`; a line says that they are there."""
    assert [row["id"] for row in full.json("ls")] == [_RECORDED]
    assert "2 runs of replay or mock are not shown; --runs shows them" in full.passes("ls")
    assert [row["traces"] for row in full.json("ls", "--sessions")] == [[_RECORDED]]
    assert [row["traces"] for row in full.json("stats")] == [1]
    assert [row["count"] for row in full.json("stats", "--by", "method")] == [1, 1, 1]
    assert full.json("show")["trace"]["id"] == _RECORDED
    assert full("show", "last~1").code == 3


def test_runs_are_shown_where_they_are_asked_for(full: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    """What they are, and of which recording; by its id, each is a trace like any other."""
    rows = full.json("ls", "--runs")
    assert [(row["id"], row["origin"], row["replay_of"]) for row in rows] == [
        (_MOCK, "mock", _RECORDED),
        (_REPLAY, "replay", _RECORDED),
        (_RECORDED, "recorded", None),
    ]
    monkeypatch.setenv("COLUMNS", "80")
    mock, replay, recorded = full.passes("ls", "--runs").splitlines()[1:]
    assert (mock.split()[-1], replay.split()[-1]) == ("mock", "replay")
    assert not recorded.endswith("replay")
    monkeypatch.setenv("COLUMNS", "140")
    assert "replay of aaaaa1" in full.passes("ls", "--runs")
    assert len(full.json("ls", "--sessions", "--runs")[0]["traces"]) == 3
    assert [row["traces"] for row in full.json("stats", "--runs")] == [3]
    for name, id_ in (("bbbbb2", _REPLAY), ("last-run", _MOCK), ("last-run~1", _REPLAY)):
        assert full.json("show", name)["trace"]["id"] == id_
    assert "the oldest is last-run~1" in full("show", "last-run~2").err


def test_the_report_says_so(full: Commands) -> None:
    """In its head; and nobody is blamed for what was open when acp-trace gave up."""
    assert "mock of aaaaa1" in full.passes("show", "last-run")
    assert "ended by acp-trace: nothing happened for too long" in full.passes("show", "last-run")
    report = full.json("show", "last-run")
    assert (report["trace"]["origin"], report["trace"]["replay_of"]) == ("mock", _RECORDED)
    assert (report["trace"]["end"]["aborted"], report["findings"]) == ("timeout", [])
    replayed = full.json("show", "bbbbb2")
    assert (replayed["trace"]["origin"], replayed["trace"]["end"]["aborted"]) == ("replay", None)
    assert [one["code"] for one in replayed["findings"]] == ["never-answered"]


def test_runs_of_several_versions_show_them(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a narrow terminal too, as only the versions tell the runs of two builds apart."""
    monkeypatch.setenv("COLUMNS", "80")
    for second, version in enumerate(("0.44.0", "0.61.0")):
        info = {"name": "gem", "version": version}
        talk = (_TALK[0], ("agent", result(0, protocolVersion=1, agentInfo=info)), *_TALK[2:])
        id_ = f"20261120T13000{second}Z-aaaaa{second}"
        run = trace(*talk, id=id_, started_at=_at(second), replay_of=_RECORDED)
        (tmp_path / f"{second}.jsonl").write_bytes(run)
        commands.passes("load", tmp_path / f"{second}.jsonl")
        shown = commands.passes("ls", "--runs")
        assert ("gem 0.44.0" in shown) == bool(second)
    assert "gem 0.61.0" in shown


def test_only_runs(full: Commands) -> None:
    """Then `last` names nothing, and the line says where they are."""
    full.passes("rm", _RECORDED)
    says = "there is no recorded trace yet; there are 2 runs of replay or mock: `acp-trace ls --runs` lists, `last-run` names the newest"
    assert says in full("show").err
    assert full("show").code == 4
    assert says in full("ls").err
    assert full.json("ls") == []
    assert says in full("stats").err
    full.passes("rm", "last-run", "last-run~1")
    assert "there is no trace yet" in full("ls").err
    assert full("show", "last-run").code == 4
