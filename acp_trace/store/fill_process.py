"""A process that reads and analyses a trace for one that loads it: python -m acp_trace.store.fill_process.

The trace is its standard input; what it finds goes to standard output, as `send` writes it. Whatever is
wrong, it ends without its last message: the other process then does all of it alone, and meets what was
wrong itself. So nothing is told here, and no store is touched.
"""

from __future__ import annotations

import os
import sys
from typing import IO

import msgspec

import acp_trace
from acp_trace.analyze.facts import Trace
from acp_trace.store.collected_rows import CollectedRows, RowBatch
from acp_trace.store.fill import Digest, fill
from acp_trace.trace.files import Lines, TraceFile

#: Rows of a batch: they are encoded while they are in the processor's caches.
_MOST = 1_000

#: The word for a trace that is still being recorded.
LIVE = "live"


class Begun(msgspec.Struct, tag=True):
    """The first message: which acp-trace this is, for another one may have other rows."""

    version: str = acp_trace.__version__
    path: str = acp_trace.__file__


class Read(msgspec.Struct, tag=True):
    """Rows of the next part of the trace; `position`: how many bytes of the file were read so far."""

    position: int
    batch: RowBatch


class Filled(msgspec.Struct, tag=True):
    """The last message: what is known of the trace, and length and digest of its lines."""

    trace: Trace
    size: int
    sha256: str


_encode = msgspec.msgpack.Encoder().encode
_decoder: msgspec.msgpack.Decoder[Begun | Read | Filled] = msgspec.msgpack.Decoder(Begun | Read | Filled)
_LENGTH = 8


def send(out: IO[bytes], message: Begun | Read | Filled) -> None:
    """Writes a message. Raises OSError if nobody reads it any more."""
    data = _encode(message)
    out.write(len(data).to_bytes(_LENGTH))
    out.write(data)
    out.flush()


def received(source: IO[bytes]) -> bytes:
    """The next message as it was encoded; nothing if there is none, or only a part of one."""
    length = int.from_bytes(source.read(_LENGTH))
    data = source.read(length)
    return data if len(data) == length else b""


def decoded(data: bytes) -> Begun | Read | Filled | None:
    """The message that was received; None if there was none, or it is something else."""
    try:
        return _decoder.decode(data)
    except msgspec.DecodeError:
        return None


class _Sent(CollectedRows):
    """Rows that are sent on."""

    def __init__(self, out: IO[bytes], lines: Lines) -> None:
        super().__init__(_MOST)
        self._out, self._lines = out, lines

    def flush(self) -> None:
        send(self._out, Read(self._lines.position, self.taken()))


def main(words: list[str]) -> None:
    """Reads the trace and sends what it says."""
    out = open(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever is printed by mistake is no message
    send(out, Begun())
    with Lines(open(0, "rb", buffering=0), live=LIVE in words) as lines:
        digest = Digest()
        lines.on_read = digest.update
        rows = _Sent(out, lines)
        source = TraceFile(lines, "standard input")
        trace = fill(rows, source, source.entries())
        rows.flush()
    send(out, Filled(trace, digest.size, digest.sha256))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BaseException:  # see the beginning
        os._exit(1)
