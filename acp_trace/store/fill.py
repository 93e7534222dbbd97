"""One trace's entries -> its rows. The only module that decides which rows a trace has.

Frames are kept verbatim; what a row of `frames` cannot give back byte for byte goes into `lines` as well.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Trace
from acp_trace.analyze.version import VERSION
from acp_trace.store import schema
from acp_trace.store.collected_rows import CollectedRows
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.files import TraceFile


class Digest:
    """Length and digest of all bytes that it was given."""

    def __init__(self) -> None:
        self.size, self._hash = 0, hashlib.sha256()

    def update(self, data: bytes) -> None:
        """Add more."""
        self.size += len(data)
        self._hash.update(data)

    @property
    def sha256(self) -> str:
        """The digest so far, in hexadecimal digits."""
        return self._hash.hexdigest()


def fill(rows: CollectedRows, source: TraceFile, entries: Iterable[Entry]) -> Trace:
    """Add the rows of one trace except that of `loads`. Return what is known about the trace.

    `entries`: those of `source`; the others are about its lines. Raises what reading them raises.
    """
    analyzer = Analyzer()
    line = 0
    for entry in entries:
        line = entry.line
        _take(entry, analyzer, rows)
    analyzer.totals.torn_bytes = source.damage.torn
    if source.torn:
        rows.add(schema.LINES, (line + 1, "torn", source.torn))
    for number, problem in source.damage.lines:
        rows.add(schema.DAMAGE, (number, problem))
    found = analyzer.facts()
    rows.facts(found)
    return found.trace


def loads_row(file_bytes: int, sha256: str) -> tuple[str, int, str, int]:
    """The row of `loads` of a trace whose lines have this length and digest, read now."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return now, file_bytes, sha256, VERSION


def _take(entry: Entry, analyzer: Analyzer, rows: CollectedRows) -> None:
    frame = analyzer.feed(entry)
    if frame is not None:
        rows.frame(frame)
    if not entry.canonical:
        rows.add(schema.LINES, (entry.line, entry.kind, entry.raw))
        if entry.kind is EntryKind.LOG:
            rows.add(schema.LOGS, (entry.line, entry.t, entry.data.decode("utf-8", "replace")))
