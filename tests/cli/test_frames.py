"""`acp-trace frames`: which frames, in which form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.http_story import http_trace
from tests.report.story import frames
from tests.support import REPOSITORY, header, line, trace


@pytest.fixture
def told(tmp_path: Path) -> str:
    """A trace file of the story."""
    path = tmp_path / "story.jsonl"
    path.write_bytes(trace(*frames(), step=40_000_000))
    return str(path)


def _numbers(commands: Commands, *args: str) -> list[int]:
    return [row["frame"] for row in commands.json("frames", *args)]


def test_ranges_times_turns_and_the_end(commands: Commands, told: str) -> None:
    """In a file, in the store, and of the last trace without its name."""
    commands.passes("load", told)
    for which in (told, "last"):
        assert _numbers(commands, which, "2-4", "7") == [2, 3, 4, 7]
        assert _numbers(commands, which, "--turn", "1") == [18, 19, 20, 21, 22]
        assert _numbers(commands, which, "--since", "200ms", "--until", "0.28") == [5, 6, 7]
        assert _numbers(commands, which, "-n", "2") == [28, 29]
        assert _numbers(commands, which, "--around", "5", "-C", "1") == [4, 5, 6]
    assert _numbers(commands, "27-") == [27, 28, 29]
    assert _numbers(commands, "#3") == [3]


def test_sessions_and_turns_by_their_names(commands: Commands, told: str) -> None:
    """As `show` names them; what is not there is one clear line."""
    first = commands.json("show", told)["sessions"][0]
    assert _numbers(commands, told, "--turn", "s1.1") == _numbers(commands, told, "--turn", "1")
    twice = [("--turn", "1", "--session", session) for session in ("S1", first["session_id"])]
    assert _numbers(commands, told, *twice[0]) == _numbers(commands, told, *twice[1])
    by_name, by_id = (_numbers(commands, told, "--session", one) for one in ("S1", first["session_id"]))
    assert by_name == by_id
    assert first["turns"][1]["name"] == "S1.1"
    for wrong, code, says in (
        ("S1.9", 4, "there is no turn S1.9: the last one is turn "),
        ("S9.0", 4, "there is no session S9: this trace has S1"),
        ("x", 2, "--turn: x is not a turn, such as 0 or S2.0"),
    ):
        for command in ("frames", "show"):
            said = commands(command, told, "--turn", wrong)
            assert (said.code, said.err.count("\n")) == (code, 1), said
            assert says in said.err


def test_chunks_joined(commands: Commands, told: str) -> None:
    """A line, or an object, for each run; whole with --full."""
    assert '×2 "and onand on"' in commands.passes("frames", told, "--join", "--turn", "1")
    assert "\n       and onand on\n" in commands.passes("frames", told, "--join", "--full", "--turn", "1")
    rows = [
        json.loads(line)
        for line in commands.passes("frames", told, "--join", "--jsonl", "20-21").splitlines()
    ]
    assert [(row["frame"], row["last_frame"], row["chunks"], row["text"]) for row in rows] == [
        (20, 21, 2, "and onand on")
    ]


def test_one_stream(commands: Commands, tmp_path: Path) -> None:
    """In a file and in the store; each object says its stream, which is null over pipes."""
    path = tmp_path / "http.jsonl"
    path.write_bytes(http_trace())
    commands.passes("load", path)
    for which in (str(path), "last"):
        rows = commands.json("frames", which, "--stream", "4")
        assert [(row["frame"], row["stream"]) for row in rows] == [(6, 4), (7, 4)]
        assert [row["stream"] for row in commands.json("frames", which)] == [1, 1, 3, 2, 5, 4, 4, 6, 7]
    assert commands("frames", path, "--stream", "9").code == 4


def test_without_streams(commands: Commands, told: str) -> None:
    """No frame has one."""
    assert {row["stream"] for row in commands.json("frames", told)} == {None}
    assert commands("frames", told, "--stream", "1").code == 4


def test_logs_stand_where_they_were_written(commands: Commands, tmp_path: Path) -> None:
    """In a file and in the store, in layouts of any kind; for programs only on request."""
    path = tmp_path / "logs.jsonl"
    ping = {"jsonrpc": "2.0", "method": "_ping"}
    odd = b'{"t": 3, "from": "agent", "frame": {"a": 1}}\n'  # kept as a line beside the frames
    lines = [line(t=1, **{"from": "client"}, frame=ping), line(t=2, log="one"), odd]
    lines += [
        line(t=4, log="two"),
        line(t=5, **{"from": "client"}, frame=ping),
        line(t=6, log="three").rstrip(),
    ]
    path.write_bytes(header() + b"".join(lines))
    commands.passes("load", path)
    for which in (str(path), "last"):
        told = [row.get("log", row.get("frame")) for row in commands.json("frames", which, "--logs")]
        assert told == [1, "one", 2, "two", 3, "three"]
        assert [row["frame"] for row in commands.json("frames", which)] == [1, 2, 3]
        assert [text in commands.passes("frames", which) for text in ("stderr: one", "stderr: three")] == [
            True
        ] * 2
        assert "stderr" not in commands.passes("frames", which, "--no-logs")
        assert "stderr" not in commands.passes("frames", which, "--method", "_ping")
    said = commands("frames", path, "--grep", "two")
    assert ("stderr: two" in said.out, said.code) == (True, 4)  # no frame matches


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["9-3"], 2, "the first number is the larger one"),
        (["0"], 2, "frames are numbered from 1"),
        (["took>soon"], 2, "took>soon ^~~~"),
        (["--where", "methd:x"], 2, "did you mean method?"),
        (["--since", "soon"], 2, "is not a time in the trace"),
        (["--grep", "("], 2, "is not a regular expression"),
        (["--turn", "9"], 4, "there is no turn 9: the last one is turn 1"),
        (["100-"], 4, "no frame matches"),
        (["--session", "S9"], 4, "there is no session S9: this trace has S1"),
        (["--session", "nosuch"], 4, "there is no session nosuch: this trace has S1"),
        (["--session", "S1", "--method", "nosuch"], 4, "no frame matches"),
    ],
)
def test_what_means_nothing(commands: Commands, told: str, args: list[str], code: int, says: str) -> None:
    """One line, and the code."""
    said = commands("frames", told, *args)
    assert said.code == code
    assert says in " ".join(said.err.replace("│", " ").split())


def test_filters_are_words_or_an_option(commands: Commands, told: str) -> None:
    """Of a file or of the last trace; words and the option must both hold, and so must the other options."""
    commands.passes("load", told)
    assert _numbers(commands, told, "method:session/prompt", "kind:req") == [7, 18]
    assert _numbers(commands, "method:session/prompt", "kind:req") == [7, 18]
    assert _numbers(commands, "last", "kind:request", "--where", "method:session/prompt", "8-") == [18]
    assert _numbers(commands, "turn:1 -kind:response") == _numbers(commands, "--turn", "1", "18-21")
    assert _numbers(commands, "turn:S1.1") == _numbers(commands, "--turn", "1")
    assert commands("frames", told, "tool:write", "side:client").code == 4


def test_filters_ask_the_facts(commands: Commands, told: str) -> None:
    """Findings, what was never answered, sessions by their names: in a file and in the store."""
    commands.passes("load", told)
    found = sorted({row["frame"] for row in commands.json("show", told)["findings"]})
    for which in (told, "last"):
        assert _numbers(commands, which, "severity:error,warning,note") == found
        assert _numbers(commands, which, "session:S1") == _numbers(commands, which, "--session", "s")
        assert _numbers(commands, which, "tool:c kind:tool_call") == _numbers(
            commands, which, "--update", "tool_call"
        )
    assert found
    assert _numbers(commands, str(REPOSITORY / "sample_traces" / "incomplete.jsonl"), "is:open") == [5]


def test_filters_and_what_is_between_frames(commands: Commands, tmp_path: Path) -> None:
    """A line of stderr has a kind, a time and its text."""
    path = tmp_path / "logs.jsonl"
    path.write_bytes(header() + line(t=1, log="one") + line(t=2, log="two"))
    said = commands("frames", path, "kind:stderr", "two")
    assert ("stderr: two" in said.out, "one" in said.out, said.code) == (True, False, 0)
    assert commands("frames", path, "not", "kind:stderr").code == 4
