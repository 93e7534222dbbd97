"""`--out` into what is no plain file: devices and pipes are neither locked nor waited for."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support import Home, agent, analyzed, entries_in

_ECHO = agent("for line in lines: say(line)\nsys.exit(6)")


def test_two_recorders_into_one_device(home: Home) -> None:
    """Every process has the same /dev/null: a lock on it would make one wait for the other."""
    with home.start(_ECHO, "--out", "/dev/null") as one:
        one.say(b'{"n":1}\n')
        assert one.hear() == b'{"n":1}\n'
        with home.start(_ECHO, "--out", "/dev/null") as two:
            assert two.finish(b'{"n":2}\n') == (b'{"n":2}\n', b"", 6)
        assert one.finish(b'{"n":3}\n') == (b'{"n":3}\n', b"", 6)


def test_a_pipe_that_nobody_reads(home: Home, tmp_path: Path) -> None:
    """The client is not kept waiting for a reader that may never come."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with home.start(_ECHO, "--out", str(pipe)) as recording:
        out, err, code = recording.finish(b'{"n":1}\n')
    assert (out, code) == (b'{"n":1}\n', 6)
    assert err.count(b"acp-trace: ") == 1
    assert b"cannot write the trace (No such device or address: " in err
    assert [one.name for one in tmp_path.iterdir()] == ["pipe"]


def test_a_pipe_with_a_reader(home: Home, tmp_path: Path) -> None:
    """It gets the whole trace."""
    pipe, kept = tmp_path / "pipe", tmp_path / "kept"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(reader, True)
    with home.start(_ECHO, "--out", str(pipe)) as recording:
        assert recording.finish(b'{"n":1}\n') == (b'{"n":1}\n', b"", 6)
    with open(reader, "rb") as stream:
        kept.write_bytes(stream.read())
    assert entries_in(kept)[-1]["end"]["frames"] == {"client": 1, "agent": 1}
    assert analyzed(kept.read_bytes())[0].trace.complete
