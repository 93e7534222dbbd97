"""The trace file while it is written, with a disk that takes what it likes."""

from __future__ import annotations

import errno
import os
import stat
import time
from functools import partial
from pathlib import Path

import pytest

from acp_trace.record import descriptor, place, sink
from acp_trace.trace import lock
from acp_trace.trace.capture import AGENT, CLIENT
from tests.support import entries_in, frames_in, header


class _Disk:
    """Takes at most `most` bytes at a time, and `room` bytes in all, for files that are not deleted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.most, self.room = 1 << 30, 1 << 30
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(os, "writev", lambda fd, parts: self.write(fd, b"".join(parts)))

    def write(self, fd: int, data: bytes) -> int:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode) or not found.st_nlink:
            return self._write(fd, data)
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = self._write(fd, data[: min(self.most, self.room)])
        self.room -= done
        return done


def _sink(path: Path, said: list[str]) -> sink.Sink:
    where = partial(place.in_file, str(path), "some-id")
    return sink.Sink(where, header()[:-1], started=time.monotonic_ns(), say=said.append)


def test_all_is_written_also_a_part_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write may take less than it is given; nothing is said about it but its result."""
    disk, path = _Disk(monkeypatch), tmp_path / "t"
    disk.most = 7
    data = bytes(range(256)) * 3
    with open(path, "wb") as stream:
        descriptor.write_all(stream.fileno(), data)
        disk.room = 10
        with pytest.raises(OSError, match="No space left"):
            descriptor.write_all(stream.fileno(), data)
    assert path.read_bytes() == data + data[:10]


@pytest.mark.parametrize("room", [0, 10, 1000])
def test_a_deleted_trace_is_put_back_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    """On a disk that is nearly full no half trace appears; what was written stays with the recorder."""
    monkeypatch.setattr(sink, "_LOOK_EVERY_NS", 0)
    disk, path, said = _Disk(monkeypatch), tmp_path / "t.jsonl", list[str]()
    made = _sink(path, said)
    made.write(CLIENT, b"".join(b'{"n":%d}\n' % n for n in range(100)))
    path.unlink()
    disk.room = room
    for n in (100, 101):
        made.write(AGENT, b'{"n":%d}\n' % n)
        assert not list(tmp_path.iterdir())
    assert said == ["the trace was deleted and cannot be put back (No space left on device)"]
    disk.room, disk.most = 1 << 30, 7
    made.write(AGENT, b'{"n":102}\n')
    assert [entry["frame"]["n"] for entry in frames_in(path)] == list(range(103))
    made.end(0, None)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert "acp_trace" in entries_in(path)[0]
    assert not [entry for entry in entries_in(path) if "gap" in entry]
    assert entries_in(path)[-1]["end"]["frames"] == {"client": 100, "agent": 3}


def test_the_lock_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever looks whether it is free holds it: without it a live trace would look dead to everybody."""
    tries: list[int] = []
    plain = lock.hold

    def hold(fd: int) -> None:
        tries.append(fd)
        if len(tries) < 4:
            raise BlockingIOError
        plain(fd)

    monkeypatch.setattr(lock, "hold", hold)
    with (tmp_path / "t").open("wb") as file:
        descriptor.hold(file.fileno())
        assert lock.held(tmp_path / "t")
    assert len(tries) == 4
