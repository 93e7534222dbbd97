"""The commands that took over others: they do what the older names do, and say the same."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from acp_trace.cli.client_checks import problem_of
from acp_trace.clients import recorder
from tests.commands import Commands
from tests.report.story import frames
from tests.support import TRACES, trace

MODEL = next(path for path in TRACES if path.stem == "gemini-model")


@pytest.fixture
def told(tmp_path: Path) -> str:
    """A trace file of the story."""
    path = tmp_path / "story.jsonl"
    path.write_bytes(trace(*frames()))
    return str(path)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--events",),
        ("--json",),
        ("--method", "session/*", "--no-logs"),
        ("--grep", "Agent"),
        ("--stream", "1"),
    ],
)
def test_frames_follow_is_follow(commands: Commands, told: str, options: tuple[str, ...]) -> None:
    """Of a trace that has ended, completely; with each option of `follow`."""
    assert commands("frames", told, "--follow", *options) == commands("follow", told, *options)


def test_what_frames_can_follow(commands: Commands, told: str) -> None:
    """Without a trace, the newest live one; filters of one frame; nothing that needs the whole trace."""
    assert commands("frames", "--follow") == commands("follow")
    assert commands("frames", "-f").code == 4
    only = commands.passes("frames", told, "--follow", "--from", "client", "--jsonl").splitlines()
    assert {json.loads(line)["from"] for line in only if "facts" not in json.loads(line)} == {"client"}
    for words in (["--tail", "3"], ["--join"], ["--full"], ["--turn", "0"]):
        said = commands("frames", told, "--follow", *words)
        assert (said.code, f"{words[0]} needs the whole trace" in said.err) == (2, True)
    assert "need --follow" in commands("frames", told, "--wait").err
    assert "is not a time" in commands("frames", told, "--follow", "--stall", "soon").err


def test_import_takes_traces(commands: Commands, tmp_path: Path) -> None:
    """As they are, beside logs; from the spool if nothing is named; packed, too."""
    assert commands("import").out == commands("load").out == "the spool is empty\n"
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(TRACES[1].read_bytes()))
    log = tmp_path / "log.ndjson"
    log.write_text('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n')
    document = commands.json("import", TRACES[0], packed, log)
    assert [one["state"] for one in document["loaded"]] == ["loaded", "loaded"]
    assert [one["format"] for one in document["imported"]] == ["raw"] or len(document["imported"]) == 1
    assert commands("import", TRACES[0]) == commands("load", TRACES[0])
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"\x89ACPTRC\nnonsense")
    said = commands("import", bad, TRACES[0])
    assert (said.code, "already there" in said.out, "bad.jsonl" in said.err) == (3, True, True)
    assert "is a trace already" in commands("import", TRACES[0], "--out", tmp_path / "new").err


def test_rm_by_age(commands: Commands) -> None:
    """As `prune` does; a trace, or an age and a number, not both."""
    commands.passes("import", *TRACES[:2])
    words = ("--older-than", "1m", "--keep", "1", "--dry-run")
    assert commands("rm", *words) == commands("prune", *words)
    assert commands("rm").code == 2
    assert "give TRACE, --older-than AGE" in commands("rm").err
    assert "give either TRACE or --older-than" in commands("rm", "last", "--keep", "1").err
    assert commands.json("rm", "last", "--no-compact")["compacted"] is False
    assert commands.json("rm", "--compact") == {"dry_run": False, "removed": [], "compacted": True}


def test_older_names_of_a_team(commands: Commands, tmp_path: Path) -> None:
    """They say and do the same, and end alike; the first ones put what the others find there."""
    place = str(tmp_path / "team")
    for older, today in (
        (("push",), ("team", "push")),
        (("ls", "--at", place), ("team", "ls", place)),
        (("query", "--at", place, "SELECT 1"), ("team", "query", place, "SELECT 1")),
        (("push", place, "nothing"), ("team", "push", place, "nothing")),
        (("pull", place, "last"), ("team", "pull", place, "last")),
        (("lake", "build", "s3:/x"), ("team", "build", "s3:/x")),
        (("prune", "--at", place, "--keep", "0"), ("team", "prune", place, "--keep", "0")),
    ):
        before, now = commands(*older), commands(*today)
        usage = (before.err.replace("acp-trace push", "acp-trace team push"), before.code)
        assert (before.out, usage) == (now.out, (now.err, now.code)), today
        assert before.code in (2, 3)
    commands.passes("push", place, TRACES[0])
    assert commands("push", place, TRACES[0]) == commands("team", "push", place, TRACES[0])
    assert "1 trace built" in commands.passes("lake", "build", place)
    assert commands("lake", "build", place) == commands("team", "build", place)
    assert commands("ls", "--at", place, "--runs") == commands("team", "ls", place, "--runs")
    asked = "SELECT count(*) AS n FROM traces", "--since", "1d"
    assert commands("query", "--at", place, *asked) == commands("team", "query", place, *asked)
    dry = ("--keep", "0", "--dry-run")
    said = commands("team", "prune", place, *dry)
    assert said == commands("rm", "--at", place, *dry)
    assert said.out.startswith("would remove ")


def test_diff_of_the_model(commands: Commands) -> None:
    """As `model diff` does; nothing of the other comparison goes with it."""
    for words in ((), ("--json",), ("--all",), ("--call", "1")):
        assert commands("diff", "--model", MODEL, MODEL, *words) == commands(
            "model", "diff", MODEL, MODEL, *words
        )
    said = commands("diff", "--model", MODEL, MODEL, "--junit", "-")
    assert (said.code, "--junit and --model cannot be combined" in said.err) == (2, True)
    assert "--call is for --model" in commands("diff", MODEL, MODEL, "--call", "1").err


def test_doctor(commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each agent behind a recorder is tested; one that nobody could start is named, and the exit code says it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    document = commands.json("doctor")
    assert (document["clients"], document["ok"]) == ([], True)
    assert {*commands.json("where")} == {*document} - {"clients", "ok"}
    file = tmp_path / ".acpx" / "config.json"
    file.parent.mkdir()
    gone = [str(tmp_path / "gone" / "python"), *recorder.words("")[1:]]
    works = [*recorder.words(sys.executable), "opencode", "acp"]
    agents = {
        "broken": {"argv": [*gone, "opencode"]},
        "works": {"argv": works},
        "plain": {"argv": ["opencode"]},
    }
    file.write_text(json.dumps({"agents": agents}))
    said = commands("doctor", "--json")
    rows = {row["agent"]: row["problem"] for row in json.loads(said.out)["clients"]}
    assert (said.code, sorted(rows), rows["works"]) == (1, ["broken", "works"], None)
    assert "cannot be started" in rows["broken"]
    file.write_text("{")
    said = commands("doctor")
    assert (said.code, "! acpx: cannot be read" in said.out) == (1, True)
    assert not list((tmp_path / "home").glob("spool/*"))


def test_a_recorder_that_does_not_work() -> None:
    """What it said is named; an agent that is not there, too."""
    silent = [
        sys.executable,
        "-c",
        "import sys; sys.exit('no module named acp_trace')",
        "acp-trace",
        "record",
        "--",
        "x",
    ]
    assert problem_of(silent) == "the recorder does not work: no module named acp_trace"
    missing = [*recorder.words(sys.executable), "/nowhere/agent"]
    assert problem_of(missing) == "its agent /nowhere/agent does not exist"
