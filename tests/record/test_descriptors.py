"""Descriptors as clients leave them: closed, non-blocking, or left open for whoever comes after."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_trace.system.pipes import set_blocking
from tests import support
from tests.support import ACP_TRACE, DEADLINE_S, PYTHON, Home, agent, entries_in, frames_in, full, until

_CLOSE = {"0": "<&-", "1": ">&-", "2": "2>&-"}


@pytest.mark.parametrize("closed", ["0", "1", "2", "012"])
def test_closed_standard_descriptors(home: Home, closed: str) -> None:
    """No pipe and no trace gets the number of a closed one: what is open works, the trace is whole."""
    echo = agent("for line in lines: say(line)\nsay(b'{}\\n'); os.write(2, b'bye\\n'); sys.exit(6)")
    shell = f'exec "$@" {" ".join(_CLOSE[fd] for fd in closed)}'
    argv = ["sh", "-c", shell, "sh", *ACP_TRACE, "record", "--no-load", "--", *echo]
    with support.Recording(argv, home.environment) as recording:
        out, err, code = recording.finish(b'{"n":1}\n')
    heard = [] if "0" in closed else [{"n": 1}]
    assert out == (b"" if "1" in closed else b'{"n":1}\n' * len(heard) + b"{}\n")
    assert (err, code) == (b"" if "2" in closed else b"bye\n", 6)
    (path,) = home.spooled()
    frames = [(entry["from"], entry["frame"]) for entry in frames_in(path)]
    assert [frame for sender, frame in frames if sender == "client"] == heard
    assert [frame for sender, frame in frames if sender == "agent"] == [*heard, {}]
    assert [entry["log"] for entry in entries_in(path) if "log" in entry] == ["bye"]
    assert entries_in(path)[-1]["end"]["exit_code"] == 6


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["0", "1", "2", "012"])
def test_commands_with_closed_descriptors(home: Home, closed: str) -> None:
    """The other commands do not stumble over them either, and the store is no standard output."""
    shell = f'exec "$@" {" ".join(_CLOSE[fd] for fd in closed)}'
    argv = ["sh", "-c", shell, "sh", *ACP_TRACE, "query", "SELECT 1 AS n", "--csv"]
    done = subprocess.run(
        argv, input=b"", capture_output=True, env=home.environment, timeout=DEADLINE_S, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == (b"" if "1" in closed else b"n\n1\n", b"", 0)
    assert home.json("query", "SELECT count(*) AS n FROM traces") == [{"n": 0}]


def test_pipes_that_the_client_made_non_blocking(home: Home) -> None:
    """The flag is shared with the client: it stays as it is, and the recorder waits all the same."""
    theirs_in, stdin = os.pipe()
    stdout, theirs_out = os.pipe()
    for fd in (theirs_in, theirs_out):
        set_blocking(fd, False)
    big = agent("for line in lines: say(b'%s\\n' % (b'x' * int(line)))\nsys.exit(6)")
    argv = [*ACP_TRACE, "record", "--no-load", "--", *big]
    recording = subprocess.Popen(argv, env=home.environment, stdin=theirs_in, stdout=theirs_out)
    os.close(theirs_out)
    try:
        for _ in range(20):  # each time the recorder finds nothing to read yet
            os.write(stdin, b"9\n")
            assert os.read(stdout, 100) == b"x" * 9 + b"\n"
        os.write(stdin, b"999999\n")
        got = 0
        while got < 800_000:  # each time the recorder finds no room
            until(lambda: full(recording), "a full pipe")
            got += len(os.read(stdout, 1 << 16))
        assert sys.platform == "win32" or not os.get_blocking(theirs_in)
        os.close(stdin)
        while more := os.read(stdout, 1 << 16):
            got += len(more)
        assert (got, recording.wait(DEADLINE_S)) == (1_000_000, 6)
    finally:
        recording.kill()
        recording.wait()
        os.close(theirs_in)
        os.close(stdout)
    (path,) = home.spooled()
    assert entries_in(path)[-1]["end"]["frames"] == {"client": 21, "agent": 21}


def test_the_loader_keeps_nothing_that_the_client_left_open(home: Home, tmp_path: Path) -> None:
    """A client that waits for a lock or a pipe of its own to come free waits for the agent alone."""
    told, locked, loader = tmp_path / "told", tmp_path / "locked", tmp_path / "loader"
    loader.write_text(f"#!/bin/sh\nls -l /proc/self/fd >'{told}.new'; mv '{told}.new' '{told}'\n")
    loader.chmod(0o700)
    code = (
        "import sys\n"
        f"sys.executable = {str(loader)!r}\n"
        "from acp_trace.cli import main\n"
        "sys.argv[:1] = ['acp-trace', 'record', '--']\n"
        "main()\n"
    )
    listing = agent("say(' '.join(os.listdir('/proc/self/fd')))")
    with open(locked, "w") as left:
        done = subprocess.run(
            [*PYTHON, "-c", code, *listing],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=home.environment,
            pass_fds=[left.fileno()],
            timeout=DEADLINE_S,
            check=True,
        )
        assert str(left.fileno()) in done.stdout.decode().split()  # the agent has it, as without us
    until(told.exists, "the loader")
    assert "/dev/null" in told.read_text()
    assert str(locked) not in told.read_text()
