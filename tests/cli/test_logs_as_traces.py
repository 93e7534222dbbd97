"""Every command that takes TRACE takes the log of another tool: it is read as `import` reads it, and not kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Home

DATA = Path(__file__).parent.parent / "formats" / "data"
TOAD = DATA / "toad" / "toad.log"
ACPX = DATA / "acpx" / "session.stream.ndjson"
ONE_SIDE = "\n".join(f'{{"jsonrpc":"2.0","id":{n},"method":"session/list","params":{{}}}}' for n in range(4))

COMMANDS = {
    "show": "imported from toad",
    "check": "toad.log",
    "frames": "session/prompt",
    "model": "no requests to a model",
    "export": '"acp_trace"',
    "follow": "session/prompt",
    "diff": "equal",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_log_is_taken_for_a_trace(home: Home, command: str) -> None:
    """The same as of the trace that `import` makes; the store stays as it is."""
    words = [str(TOAD), str(TOAD)] if command == "diff" else [str(TOAD)]
    done = home.outcome(command, *words)
    assert COMMANDS[command] in done.stdout.decode() + done.stderr.decode()
    assert home.run("ls", "--json") == "[]\n"


def test_a_log_comes_through_a_pipe(home: Home) -> None:
    """As a trace does; and `redact` reads it twice."""
    shown = json.loads(home.run("show", "-", "--json", stdin=TOAD.read_bytes()))
    assert shown["trace"]["origin"] == "imported"
    assert json.loads(home.run("redact", "-", "--dry-run", "--json", stdin=TOAD.read_bytes()))["bytes"] > 1000


def test_what_is_doubted_is_said_first(home: Home, tmp_path: Path) -> None:
    """On stderr for a trace, in the first line of an import, and by --explain."""
    log = tmp_path / "one-side.txt"
    log.write_text(ONE_SIDE)
    assert (
        b"one-side.txt: unlikely: all 4 messages are from the client" in home.outcome("show", str(log)).stderr
    )
    assert home.run("import", str(log)).startswith("unlikely: all 4 messages are from the client")
    assert "unlikely: all 4 messages" in home.run("import", "--explain", str(log))


def test_what_is_neither_is_named(home: Home, tmp_path: Path) -> None:
    """In one line, with what the file has."""
    log = tmp_path / "notes.txt"
    log.write_text("no message\nhere\n")
    done = home.outcome("show", str(log))
    assert done.returncode == 3
    said = done.stderr.decode()
    assert "is not a trace or a log of another tool: 2 lines, no JSON-RPC message in it" in said
    several = tmp_path / "several.log"
    several.write_bytes(TOAD.read_bytes() * 2)
    said = home.outcome("show", str(several)).stderr.decode()
    assert "is a log of 2 connections: `acp-trace import` makes a trace of each" in said


def test_explain_keeps_nothing(home: Home, tmp_path: Path) -> None:
    """It says what each reader makes of a log, the best one first marked, and why none can."""
    said = home.run("import", "--explain", str(TOAD))
    assert "▸  toad" in said
    assert "senders: as the log has them" in said
    (log,) = json.loads(home.run("import", "--explain", "--json", str(ACPX)))
    assert (log["format"], log["readings"][0]["format"], log["doubts"]) == ("acpx", "acpx", None)
    assert home.run("ls", "--json") == "[]\n"
    log = tmp_path / "notes.txt"
    log.write_text("no message\nhere\n")
    assert "2 lines, no JSON-RPC message in it" in home.run("import", "--explain", str(log), code=3)
