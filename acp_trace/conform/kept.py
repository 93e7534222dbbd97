"""Where the traces of a run are kept: in a directory that was named, or in the spool, as any recording.

In a directory, a trace is called after what was tried: `prompt.jsonl`. From the spool the store takes it.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from acp_trace.record import place
from acp_trace.record.header import header
from acp_trace.record.sink import Sink
from acp_trace.trace import whole_files
from acp_trace.trace.entries import Entry
from acp_trace.trace.files import Lines, TraceFile, open_trace
from acp_trace.trace.names import new_id


class KeptTrace:
    """A trace while it is written, and its entries afterwards. `name`: by which it can be looked at."""

    def __init__(self, id_: str, sink: Sink, file: Path | None, spooled: str | None) -> None:
        self.id, self.sink = id_, sink
        self.name = id_ if file is None else str(file)
        self.entries: list[Entry] = []
        self._file, self._written = file, spooled
        # Opened now: once it is whole, any command may take it into the store and out of the spool.
        self._open = open(sink.path, "rb", buffering=0) if file is None and sink.path else None

    def close(self) -> None:
        """Reads it, and keeps it. Raises OSError."""
        if self._open is not None:
            with self._open:
                self.entries = list(TraceFile(Lines(self._open), self.id).entries())
        elif self._file is not None and self._written is not None:
            with open_trace(self._written)[1] as lines:
                whole_files.put(self._file, [lines.read()], private=True)
            with open(self._file, "rb", buffering=0) as file:
                self.entries = list(TraceFile(Lines(file), self.id).entries())


def into_spool(trace_id: str, lines: bytes) -> None:
    """Puts a whole trace into the spool. Raises OSError."""

    def fill(fd: int) -> None:
        with open(fd, "wb", closefd=False) as file:
            file.write(lines)

    os.close(place.in_spool(trace_id, fill)[0])


@contextmanager
def kept(
    directory: Path | None,
    name: str,
    argv: list[str],
    cwd: str,
    started: int,
    say: Callable[[str], None],
    **more: object,
) -> Iterator[KeptTrace]:
    """A new trace. `directory`: None for the spool; `more`: other keys of its header. Raises OSError."""
    id_ = new_id()
    head = header(id_, argv, started, cwd=cwd, **more)
    if directory is None:
        made = KeptTrace(id_, Sink(partial(place.in_spool, id_), head, started=started, say=say), None, None)
    else:
        with tempfile.TemporaryDirectory(prefix="acp-trace-") as own:
            written = os.path.join(own, "trace.capture")
            sink = Sink(partial(place.in_file, written, id_), head, started=started, say=say)
            made = KeptTrace(id_, sink, directory / f"{name}.jsonl", written)
            yield made
            made.close()
        return
    yield made
    made.close()
