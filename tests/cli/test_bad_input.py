"""Bad input: one clear line, the right exit code, nothing lost, never a traceback."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_trace.report.json.report import document
from acp_trace.store.sources import FileSource
from acp_trace.trace.capture_layout import MAGIC, VERSION
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.parse import NewerFormat
from tests.commands import Commands
from tests.support import TRACES, Home, header, line, trace


def _fails(commands: Commands, *args: str, code: int, says: str) -> None:
    _, said, ended = commands(*args)
    assert ended == code, said
    assert says in said
    assert "Traceback" not in said
    assert said.count("acp-trace: ") <= 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (MAGIC, "is a capture without a header"),
        (MAGIC + struct.pack("<I", VERSION)[:2], "is a capture without a header"),
        (b"hello\nworld\n", "is not a trace"),
        (b"\xff\xfe\x00" * 100, "is not a trace"),
        (b'{"t":1,"from":"agent","fra', "is not a trace"),
        (b'{"some":"json"}\n', "is not a trace"),
        (header(acp_trace=7), "trace format 7 is newer than this acp-trace, which reads format 1"),
    ],
)
@pytest.mark.parametrize("command", ["show", "frames", "load"])
def test_files_of_which_nothing_can_be_read(
    commands: Commands, tmp_path: Path, content: bytes, says: str, command: str
) -> None:
    """Exit 3, with the reason."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    _fails(commands, command, str(path), code=3, says=says)
    assert path.read_bytes() == content


@pytest.mark.parametrize("command", ["show", "frames", "load", "export", "redact", "check"])
def test_a_newer_capture_is_refused_by_name(commands: Commands, tmp_path: Path, command: str) -> None:
    """Exit 3, with both versions; nothing is taken for what it is not."""
    path, out = tmp_path / "x.capture", tmp_path / "out.jsonl"
    path.write_bytes(MAGIC + struct.pack("<I", VERSION + 1) + bytes(4) + b"new mark" + b"anything" * 9)
    options = ["--out", str(out)] if command in ("export", "redact") else []
    says = f"capture version {VERSION + 1} is newer than this acp-trace, which reads version {VERSION}"
    _fails(commands, command, str(path), *options, code=3, says=says)
    assert not out.exists()


def test_a_damaged_file_is_shown_as_far_as_it_goes(commands: Commands, tmp_path: Path) -> None:
    """What cannot be read is counted and named; exit 0."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(
        trace(("client", {"id": 1, "method": "a"}), end=False) + b"garbage\n\n" + b'{"t":5,"torn'
    )
    shown = commands.passes("show", str(path))
    assert "2 lines of the file cannot be read: line 3 is not JSON; line 4 is blank" in shown
    assert "the last line is incomplete and was left out: 12 B" in shown
    assert "incomplete" in shown
    found = commands.json("show", str(path))["trace"]
    assert (found["damaged"], found["torn_bytes"], found["complete"]) == (2, 12, False)
    loaded = commands.passes("load", str(path))
    assert "2 damaged lines; last line torn, 12 B cut" in loaded
    assert "line 3 is not JSON" in commands.passes("show")


def test_a_trace_without_header_is_shown(commands: Commands, tmp_path: Path) -> None:
    """The frames are there; only who and when is missing."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(line(t=1, **{"from": "client"}, frame={"id": 1, "method": "a"}))
    assert "is not a header" in commands.passes("show", str(path))


def test_standard_input(home: Home) -> None:
    """`-` is a trace like any other."""
    done = home.run("show", "-", "--json", stdin=TRACES[0].read_bytes())
    assert '"acp_trace_report": 1' in done
    assert b"standard input is empty" in home.outcome("show", "-").stderr


