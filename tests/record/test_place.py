"""`--out` into what is no plain file: devices are neither locked nor kept, pipes are refused."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from acp_trace.record import place
from tests.support import Home, agent

_ECHO = agent("for line in lines: say(line)\nsys.exit(6)")


def test_two_recorders_into_one_device(home: Home) -> None:
    """Every process has the same /dev/null: a lock on it would make one wait for the other."""
    with home.start(_ECHO, "--out", "/dev/null") as one:
        one.say(b'{"n":1}\n')
        assert one.hear() == b'{"n":1}\n'
        with home.start(_ECHO, "--out", "/dev/null") as two:
            assert two.finish(b'{"n":2}\n') == (b'{"n":2}\n', b"", 6)
        assert one.finish(b'{"n":3}\n') == (b'{"n":3}\n', b"", 6)


@pytest.mark.parametrize("kind", ["a pipe", "a socket", "a folder"])
def test_what_no_trace_goes_into(home: Home, tmp_path: Path, kind: str) -> None:
    """A usage error before the agent starts: a pipe whose reader stops would stop the traffic."""
    path, started = tmp_path / "out\x1b[31m", tmp_path / "started"
    with socket.socket(socket.AF_UNIX) as listener:
        if kind == "a pipe":
            os.mkfifo(path)
        elif kind == "a folder":
            path.mkdir()
        else:
            listener.bind(str(path))
        done = home.outcome("record", "--out", str(path), "--", "touch", str(started), COLUMNS="400")
    assert (done.returncode, done.stdout, started.exists()) == (2, b"", False)
    assert f"out\\e[31m is {kind}: give a file" in done.stderr.decode()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_pipe_that_comes_later(tmp_path: Path) -> None:
    """When the place is asked again, because it gave an error or the file was deleted: a loss as any."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="is a pipe") as found:
        place.in_file(pipe, "some-id", lambda _: None)
    assert found.value.filename == str(pipe)
