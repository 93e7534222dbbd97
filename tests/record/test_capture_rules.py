"""The rules of a capture while it is written, each with the one moment in which it matters."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_trace.record import descriptor, place, sink
from acp_trace.record.finish import finish
from acp_trace.trace.capture_layout import AGENT, CLIENT, MAGIC
from tests.support import DEADLINE_S, entries_in, frames_in, header


class _Disk:
    """What `append` and `write_all` of a sink do; `fails` is what they raise, `room` what still fits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fails: type[OSError | MemoryError] | None = None
        self.room = 1 << 30
        monkeypatch.setattr(sink, "append", self.append)
        monkeypatch.setattr(sink, "write_all", self.write_all)

    def append(self, fd: int, head: bytes, data: bytes | memoryview) -> int:
        self._check()
        return os.write(fd, (head + data)[: self.room])

    def write_all(self, fd: int, data: bytes) -> None:
        self._check()
        descriptor.write_all(fd, data)

    def _check(self) -> None:
        if self.fails is MemoryError:
            raise MemoryError
        if self.fails:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> _Disk:
    """A disk that takes all, until it is told otherwise."""
    return _Disk(monkeypatch)


def _sink(path: Path) -> sink.Sink:
    where = partial(place.in_file, str(path), path.stem)
    return sink.Sink(where, header()[:-1], started=time.monotonic_ns(), say=lambda _: None)


def _gaps(path: Path) -> list[dict[str, Any]]:
    return [entry["gap"] for entry in entries_in(path) if "gap" in entry]


def _told(made: sink.Sink, path: Path) -> list[Any]:
    made.end(0, None)
    return [entry.get("frame", entry.get("text", entry.get("gap"))) for entry in entries_in(path)[1:-1]]


