"""Commands take captures as they take files of lines, and say the same of both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Commands
from tests.support import HEADER, Home, agent, lines_of, request, result, update
from tests.trace.capturing import block, capture, rendered


def _line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"


_TALK = (
    (1, request(0, "initialize", protocolVersion=1)),
    (2, result(0, protocolVersion=1, agentInfo={"name": "a", "version": "1"})),
    (1, request(1, "session/new", cwd="/home/somebody", mcpServers=[])),
    (2, result(1, sessionId="s")),
    (
        1,
        request(
            2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "sk-ant-api03-" + "a" * 90}]
        ),
    ),
    (2, update("s", "agent_message_chunk", content={"type": "text", "text": "hello"})),
    (2, result(2, stopReason="end_turn")),
)
_WHOLE = capture(*(block(stream, _line(message), n * 10**6) for n, (stream, message) in enumerate(_TALK, 1)))
#: As a kill -9 leaves it.
_KILLED = _WHOLE[: _WHOLE.index(b'{"end":') + 4]
_FILES = pytest.mark.parametrize("file", [_WHOLE, _KILLED], ids=["ended", "killed"])


@pytest.fixture
def both(tmp_path: Path, file: bytes, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A capture, `capture/t`, and its lines, `lines/t`; the name of its directory."""
    for kind, data in (("capture", file), ("lines", rendered(file))):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / "t").write_bytes(data)
    return tmp_path


@_FILES
@pytest.mark.parametrize(
    "words",
    [
        ["show", "t"], ["show", "t", "--json"], ["frames", "t"], ["frames", "t", "--json"], ["check", "t"],
        ["check", "t", "--json"], ["follow", "t"], ["export", "t"],
        ["query", "--trace", "t", "SELECT frame, method FROM frames ORDER BY frame"], ["redact", "t", "--dry-run"],
        ["diff", "t", "t"], ["load", "t"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_the_same_of_both(
    commands: Commands, both: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """Exit code and output are those of the lines."""
    done = []
    for kind in ("lines", "capture"):
        monkeypatch.chdir(both / kind)
        monkeypatch.setenv("ACP_TRACE_HOME", str(both / f"home-{kind}"))
        done.append(commands(*words))
    assert done[0] == done[1]
    assert done[0].code == 0, done[0]


@_FILES
def test_from_standard_input(home: Home, both: Path) -> None:
    """Where a command takes `-`."""
    for words, code in ((["frames", "-"], 0), (["redact", "-", "--dry-run"], 0)):
        lines, from_capture = (
            home.outcome(*words, stdin=(both / kind / "t").read_bytes()) for kind in ("lines", "capture")
        )
        assert (lines.returncode, lines.stdout, lines.stderr) == (
            from_capture.returncode,
            from_capture.stdout,
            from_capture.stderr,
        )
        assert lines.returncode == code


@_FILES
def test_export_and_redact_write_lines(commands: Commands, both: Path) -> None:
    """What people keep and share is no capture; `redact` takes the secret out."""
    exported = commands("export", both / "capture" / "t")
    assert exported.out.encode() == rendered((both / "capture" / "t").read_bytes())
    assert commands("redact", both / "capture" / "t", "--out", both / "clean").code == 0
    clean = (both / "clean").read_bytes()
    assert clean.startswith(b'{"acp_trace":1,')
    assert b"sk-ant" not in clean
    assert clean.count(b"\n") == exported.out.count("\n")


@_FILES
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["check", "t", "--junit", "other"], "is a trace"),
        (["check", "t", "--sarif", "other"], "is a trace"),
        (["check", "t", "--junit", "t"], "an input of this command"),
    ],
)
def test_no_report_is_written_over_a_capture(
    commands: Commands, both: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], why: str
) -> None:
    """It is a trace, like its lines."""
    monkeypatch.chdir(both / "capture")
    Path("other").write_bytes(Path("t").read_bytes())
    done = commands(*words)
    assert done.code == 2
    assert why in " ".join(done.err.split())
    assert Path("other").read_bytes() == Path("t").read_bytes()


@_FILES
def test_out_keeps_a_capture_that_is_there(home: Home, both: Path) -> None:
    """It gets a number, and is as it was."""
    out = both / "capture" / "t"
    before = out.read_bytes()
    with home.start(["cat"], "--out", str(out)) as recording:
        recording.finish(b"{}\n")
    assert (both / "capture" / "t.1").read_bytes() == before
    assert out.read_bytes().startswith(b'{"acp_trace":1,')


def test_a_killed_recorders_spool_is_loaded(home: Home) -> None:
    """By the next command; what is exported then are the lines of its capture."""
    with home.start(agent("for line in lines: say(line)")) as recording:
        recording.say(_line(_TALK[0][1]))
        recording.hear()
        recording.process.kill()
        recording.process.wait(20)
    (path,) = home.spooled()
    assert path.name.endswith(".capture")
    lines = lines_of(path)
    (row,) = home.json("ls")
    assert (row["id"], row["frames"]) == (path.stem, 2)
    assert not home.spooled()
    assert home.run("export", "last").encode() == lines


def test_a_replay_of_a_capture(home: Home, tmp_path: Path) -> None:
    """The recording may be one, also without its end."""
    code = "import json\n" + "".join(
        f"next(lines); say({_line(answer)!r})\n" for answer in (_TALK[1][1], _TALK[3][1])
    )
    code += f"next(lines); say({_line(_TALK[5][1])!r}); say({_line(_TALK[6][1])!r}); next(lines, None)"
    for name, file in (("whole", _WHOLE), ("killed", _KILLED)):
        (tmp_path / name).write_bytes(file)
        done = home.outcome("replay", str(tmp_path / name), "--", *agent(code))
        assert done.returncode == 0, done


def test_the_header_is_the_recorders(commands: Commands, tmp_path: Path) -> None:
    """A capture is found by its header's id in the list."""
    (tmp_path / "t").write_bytes(_WHOLE)
    commands.passes("load", tmp_path / "t")
    assert [row["id"] for row in commands.json("ls")] == [HEADER["id"]]
