"""Traces and logs that were dropped on the page: kept in a temporary directory until the server ends.

The sender's names are ignored: a file is named by its number, and a log is recognised by its content. Files
beside it are not looked for.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from contextlib import closing
from pathlib import Path

from acp_trace.formats.reading.groups import explained, readers_for
from acp_trace.formats.reading.log import File
from acp_trace.store.sources import FileSource
from acp_trace.trace.codings import Decoder, Undecodable
from acp_trace.trace.whole_files import put

#: The most bytes kept in all, of logs and of the traces that they become.
MOST_BYTES = 512 << 20
_GZIP = b"\x1f\x8b\x08"


class NotTaken(Exception):
    """Nothing can be made of it. The message is one line."""


class GivenTraces:
    """The files of traces that were given. The directory goes with this, and when the process ends."""

    def __init__(self) -> None:
        self._directory: Path | None = None
        self._number = self._bytes = 0
        self._lock = threading.Lock()

    def take(self, data: bytes) -> Path:
        """Keep a trace, or the first trace of a log. Returns its file. Raises NotTaken and OSError."""
        with self._lock:
            path = self._kept(data)
            with closing(FileSource(path)) as source:
                flaw = source.flaw()
            if flaw is None:
                return path
            self._forget(path)
            return self._kept(_trace_in(data))

    def has(self, path: Path) -> bool:
        """Whether it is one of these files."""
        return self._directory is not None and path.parent == self._directory

    def _kept(self, data: bytes) -> Path:
        if self._bytes + len(data) > MOST_BYTES:
            raise NotTaken("too many files were opened here: start `acp-trace view` again")
        if self._directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="acp-trace-view-"))
            weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
        self._number += 1
        path = self._directory / f"{self._number}.jsonl"
        put(path, [data], private=True, new=True)
        self._bytes += len(data)
        return path

    def _forget(self, path: Path) -> None:
        self._bytes -= path.stat().st_size
        path.unlink()


def _trace_in(data: bytes) -> bytes:
    """The first trace in a log. Raises NotTaken."""
    if data.startswith(_GZIP):
        try:
            data = Decoder("gzip").whole(data)
        except Undecodable as error:
            raise NotTaken(str(error)) from None
    log = explained([File("the file", data)], readers_for(None))
    if log.best is None or not log.best.traces:
        raise NotTaken(log.why_none or "is not a recognised log")
    return log.best.traces[0].data
