"""The capture while it is written, with a disk that takes what it likes, and threads that meet anywhere."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from acp_trace.record import descriptor, place, sink
from acp_trace.system.files import pwrite
from acp_trace.trace import lock
from acp_trace.trace.capture_blocks import Blocks
from acp_trace.trace.capture_layout import AGENT, CLIENT, MODEL_HEAD, MODEL_REQUEST, RECORDER, STDERR
from tests.support import DEADLINE_S, entries_in, frames_in, header, until


class _Disk:
    """Takes at most `most` bytes at a time, and `room` bytes in all, for files that are not deleted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.most, self.room = 1 << 30, 1 << 30
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(sink, "append", lambda fd, head, data: self.write(fd, head + data))

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
    assert said == ["the trace was deleted and cannot be restored (No space left on device)"]
    disk.room, disk.most = 1 << 30, 7
    made.write(AGENT, b'{"n":102}\n')
    assert [entry["frame"]["n"] for entry in frames_in(path)] == list(range(103))
    made.end(0, None)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    assert "acp_trace" in entries_in(path)[0]
    assert not [entry for entry in entries_in(path) if "gap" in entry]
    assert entries_in(path)[-1]["end"]["frames"] == {"client": 100, "agent": 3}


class _Refusing:
    """Says no to the `refused` next calls of a function that needs memory."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, owner: object, name: str) -> None:
        self.refused = 0
        self._whole: Callable[..., object] = getattr(owner, name)
        monkeypatch.setattr(owner, name, self)

    def __call__(self, *args: object) -> object:
        if self.refused:
            self.refused -= 1
            raise MemoryError
        return self._whole(*args)


def _kept(path: Path) -> list[object]:
    """Frames and logs as they are, gaps as (frames, bytes, reason), the numbers of the footer."""
    kept: list[object] = []
    for entry in entries_in(path)[1:]:
        if gap := entry.get("gap"):
            kept.append((gap["frames"], gap["bytes"], gap["reason"]))
        else:
            kept.append(entry.get("frame", entry.get("log", entry.get("end", {}).get("frames"))))
    return kept


@pytest.mark.parametrize("sent", [bytes, lambda data: memoryview(bytearray(data + b"\nold\n"))[: len(data)]])
def test_what_does_not_fit_into_memory_is_lost_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: Callable[[bytes], bytes | memoryview]
) -> None:
    """The line that was begun before it too; what comes after is kept. A buffer's old bytes are not counted."""
    path, said = tmp_path / "t", list[str]()
    made = _sink(path, said)
    quick, slow = _Refusing(monkeypatch, sink, "append"), _Refusing(monkeypatch, sink, "block")
    for data, refused in ((b"[0]\n", 0), (b"[1,", 0), (b"2]\n[3]\n[4,", 1), (b"5]\n[6]\n", 0), (b"", 0)):
        quick.refused = slow.refused = refused
        made.write(AGENT, sent(data))
    made.end(0, None)
    no_memory = "Cannot allocate memory"
    assert _kept(path) == [[0], (2, 8, no_memory), (1, 5, no_memory), [6], {"client": 0, "agent": 5}]
    assert said == ["cannot write the trace (Cannot allocate memory); the traffic goes on unrecorded"]


