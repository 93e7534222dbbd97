"""The frames of a trace file as they were analysed, and the entries between them, kept for a second pass.

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
    """Add everything in order, then iterate, as often as you like. Raises OSError, as for a full disk.

    `on_batch` is called whenever a batch is in the file. `sizes`: the bytes of each batch so far.
    """

    def __init__(self, on_batch: Callable[[ReadOnce], object] = lambda _: None) -> None:
        self.sizes: list[int] = []
        self._on_batch = on_batch
        self._file = tempfile.TemporaryFile()
        self._batch = _Batch([], [])
        self._bytes = 0

    def add(self, entry: Frame | Entry) -> None:
        """The next frame, or what comes between it and the one before."""
        batch = self._batch
        if isinstance(entry, Frame):
            batch.frames.append(entry)
        else:
            batch.between.append((len(batch.frames), entry))
        self._bytes += len(entry.data)
        if len(batch.frames) + len(batch.between) >= _MOST or self._bytes >= _BYTES:
            self.flush()

    def flush(self) -> None:
        """Write what was added so far to the file."""
        if not (self._batch.frames or self._batch.between):
            return
        data = _encode(self._batch)
        with naming_directory():
            self._file.seek(0, 2)
            self._file.write(data)
            self._file.flush()
        self.sizes.append(len(data))
        self._batch, self._bytes = _Batch([], []), 0
        self._on_batch(self)

    def __iter__(self) -> Iterator[Frame | Entry]:
        self.flush()
        return unpacked(self.sizes, self._read)

    def fileno(self) -> int:
        """The descriptor of the file: `unpacked` reads it by offsets alone."""
        return self._file.fileno()

    def close(self) -> None:
        """Lets go of the file."""
        self._file.close()

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
