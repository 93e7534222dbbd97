"""What users name to be looked at: a trace, or the log of another tool, read as `import` reads it."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from acp_trace.store.catalog import resolve
from acp_trace.store.sources import FileSource, Source
from acp_trace.trace.files import open_trace
from acp_trace.trace.home import Home
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.scratch import scratch
from acp_trace.trace.whole_files import put

if TYPE_CHECKING:
    from acp_trace.formats.reading.trace_lines import TraceOfLog


class LogSource(FileSource):
    """The trace of a log of another tool: in a file for as long as it is open, and never in the store.

    `format`: of the log; `doubts`: why it was hardly read right, in a few words.
    """

    def __init__(self, name: str, trace: TraceOfLog, format_name: str, doubts: str | None) -> None:
        self.format, self.doubts = format_name, doubts
        self._stack = ExitStack()
        self._path = self._stack.enter_context(scratch()) / f"{trace.id}.jsonl"
        put(self._path, [trace.data], private=True)
        self._begin(name, open_trace(self._path)[1])

    @property
    def path(self) -> Path:
        """The file of the trace."""
        return self._path

    def close(self) -> None:
        """Lets go of the file, and removes it."""
        super().close()
        self._stack.close()


def trace_or_log(home: Home, text: str) -> Source:
    """What `text` names, as `resolve`; a file that is not a trace is a log, if it holds one connection.

    Raises as `resolve`, and Unreadable for a file that is neither, or that holds several connections.
    """
    source = resolve(home, text)
    if not isinstance(source, FileSource) or source.live or (flaw := source.flaw()) is None:
        return source
    try:
        return _of_log(source.name, b"".join(source.file()), flaw)
    finally:
        source.close()


def _of_log(name: str, data: bytes, flaw: Unreadable) -> LogSource:
    from acp_trace.api.importing import read_logs  # which traces do not need
    from acp_trace.formats.reading.log import File
    from acp_trace.formats.reading.plain_text import OWN

    if not data or data.startswith(OWN):
        raise flaw
    (log,) = list(read_logs([File(name, data)], None))[:1]
    if log.best is None:
        raise Unreadable(f"{name} is not a trace or a log of another tool: {log.why_none}")
    if (number := len(log.best.traces)) > 1:
        made = "`acp-trace import` makes a trace of each"
        raise Unreadable(f"{name} is a log of {number} connections: {made}")
    return LogSource(name, log.best.traces[0], log.best.format, log.best.sense.doubts())