def test_memory_for_a_while_is_no_loss(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow way is tried at once."""
    path, said = tmp_path / "t", list[str]()
    made, quick = _sink(path, said), _Refusing(monkeypatch, sink, "append")
    quick.refused = 1
    made.write(AGENT, b"[0]\n")
    made.end(0, None)
    assert (_kept(path), said) == ([[0], {"client": 0, "agent": 1}], [])


def test_no_memory_for_the_footer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end raises nothing: the agent's exit code is still to be passed on."""
    path, said = tmp_path / "t", list[str]()
    made, slow = _sink(path, said), _Refusing(monkeypatch, sink, "block")
    made.write(AGENT, b"[0]\n")
    slow.refused = 1
    made.end(0, None)
    assert (_kept(path), len(said)) == ([[0]], 1)


def test_a_gap_of_several_streams_is_told_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By whichever stream is written first when there is room again."""
    disk, path, said = _Disk(monkeypatch), tmp_path / "t", list[str]()
    made = _sink(path, said)
    made.write(STDERR, b"begun")
    disk.room = 0
    for stream, data in (
        (CLIENT, b"[1]\n[2"),
        (AGENT, b"[3]\n"),
        (STDERR, b"lost\nlo"),
        (CLIENT, b"]\n"),
        (AGENT, b""),
    ):
        made.write(stream, data)
    disk.room = 1 << 30
    made.write(STDERR, b"st\n")
    made.write(CLIENT, b"[4]\n")
    made.end(0, None)
    full = "No space left on device"
    assert _kept(path) == ["begun", (3, 9, full), "st", [4], {"client": 3, "agent": 1}]
    assert len(said) == 1


def _short(
    monkeypatch: pytest.MonkeyPatch, stream: int, most: int, meanwhile: Callable[[], object] = lambda: None
) -> list[int]:
    """The next quick write of a stream takes no more than so many bytes; then something else happens."""
    whole, cut = descriptor.append, list[int]()

    def append(fd: int, head: bytes, data: bytes) -> int:
        if cut or int.from_bytes(head[20:24], "little") != stream:
            return whole(fd, head, data)
        cut.append(os.write(fd, (head + data)[:most]))
        meanwhile()
        return cut[0]

    monkeypatch.setattr(sink, "append", append)
    return cut


@pytest.mark.parametrize("most", [1, 8, 27, 28, 29, 31])
def test_a_short_write_at_the_end_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """And written again, whole: nothing of it is left, and nothing is lost."""
    path, said = tmp_path / "t", list[str]()
    made = _sink(path, said)
    cut = _short(monkeypatch, AGENT, most)
    made.write(AGENT, b"[1]\n")
    made.end(0, None)
    assert (cut, said) == ([most], [])
    assert _blocks(path) == ([b"[1]\n"], 0)
    assert _kept(path) == [[1], {"client": 0, "agent": 1}]


@pytest.mark.parametrize("is_full", [False, True])
@pytest.mark.parametrize("most", [1, 7, 8, 27, 28, 29, 90])
def test_a_short_write_with_others_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, is_full: bool
) -> None:
    """It stays in the file; readers pass it over, and it is no damage. Lost is what found no room again."""
    disk, path, said = _Disk(monkeypatch), tmp_path / "t", list[str]()
    made = _sink(path, said)

    def others() -> None:
        made.write(CLIENT, b"[0]\n")
        disk.room = 0 if is_full else 1 << 30

    _short(monkeypatch, AGENT, most, others)
    made.write(AGENT, b"[1]\n" * 20)
    disk.room = 1 << 30
    made.write(AGENT, b"[2]\n")
    made.end(0, None)
    lost = [(20, 60, "No space left on device")] if is_full else [[1]] * 20
    assert _kept(path) == [[0], *lost, [2], {"client": 1, "agent": 21}]
    assert _blocks(path)[1] == most
    assert len(said) == is_full


def _blocks(path: Path) -> tuple[list[bytes], int]:
    """What was read from client and agent, as it is in the file, and how many bytes belong to no block."""
    blocks = Blocks()
    made = blocks.feed(path.read_bytes()) + blocks.finish()
    return [one.data for one in made if one.stream != RECORDER], blocks.skipped


def test_a_file_that_cannot_be_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that may only be appended to (`chattr +a`): what failed half-way stays, and no loss is told twice."""
    disk, path = _Disk(monkeypatch), tmp_path / "t"
    made = _sink(path, [])

    def ftruncate(fd: int, size: int) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "ftruncate", ftruncate)
    for room in (0, 20, 200, 100, 150, 10):
        disk.room = room
        made.write(AGENT, b"[1]\n" * 100)
    disk.room = 1 << 30
    made.write(AGENT, b"[2]\n")
    made.end(0, None)
    kept = _kept(path)
    gaps = [one for one in kept if isinstance(one, tuple)]
    assert sum(frames for frames, _, _ in gaps) == 600
    assert sum(size for _, size, _ in gaps) == 1800
    assert kept[-2:] == [[2], {"client": 0, "agent": 601}]
    assert {reason for _, _, reason in gaps} == {"No space left on device"}


def _hammering(made: sink.Sink, threads: int) -> tuple[list[threading.Thread], list[int], threading.Barrier]:
    """A thread a stream, each of which writes lines until the sink is closed; how many each one got in."""
    written, ready = [0] * threads, threading.Barrier(threads + 1)

    def hammer(at: int) -> None:
        ready.wait(DEADLINE_S)
        with contextlib.suppress(sink.Closed):
            while True:
                made.write(at + 1, b"[%d]\n" % written[at])
                written[at] += 1

    started = [threading.Thread(target=hammer, args=(at,), daemon=True) for at in range(threads)]
    for thread in started:
        thread.start()
    return started, written, ready


@pytest.mark.parametrize("turn", range(8))
def test_nothing_is_written_behind_the_footer(tmp_path: Path, turn: int) -> None:
    """Whatever a pump may forward is in the trace: it is in front of the footer, or the pump is told Closed."""
    path = tmp_path / "t"
    made = _sink(path, [])
    threads, written, ready = _hammering(made, 3)
    ready.wait(DEADLINE_S)
    while min(written) < 20 * turn:
        pass
    made.end(0, None)
    for thread in threads:
        thread.join(DEADLINE_S)
        assert not thread.is_alive()
    entries = entries_in(path)
    assert "end" in entries[-1]
    assert entries[-1]["end"]["frames"] == {"client": written[0], "agent": written[1]}
    for name, count in zip(("client", "agent"), written, strict=False):
        assert [one["frame"] for one in entries if one.get("from") == name] == [[n] for n in range(count)]
    assert len([one for one in entries if "log" in one]) == written[2]
    assert _blocks(path)[1] == 0


