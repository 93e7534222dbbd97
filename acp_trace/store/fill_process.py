"""A process that reads and analyses a trace for one that loads it: python -m acp_trace.store.fill_process.

The trace is its standard input; its results go to standard output, as `send` writes them. If anything is
wrong, it ends without its last message. So it reports no errors, and touches no store.
"""

from __future__ import annotations

from typing import IO

import msgspec

from acp_trace.analyze.facts import Trace
from acp_trace.store.collected_rows import CollectedRows, RowBatch
from acp_trace.store.fill import Digest, fill
from acp_trace.trace import helper
from acp_trace.trace.files import Lines, TraceFile
from acp_trace.trace.helper import Begun

#: Rows of a batch: they are encoded while they are in the processor's caches.
_MOST = 1_000

#: The word for a trace that is still being recorded.
LIVE = "live"


class Read(msgspec.Struct, tag=True):
    """Rows of the next part of the trace; `position`: how many bytes of the file were read so far."""

    position: int
    batch: RowBatch


class Filled(msgspec.Struct, tag=True):
    """The last message: what is known about the trace, and length and digest of its lines."""

    trace: Trace
    size: int
    sha256: str


_encode = msgspec.msgpack.Encoder().encode
_decoder: msgspec.msgpack.Decoder[Begun | Read | Filled] = msgspec.msgpack.Decoder(Begun | Read | Filled)


def send(out: IO[bytes], message: Begun | Read | Filled) -> None:
    """Write a message. Raises OSError if its reader has gone."""
    helper.send(out, _encode(message))


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
    """Read the trace and send its rows."""
    out = helper.output()
    with Lines(open(0, "rb", buffering=0), live=LIVE in words) as lines:
        digest = Digest()
        lines.on_read = digest.update
        rows = _Sent(out, lines)
        source = TraceFile(lines, "standard input")
        trace = fill(rows, source, source.entries())
        rows.flush()
    send(out, Filled(trace, digest.size, digest.sha256))


if __name__ == "__main__":
    helper.run(main)
