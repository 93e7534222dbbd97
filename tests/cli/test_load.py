"""`load`, and what else reads files: pipes, live traces, names that are no text."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from acp_trace.trace import lock
from tests.posix import limit, named_pipe
from tests.support import ACP_TRACE, DEADLINE_S, TRACES, Home, trace


@pytest.mark.parametrize(
    "args", [["load"], ["show"], ["follow"], ["check"], ["query", "SELECT 1", "--trace"]], ids=lambda args: args[0]
)  # fmt: skip
def test_a_named_pipe_is_read_once(home: Home, tmp_path: Path, args: list[str]) -> None:
    """Its writer opens it once, writes and goes."""
    pipe = tmp_path / "pipe"
    named_pipe(pipe)
    broken = []

    def write() -> None:
        try:
            pipe.write_bytes(TRACES[0].read_bytes())
        except BrokenPipeError as error:
            broken.append(error)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    done = home.outcome(*args, str(pipe))
    writer.join()
    assert (done.returncode, done.stderr, broken) == (0, b"", [])


def test_a_pipe_that_is_no_trace(home: Home) -> None:
    """It is called what it was given as, not like the copy of it."""
    done = home.outcome("load", "-", stdin=b"nonsense\n")
    assert done.returncode == 3
    assert (
        done.stderr
        == b"acp-trace: - is not a trace: line 1 is not JSON, and no other line is a valid entry\n"
    )


def test_a_live_file(home: Home, tmp_path: Path) -> None:
    """Refused, whatever it is called."""
    path = tmp_path / "live\x1b]0;owned\x07\u202e.jsonl"
    path.write_bytes(trace(("client", {}), end=False))
    with open(path) as stream:
        lock.hold(stream.fileno())
        done = home.outcome("load", str(path), COLUMNS="400")
    said = done.stderr.decode()
    assert done.returncode == 2
    assert "live\\e]0;owned\\x07\\u202e.jsonl is being recorded; it is imported when it ends" in said
    assert not set(said) & set("\x1b\x07\u202e")


def test_json_of_a_path_that_is_no_utf8(home: Home, tmp_path: Path) -> None:
    """Its bytes are shown as escapes."""
    found = home.json("load", str(tmp_path / os.fsdecode(b"no\xff.jsonl")), code=3)
    assert found == {
        "loaded": [],
        "failed": [{"file": str(tmp_path / "no\\udcff.jsonl"), "why": "No such file or directory"}],
    }


@pytest.mark.parametrize(
    ("words", "device", "why"),
    [
        (["load", "/dev/zero"], "/dev/null", "/dev/zero is a device; a trace must be a file or a pipe"),
        (["show", "/dev/zero"], "/dev/null", "/dev/zero is a device; a trace must be a file or a pipe"),
        (["query", "FROM logs", "--trace", "/dev/urandom"], "/dev/null", "/dev/urandom is a device"),
        (["load", "-"], "/dev/zero", "standard input is a device; a trace must be a file or a pipe"),
        (["show", "-"], "/dev/zero", "standard input is a device; a trace must be a file or a pipe"),
        (["import", "/dev/zero"], "/dev/null", "/dev/zero is a device; a log must be a file or a pipe"),
        (["import", "-"], "/dev/urandom", "standard input is a device; a log must be a file or a pipe"),
        (
            ["redact", "-", "--dry-run", "--rules", "/dev/zero"],
            "/dev/null",
            "a file of rules must be a file or a pipe",
        ),
        (["load", "-"], "/dev/null", "is empty"),
        (["show", "/dev/null"], "/dev/null", "is empty"),
    ],
)
def test_a_device_is_not_a_trace(home: Home, words: list[str], device: str, why: str) -> None:
    """One that never ends would fill the memory or the disk; the one that is always at its end is empty."""
    bounds = limit("FSIZE", 10**7), limit("AS", 4 * 10**9)
    with open(device, "rb") as stream:
        done = subprocess.run(
            [*ACP_TRACE, *words],
            stdin=stream,
            env=home.environment,
            capture_output=True,
            timeout=DEADLINE_S,
            preexec_fn=lambda: [put() for put in bounds],
            check=False,
        )
    assert (done.returncode, done.stdout) == (3, b"")
    assert why in done.stderr.decode()
    assert done.stderr.count(b"\n") == 1
