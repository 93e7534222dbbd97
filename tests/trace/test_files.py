"""Both kinds of trace file, from wherever they come, are lines to whoever reads them."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_trace.record import descriptor
from acp_trace.trace.capture_layout import AGENT, CLIENT, MAGIC
from acp_trace.trace.files import Lines, TraceFile, open_trace
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.parse import NewerFormat
from acp_trace.trace.tail import Tail
from tests.fuzz.inputs import stream
from tests.posix import named_pipe
from tests.trace.capturing import block, capture, rendered

_CAPTURE = capture(*(block(CLIENT, b'{"n":%d}\n' % n * 40, n) for n in range(200)))
_LINES = rendered(_CAPTURE)
_KINDS = pytest.mark.parametrize("file", [_CAPTURE, _LINES], ids=["capture", "lines"])


def _from_file(file: bytes, tmp_path: Path, _: pytest.MonkeyPatch) -> Lines:
    (tmp_path / "t").write_bytes(file)
    return open_trace(tmp_path / "t")[1]


def _written(fd: int, file: bytes) -> None:
    with open(fd, "wb") as pipe:
        pipe.writelines(file[start : start + 1000] for start in range(0, len(file), 1000))


def _from_pipe(file: bytes, tmp_path: Path, _: pytest.MonkeyPatch) -> Lines:
    named_pipe(tmp_path / "pipe")
    write = lambda: (tmp_path / "pipe").write_bytes(file)  # noqa: E731
    threading.Thread(target=write, daemon=True).start()
    return open_trace(tmp_path / "pipe")[1]


def _from_stdin(file: bytes, _: Path, patch: pytest.MonkeyPatch) -> Lines:
    read, write = os.pipe()
    threading.Thread(target=_written, args=(write, file), daemon=True).start()
    patch.setattr(sys, "stdin", open(read, encoding="utf-8"))
    name, lines = open_trace("-")
    assert name == "standard input"
    return lines


_Opener = Callable[[bytes, Path, pytest.MonkeyPatch], Lines]
_OPENERS = pytest.mark.parametrize("opener", [_from_file, _from_pipe, _from_stdin])


@_KINDS
@_OPENERS
@pytest.mark.parametrize("size", [-1, 1, 4096, 1 << 22])
def test_so_many_bytes_until_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: bytes, opener: _Opener, size: int
) -> None:
    """Exactly as many as are asked for; fewer mean the end, and then nothing comes any more."""
    with opener(file, tmp_path, monkeypatch) as lines:
        pieces = []
        while piece := lines.read(size):
            pieces.append(piece)
            if size == 1 and len(pieces) == 3000:
                break
        made = b"".join(pieces)
        assert {len(piece) for piece in pieces[:-1]} <= {size}
        assert made == _LINES[: len(made)]
        assert len(made) == (3000 if size == 1 else len(_LINES))
        assert lines.read() == _LINES[len(made) :]
        assert (lines.read(), lines.read(1), lines.position) == (b"", b"", len(file))
    if opener is _from_stdin:  # which is not ours to close
        sys.stdin.close()


@_KINDS
def test_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: bytes) -> None:
    """A file begins again, wherever its reader was; a pipe goes on."""
    with _from_file(file, tmp_path, monkeypatch) as lines:
        assert lines.seekable()
        for size in (0, 100, -1, -1):
            assert lines.read(size) == (_LINES if size < 0 else _LINES[:size])
            lines.rewind()
        assert lines.position == 0
    with _from_pipe(file, tmp_path, monkeypatch) as pipe:
        assert not pipe.seekable()
        assert pipe.read(100) == _LINES[:100]
        pipe.rewind()
        assert pipe.read() == _LINES[100:]


@pytest.mark.parametrize("size", range(len(MAGIC)))
@pytest.mark.parametrize("live", [False, True])
def test_a_file_that_only_begins_like_a_capture(size: int, live: bool) -> None:
    """It is no capture, unless more comes: its bytes are lines that nobody can read."""
    growing = io.BytesIO()
    lines = Lines(growing, live=live)
    growing.write(MAGIC[:size])
    growing.seek(0)
    assert lines.read() == (b"" if live else MAGIC[:size])
    if not live:
        with pytest.raises(Unreadable):
            list(TraceFile(Lines(stream(MAGIC[:size])), "name").entries())


def test_something_else_with_a_first_byte_of_a_capture() -> None:
    """It is given as it is."""
    for file in (MAGIC[:3] + b"x", MAGIC[:7] + b"\r", b"\x89PNG\r\n\x1a\n" * 9):
        assert Lines(stream(file)).read() == file


@_KINDS
@pytest.mark.parametrize("step", [1, 7, 999])
def test_a_live_file_that_grows(file: bytes, step: int) -> None:
    """Read after each piece that was added: what is there, in order, whole lines of a capture; nothing twice."""
    file = (
        file[-3000:]
        if not file.startswith(MAGIC)
        else capture(*[block(AGENT, b'{"n":1}\n{"n"'), block(AGENT, b":2}\n")] * 9)
    )
    expected = file if not file.startswith(MAGIC) else rendered(file)
    growing = io.BytesIO()
    lines, made = Lines(growing, live=True), b""
    for start in range(0, len(file), step):
        at = growing.tell()
        growing.seek(0, io.SEEK_END)
        growing.write(file[start : start + step])
        growing.seek(at)
        made += lines.read()
        assert expected.startswith(made)
        assert made.endswith(b"\n") or not file.startswith(MAGIC) or not made
    assert made == expected


def test_what_is_unfinished_is_given_to_nobody_while_the_recorder_lives(tmp_path: Path) -> None:
    """Damage neither: whatever follows may be a block. When the recorder is dead, it is told."""
    path = tmp_path / "t.capture"
    file = capture(
        block(CLIENT, b"[1]\n"), b"garbage", block(CLIENT, b"[2]\n[3"), block(AGENT, b"[4]\n")[:-1], end=False
    )
    with path.open("ab") as recorder:
        descriptor.hold(recorder.fileno())
        recorder.write(file)
        recorder.flush()
        with open_trace(path)[1] as lines:
            assert lines.live
            live = lines.read()
        assert live == rendered(file, over=False)
        assert live.endswith(b"[1]}\n")
    with open_trace(path)[1] as lines:
        assert not lines.live
        assert lines.read().removeprefix(live) == (
            b'{"t":0,"gap":{"frames":0,"bytes":7,"reason":"the capture is damaged"}}\n'
            b'{"t":0,"from":"client","frame":[2]}\n'
        )


def test_a_tail_of_a_capture(tmp_path: Path) -> None:
    """Entries as they come; it is complete with its footer, also when another file took the name meanwhile."""
    path = tmp_path / "t.jsonl"
    blocks = [
        capture(end=False),
        block(CLIENT, b'{"a":1}\n{"b"'),
        block(CLIENT, b":2}\n"),
        capture()[len(capture(end=False)) :],
    ]
    recorder = path.open("ab", buffering=0)
    descriptor.hold(recorder.fileno())
    recorder.write(blocks[0])
    tail = Tail(path)
    try:
        seen = [[one.kind.value for one in tail.new()]]
        for data in blocks[1:]:
            recorder.write(data[:10])
            assert tail.new() == []
            assert not tail.dead()
            recorder.write(data[10:])
            (tmp_path / "lines").write_bytes(b"")
            seen.append([one.kind.value for one in tail.new()])
        os.replace(tmp_path / "lines", path)
        assert not tail.dead()  # it lives on under no name
        recorder.close()
        assert tail.dead()
        assert tail.complete
    finally:
        tail.close()
        recorder.close()
    assert seen == [["header"], ["frame"], ["frame"], ["end"]]


def test_a_newer_capture_is_a_newer_format() -> None:
    """The one exception that commands know; nothing before it is given."""
    newer = MAGIC + b"\x02" + _CAPTURE[len(MAGIC) + 1 :]
    with pytest.raises(
        NewerFormat, match="capture version 2 is newer than this acp-trace, which reads version 1"
    ):
        Lines(stream(newer)).read()


def test_devices_have_no_end(tmp_path: Path) -> None:
    """The null device has: it is an empty trace."""
    with pytest.raises(Unreadable, match="/dev/zero is a device"):
        open_trace("/dev/zero")
    with open_trace(os.devnull)[1] as lines:
        assert lines.read() == b""


@pytest.mark.parametrize(
    ("mark", "name"), [(b"\x1f\x8b\x08", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip")]
)
def test_a_packed_trace_is_named_as_what_it_is(mark: bytes, name: str) -> None:
    """Whoever sends a trace packs it; it is not read on the way."""
    with pytest.raises(Unreadable, match=f"^t is a {name} file, not a trace: unpack it first$"):
        [*TraceFile(io.BytesIO(mark + b"\x00" * 100 + b"\n\xff"), "t").entries()]
