"""The frames of a trace as they were analysed, and the entries between them, kept for a second pass.

Taking a frame from here takes a sixth of the time of reading and analysing its line again. The frames go to a
temporary file without a name, as a trace from a pipe does, so that a trace of any size takes no memory. A
process that inherits the file can read it while it grows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator

import msgspec

from acp_trace.analyze.frame import Frame
from acp_trace.trace.entries import Entry
from acp_trace.trace.scratch import naming_directory

#: The most frames and entries of a batch, and the bytes at which it ends even if it has fewer.
_MOST, _BYTES = 1_000, 1 << 20


class _Batch(msgspec.Struct, array_like=True, gc=False):
    """Frames, and the entries between them, each with the number of frames of the batch that come first."""

    frames: list[Frame]
    between: list[tuple[int, Entry]]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Batch).decode


class ReadOnce:
    """Fill it with everything, then iterate, as often as you like. Raises OSError, as for a full disk.

    `on_batch` is called whenever a batch is in the file. `sizes`: the bytes of each batch so far.
    """

    def __init__(self, on_batch: Callable[[ReadOnce], object] = lambda _: None) -> None:
        self.sizes: list[int] = []
        self._on_batch = on_batch
        self._file = tempfile.TemporaryFile()

    def fill(self, entries: Iterable[Frame | Entry]) -> None:
        """All frames, and the entries between them. Raises what they raise."""
        batch, size = _Batch([], []), 0
        frames, between = batch.frames, batch.between
        for entry in entries:
            if isinstance(entry, Frame):
                frames.append(entry)
            else:
                between.append((len(frames), entry))
            size += len(entry.data)
            if size >= _BYTES or len(frames) + len(between) >= _MOST:
                self._put(batch)
                batch, size = _Batch([], []), 0
                frames, between = batch.frames, batch.between
        if frames or between:
            self._put(batch)

    def __iter__(self) -> Iterator[Frame | Entry]:
        return unpacked(self.sizes, self._read)

    def fileno(self) -> int:
        """The descriptor of the file: `unpacked` reads it by offsets alone."""
        return self._file.fileno()

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

    def _put(self, batch: _Batch) -> None:
        data = _encode(batch)
        with naming_directory():
            self._file.seek(0, 2)
            self._file.write(data)
            self._file.flush()
        self.sizes.append(len(data))
        self._on_batch(self)

    def _read(self, size: int, offset: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)


def unpacked(sizes: Iterable[int], read: Callable[[int, int], bytes]) -> Iterator[Frame | Entry]:
    """The frames and entries of batches, in order. `read` gives as many bytes as asked, from an offset on."""
    offset = 0
    for size in sizes:
        batch = _decode(read(size, offset))
        offset += size
        begin = 0
        for before, entry in batch.between:
            yield from batch.frames[begin:before]
            yield entry
            begin = before
        yield from batch.frames[begin:] if begin else batch.frames