def test_a_gap_is_written_when_no_stream_is_in_a_write(
    tmp_path: Path, disk: _Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its size and what it cuts off are those of the file: another stream's block must not come between."""
    made = _sink(tmp_path / "t")
    within, go_on, written = threading.Event(), threading.Event(), threading.Event()
    order: list[str] = []

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        if bytes(data) == b"slow\n":
            within.set()
            assert go_on.wait(DEADLINE_S)
            order.append("block")
        elif bytes(data) == b"lost\n":
            raise OSError(errno.ENOSPC, "full")
        return descriptor.append(fd, head, data)

    def write_all(fd: int, data: bytes) -> None:
        order.append("gap")
        go_on.set()
        descriptor.write_all(fd, data)

    def waits(_: float) -> None:
        go_on.set()  # the other one waits: only now may this stream go on
        assert written.wait(DEADLINE_S)

    monkeypatch.setattr(sink, "append", append)
    monkeypatch.setattr(sink, "write_all", write_all)
    monkeypatch.setattr("acp_trace.record.sink.time.sleep", waits)

    def slow() -> None:
        made.write(CLIENT, b"slow\n")
        written.set()

    writing = threading.Thread(target=slow)
    writing.start()
    assert within.wait(DEADLINE_S)
    made.write(AGENT, b"lost\n")
    writing.join(DEADLINE_S)
    assert order == ["block", "gap"]


class _Lock:
    """A lock that says when somebody wants it."""

    def __init__(self, wanted: threading.Event) -> None:
        self._wanted, self._lock = wanted, threading.Lock()

    def __enter__(self) -> None:
        if self._lock.locked():
            self._wanted.set()
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_no_stream_begins_a_write_while_a_gap_is_written(
    tmp_path: Path, disk: _Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes meanwhile waits for his turn."""
    path = tmp_path / "t"
    made = _sink(path)
    came = threading.Event()
    monkeypatch.setattr(made, "_lock", _Lock(came))
    coming = threading.Thread(target=made.write, args=(CLIENT, b"1\n"))
    disk.fails = OSError
    made.write(AGENT, b"lost\n")
    disk.fails = None

    def append(fd: int, head: bytes, data: bytes | memoryview) -> int:
        done = descriptor.append(fd, head, data)
        came.set()
        return done

    def write_all(fd: int, data: bytes) -> None:
        if not coming.ident:
            coming.start()
            assert came.wait(DEADLINE_S)
        descriptor.write_all(fd, data)

    monkeypatch.setattr(sink, "append", append)
    monkeypatch.setattr(sink, "write_all", write_all)
    made.write(AGENT, b"2\n")
    coming.join(DEADLINE_S)
    lost = {"frames": 1, "bytes": 4, "reason": "No space left on device"}
    assert _told(made, path) == [lost, 2, 1]


def test_no_block_overtakes_the_gap_before_it(tmp_path: Path, disk: _Disk) -> None:
    """What one stream has lost is told before any other stream's next block, though that would fit."""
    path = tmp_path / "t"
    made = _sink(path)
    disk.fails = OSError
    made.write(AGENT, b"lost\n")
    disk.fails = None
    made.write(CLIENT, b"1\n")
    made.write(AGENT, b"2\n")
    lost = {"frames": 1, "bytes": 4, "reason": "No space left on device"}
    assert _told(made, path) == [lost, 1, 2]


def test_the_rest_of_a_loss_is_counted_over_all_its_blocks(tmp_path: Path, disk: _Disk) -> None:
    """The line that was begun in the gap has bytes of two lost blocks, and of one behind it."""
    path = tmp_path / "t"
    made = _sink(path)
    disk.fails = OSError
    made.write(AGENT, b"1\n22")
    made.write(AGENT, b"333")
    disk.fails = None
    made.write(AGENT, b"4444\n5\n")
    made.end(0, None)
    assert [(gap["frames"], gap["bytes"]) for gap in _gaps(path)] == [(1, 1), (1, 9)]
    assert [entry["frame"] for entry in frames_in(path)] == [5]
    assert entries_in(path)[-1]["end"]["frames"] == {"client": 0, "agent": 3}


@pytest.mark.parametrize("fails", [OSError, MemoryError])
def test_whatever_fails_is_a_counted_loss(
    tmp_path: Path, disk: _Disk, fails: type[OSError | MemoryError]
) -> None:
    """Nothing comes out of `write`: a pump that ends would close its pipes."""
    path = tmp_path / "t"
    made = _sink(path)
    disk.fails = fails
    made.write(AGENT, b"lost\n")
    disk.fails = None
    made.write(AGENT, b"1\n")
    reason = "Cannot allocate memory" if fails is MemoryError else "No space left on device"
    assert _told(made, path) == [{"frames": 1, "bytes": 4, "reason": reason}, 1]


@pytest.mark.parametrize("room", [1, 27, 28, 30])
def test_half_a_block_is_taken_back(tmp_path: Path, disk: _Disk, room: int) -> None:
    """A write that took only a part of it: the file ends as before, then the whole block stands there."""
    path = tmp_path / "t"
    made = _sink(path)
    made.write(AGENT, b"1\n")
    before = path.stat().st_size
    disk.room = room
    made.write(AGENT, b"22222\n")
    assert path.stat().st_size == before + 28 + 6
    assert _told(made, path) == [1, 22222]


def test_half_an_entry_is_taken_back(tmp_path: Path, disk: _Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow write that fails half-way leaves nothing."""
    path = tmp_path / "t"
    made = _sink(path)
    made.write(AGENT, b"1\n")
    before = path.stat().st_size

    def write_half(fd: int, data: bytes) -> None:
        os.write(fd, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "full")

    with monkeypatch.context() as patch:
        patch.setattr(sink, "write_all", write_half)
        disk.room = 10
        made.write(AGENT, b"22222\n")
        assert path.stat().st_size == before
    disk.room = 1 << 30
    made.write(AGENT, b"3\n")
    assert _told(made, path) == [1, {"frames": 1, "bytes": 5, "reason": "full"}, 3]


def test_nothing_is_taken_behind_the_footer(tmp_path: Path) -> None:
    """A pump that is still there must not forward what no trace has."""
    path = tmp_path / "t"
    made = _sink(path)
    made.end(0, None)
    before = path.read_bytes()
    for stream in (CLIENT, AGENT):
        with pytest.raises(sink.Closed):
            made.write(stream, b"1\n")
    assert path.read_bytes() == before


def test_lines_take_the_place_of_their_own_capture(tmp_path: Path) -> None:
    """Another recorder has the name by then: its capture stays, the lines go where their capture is."""
    path, kept = tmp_path / "t.jsonl", tmp_path / "t.1.jsonl"
    first, wanted = _sink(path), lambda: True
    first.write(AGENT, b"1\n")
    other = _named(path, "other")
    other.write(AGENT, b"2\n")
    first.end(0, None, then=_finishing(wanted))
    assert path.read_bytes().startswith(MAGIC)
    assert not kept.read_bytes().startswith(MAGIC)
    assert [entry["frame"] for entry in frames_in(kept)] == [1]
    other.end(0, None, then=_finishing(wanted))
    assert [entry["frame"] for entry in frames_in(path)] == [2]
    assert sorted(tmp_path.iterdir()) == [kept, path]


def _named(path: Path, trace_id: str) -> sink.Sink:
    where = partial(place.in_file, str(path), trace_id)
    return sink.Sink(where, header(id=trace_id)[:-1], started=time.monotonic_ns(), say=lambda _: None)


def _finishing(wanted: Callable[[], bool]) -> Callable[[int, str], None]:
    return lambda fd, path: finish(fd, path, wanted)