def test_ids(commands: Commands, tmp_path: Path) -> None:
    """Unknown, ambiguous, too far back, by prefix, by the end; nothing there at all."""
    _fails(commands, "show", code=4, says="there is no trace yet: try `acp-trace demo`")
    for number in (1, 2):
        path = tmp_path / f"{number}.jsonl"
        started = f"2026-11-20T13:05:0{number}Z"
        path.write_bytes(
            trace(("client", {}), id=f"20261120T13050{number}Z-aaaaa{number}", started_at=started)
        )
        commands.passes("load", str(path))
    _fails(commands, "show", "20261120T130599Z-bbbbbb", code=3, says="did you mean 20261120T13050")
    _fails(commands, "show", "2026", code=3, says="matches 2 traces; did you mean")
    _fails(commands, "show", "last~2", code=3, says="the oldest is last~1")
    _fails(commands, "show", "no/such.jsonl", code=3, says="no/such.jsonl: No such file or directory")
    for text, number in (("last", 2), ("last~1", 1), ("20261120T130501", 1), ("aaaaa2", 2)):
        assert commands.json("show", text)["trace"]["id"].endswith(f"aaaaa{number}")


def test_queries(commands: Commands) -> None:
    """DuckDB's own message."""
    _fails(commands, "query", "SELEC 1", code=2, says='syntax error at or near "SELEC"')
    _fails(commands, "query", "SELECT nope FROM traces", code=2, says='"nope"')
    _fails(commands, "query", code=2, says="give SQL, or --schema")
    _fails(commands, "query", str(TRACES[0]), code=2, says="is a file, not SQL: query it with --trace")


def test_control_characters_in_times_and_file_names(home: Home, tmp_path: Path) -> None:
    """What stands where a time should, and names of files in the spool, good ones and bad ones."""
    evil = "\x1b]0;owned\x07\x9b31m\u202e"
    home.spool.mkdir(parents=True)
    (home.spool / f"bad{evil}.jsonl").write_bytes(b"nonsense\n")
    (home.spool / f"good{evil}.jsonl").write_bytes(trace(("client", {}), id=evil, started_at=evil))
    shown = tmp_path / "shown.jsonl"
    shown.write_bytes(trace(("client", {}), started_at=evil))
    for args in (["where"], ["ls"], ["show"], ["show", str(shown)], ["load"], ["rm", "last", "--dry-run"]):
        done = home.outcome(*args)
        said = (done.stdout + done.stderr).decode()
        assert "Traceback" not in said
        assert not set(said) & set("\x1b\x07\x9b\u202e\r"), args
        assert "\\e]0;owned" in said


def test_an_empty_name(commands: Commands) -> None:
    """The beginning of every id, and so of the only one: `rm "$UNSET"` removes nothing."""
    commands.passes("load", str(TRACES[0]))
    for command in ("show", "rm"):
        _fails(commands, command, "", code=3, says="the name of the trace is empty")
    assert len(commands.json("ls")) == 1


def test_an_agent_without_a_name(home: Home) -> None:
    """`record -- "$UNSET"`: as one that cannot be found."""
    done = home.outcome("record", "--no-load", "--", "")
    assert (done.returncode, done.stdout) == (127, b"")
    assert b"acp-trace: cannot start the agent (" in done.stderr
    assert home.json("show")["trace"]["end"]["exit_code"] == 127


def test_a_lone_surrogate_in_json(home: Home, tmp_path: Path) -> None:
    """A frame that JSON readers refuse is printed as it is."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(trace(("client", {"n": 1}), end=False) + b'{"t":5,"from":"agent","frame":"\\ud83d"}\n')
    assert [frame["message"] for frame in home.json("frames", str(path))] == [{"n": 1}, "\ud83d"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300), cut=st.integers(0, 3000))
def test_any_bytes_as_a_trace_file(tmp_path: Path, data: bytes, cut: int) -> None:
    """Only its own errors, whatever is in the file: garbage alone, or behind the start of a real trace."""
    for content in (data, TRACES[0].read_bytes()[:cut] + data):
        path = tmp_path / "any"
        path.write_bytes(content)
        source = FileSource(path)
        try:
            document(source.facts())
            list(source.frames())
        except (Unreadable, NewerFormat):
            pass
        finally:
            source.close()