def _is_back(path: Path, written: list[int], goal: int) -> bool:
    return path.exists() and min(written) > goal


def test_a_deleted_file_is_put_back_while_others_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Again and again: each block is in the new file once, in its stream's order."""
    monkeypatch.setattr(sink, "_LOOK_EVERY_NS", 0)
    path = tmp_path / "t"
    made = _sink(path, [])
    threads, written, ready = _hammering(made, 3)
    ready.wait(DEADLINE_S)
    for _ in range(6):
        goal = min(written) + 20
        path.unlink()
        until(partial(_is_back, path, written, goal), "a new file")
    made.end(0, None)
    for thread in threads:
        thread.join(DEADLINE_S)
    entries = entries_in(path)
    assert entries[-1]["end"]["frames"] == {"client": written[0], "agent": written[1]}
    for name, count in zip(("client", "agent"), written, strict=False):
        assert [one["frame"] for one in entries if one.get("from") == name] == [[n] for n in range(count)]
    assert not [one for one in entries if "gap" in one]


def test_streams_that_are_held_wait_for_those_that_append(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever takes a short write back would otherwise cut off what another stream is just appending."""
    path = tmp_path / "t"
    made = _sink(path, [])
    inside, go = threading.Event(), threading.Event()
    whole = descriptor.append

    def append(fd: int, head: bytes, data: bytes) -> int:
        if data == b"[slow]\n":
            inside.set()
            assert go.wait(DEADLINE_S)
        return whole(fd, head, data)

    monkeypatch.setattr(sink, "append", append)
    slow = threading.Thread(target=made.write, args=(CLIENT, b"[slow]\n"), daemon=True)
    slow.start()
    assert inside.wait(DEADLINE_S)
    ending = threading.Thread(target=made.end, args=(0, None), daemon=True)
    ending.start()
    until(lambda: made._held, "the end")
    assert ending.is_alive()
    go.set()
    for thread in (slow, ending):
        thread.join(DEADLINE_S)
        assert not thread.is_alive()
    assert _kept(path)[-1] == {"client": 1, "agent": 0}


def test_a_device_has_no_size_and_no_name_to_lose() -> None:
    """It takes everything; nothing is cut or put back."""
    said = list[str]()
    made = _sink(Path(os.devnull), said)
    for stream in (CLIENT, AGENT, STDERR):
        made.write(stream, b"x" * 100)
    made.end(0, None)
    assert (made.path, said) == (os.devnull, [])


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


def test_what_is_recorded_beside_is_lost_and_told_like_all_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever sends it hears that something is lost; the frames between are none the worse."""
    disk, path, said = _Disk(monkeypatch), tmp_path / "t", list[str]()
    made = _sink(path, said)
    assert made.write_beside(MODEL_HEAD, 1, 5, b'{"request":{"method":"GET"}}')
    disk.room = 20
    assert not made.write_beside(MODEL_REQUEST, 1, 6, b"lost")
    disk.room = 1 << 30
    made.write(CLIENT, b'{"n":1}\n')
    assert made.write_beside(MODEL_REQUEST, 1, 7, b"kept" + bytes([255]))
    made.end(0, None)
    model = [entry["model"] for entry in entries_in(path) if "model" in entry]
    assert model == [
        {"exchange": 1, "request": {"method": "GET"}},
        {"gap": {"bytes": 4, "reason": "No space left on device"}},
        {"exchange": 1, "t": 7, "sent_base64": "a2VwdP8="},
    ]
    assert len(frames_in(path)) == 1


def test_bytes_are_overwritten_while_it_is_written(tmp_path: Path) -> None:
    """In the file at its path, not behind its end; and it goes on. Nothing happens if another file is there."""
    path, said = tmp_path / "t", list[str]()
    written = _sink(path, said)
    written.write(AGENT, b"a secret\n")
    at = path.read_bytes().index(b"secret")

    def change(fd: int) -> int:
        return pwrite(fd, b"hidden", at)

    assert written.change(change) == 6
    assert b"a hidden\n" in path.read_bytes()
    written.write(AGENT, b"more\n")
    path.rename(tmp_path / "moved")
    path.write_bytes(bytes(1000))
    assert written.change(change) == 0
    assert path.read_bytes() == bytes(1000)
    path.unlink()
    assert written.change(change) == 0
    written.end(0, None)
