"""One trace to look at, wherever it is: a file (also one that is being written), or the store.

Both give the same facts and the same frames. Opened when made, so that a trace that is loaded and
removed from the spool meanwhile can still be read.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.merge import Rule
from acp_trace.store import derive, export, read
from acp_trace.store.connect import reading
from acp_trace.store.read_once import ReadOnce
from acp_trace.trace.entries import BETWEEN, Entry, EntryKind
from acp_trace.trace.files import Lines, TraceFile, open_trace
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.parse import NewerFormat
from acp_trace.trace.scratch import naming_directory

if TYPE_CHECKING:
    from acp_trace.analyze.analyzer import Analyzer


#: What a file may have that is not a trace.
_NOTHING = (EntryKind.DAMAGED, EntryKind.UNKNOWN)

#: Is called with the frames that are kept, whenever there are more.
Follow = Callable[[ReadOnce], object]


class Source(Protocol):
    """One trace to look at."""

    @property
    def name(self) -> str:
        """What to call it in messages: its id or its file."""

    @property
    def live(self) -> bool:
        """Whether its recorder is alive."""

    def facts(
        self,
        meta_merge: Rule | None = None,
        *,
        without: Collection[str] = (),
        frames_follow: Follow | None = None,
    ) -> facts.Facts:
        """The facts of the trace. `meta_merge`: a rule for _meta, if not that of the version.

        `without`: lists of `Facts` that the caller does not need. `frames_follow`: the caller asks for all
        frames next, so they are kept, and a file's frames are read and analysed once for both. It is called
        whenever there are more. Raises Unreadable, NewerFormat, OSError, StoreError.
        """

    def damage(self) -> list[tuple[int, str]]:
        """Lines that could not be read, with the reason; known after `facts()`."""

    def frames(self) -> Iterator[Frame]:
        """Its frames, in order. Raises like `facts`."""

    def frames_and_logs(self) -> Iterator[Frame | Entry]:
        """Its frames, and between them its lines of stderr and its gaps, in order. Raises like `facts`."""

    def session_names(self) -> dict[str, str]:
        """What reports call its sessions, by their ids: at least those that the frames read so far name."""

    def logs(self) -> Iterator[tuple[int, str]]:
        """What the agent wrote to stderr: ns since the trace began, and the line. Raises like `facts`."""

    def entries(self) -> Iterator[Entry]:
        """Its entries, in order. Raises like `facts`."""

    def file(self) -> Iterator[bytes]:
        """The lines of the trace, byte for byte: those of its file, or those that its capture becomes."""

    def close(self) -> None:
        """Let go of the file, if there is one."""


class FileSource:
    """A trace file, or standard input, which can be read once."""

    def __init__(self, path: Path | str, *, live: bool = False) -> None:
        self._begin(*open_trace(path), live=live)

    @property
    def path(self) -> Path:
        """Its file."""
        return Path(self.name)

    def check_beginning(self) -> None:
        """Reads it to its first entry. Raises Unreadable if it has none, NewerFormat and OSError."""
        self._keep()
        next((entry for entry in self._again().entries() if entry.kind not in _NOTHING), None)

    def flaw(self) -> Unreadable | None:
        """Why nothing of it can be read as a trace, not even by a newer acp-trace. Raises OSError."""
        try:
            self.check_beginning()
        except Unreadable as error:
            return error
        except NewerFormat:
            pass
        return None

    def _begin(self, name: str, lines: Lines, *, live: bool = False) -> None:
        self.name, self._lines, self.live = name, lines, live
        self._damage: list[tuple[int, str]] = []
        self._read: ReadOnce | None = None
        self._analyzer: Analyzer | None = None  #: the analyzer that gets what is read

    def facts(
        self,
        meta_merge: Rule | None = None,
        *,
        without: Collection[str] = (),  # noqa: ARG002  (all of them are made at once)
        frames_follow: Follow | None = None,
    ) -> facts.Facts:
        """See Source."""
        from acp_trace.analyze.analyzer import Analyzer  # a stored trace needs none

        analyzer = self._analyzer = Analyzer(meta_merge)
        self._keep()
        source = self._again()
        if frames_follow is not None:
            self._read = ReadOnce(frames_follow)
            self._read.fill(_frames_and_logs(source, analyzer))
        else:
            for entry in source.entries():
                analyzer.feed(entry)
        if not self.live:  # of a live trace the last line is only being written
            analyzer.totals.torn_bytes = source.damage.torn
        self._damage = source.damage.lines
        return analyzer.facts(over=not self.live)

    def damage(self) -> list[tuple[int, str]]:
        """See Source."""
        return self._damage

    def frames(self) -> Iterator[Frame]:
        """See Source."""
        return (frame for frame in self.frames_and_logs() if isinstance(frame, Frame))

    def frames_and_logs(self) -> Iterator[Frame | Entry]:
        """See Source."""
        if self._read is not None:
            yield from self._read
            return
        from acp_trace.analyze.analyzer import Analyzer

        self._analyzer = Analyzer()  # made when the first is asked for
        yield from _frames_and_logs(self._again(), self._analyzer)

    def session_names(self) -> dict[str, str]:
        """See Source."""
        return {} if self._analyzer is None else self._analyzer.session_names()

    def logs(self) -> Iterator[tuple[int, str]]:
        """See Source."""
        for entry in self._again().entries():
            if entry.kind is EntryKind.LOG:
                yield entry.t, entry.data.decode("utf-8", "replace")

    def entries(self) -> Iterator[Entry]:
        """See Source."""
        return self._again().entries()

    def file(self) -> Iterator[bytes]:
        """See Source."""
        self._lines.rewind()
        while block := self._lines.read(1 << 20):
            yield block

    def close(self) -> None:
        """See Source."""
        self._lines.close()
        if self._read is not None:
            self._read.close()

    def _keep(self) -> None:
        """Copies a pipe into a file without a name: facts need all of it, and frames are read after them."""
        if self._lines.seekable():
            return
        kept = tempfile.TemporaryFile()
        while block := self._lines.read(1 << 20):
            with naming_directory():
                kept.write(block)
        self._lines.close()
        self._lines = Lines(kept)

    def _again(self) -> TraceFile:
        self._lines.rewind()
        return TraceFile(self._lines, self.name)


def _frames_and_logs(source: TraceFile, analyzer: Analyzer) -> Iterator[Frame | Entry]:
    """All entries to the analyser; on the way its frames, and what people look at between them."""
    for entry in source.entries():
        if (frame := analyzer.feed(entry)) is not None:
            yield frame
        elif entry.kind in BETWEEN:
            yield entry


class StoredSource:
    """A trace in the store."""

    live = False

    def __init__(self, store: Path, trace_id: str) -> None:
        self._opened = partial(reading, store)
        self.name = trace_id
        self._names: dict[str, str] | None = None
        self._damage: list[tuple[int, str]] = []
        self._read: ReadOnce | None = None

    def facts(
        self,
        meta_merge: Rule | None = None,
        *,
        without: Collection[str] = (),
        frames_follow: Follow | None = None,
    ) -> facts.Facts:
        """See Source."""
        with self._opened() as connection:
            self._damage = read.damage(connection, self.name)
            stored = read.trace_facts(connection, self.name, without)
        if frames_follow is not None:
            self._read = ReadOnce(frames_follow)
            self._read.fill(derive.frames_and_logs(self._opened, self.name))
        if meta_merge in (None, stored.trace.meta_merge) and read.is_sound(stored):
            return stored
        return derive.derive(self.file(), meta_merge)

    def damage(self) -> list[tuple[int, str]]:
        """See Source."""
        return self._damage

    def frames(self) -> Iterator[Frame]:
        """See Source."""
        return read.frames(self._opened, self.name)

    def frames_and_logs(self) -> Iterator[Frame | Entry]:
        """See Source."""
        if self._read is not None:
            return iter(self._read)
        return derive.frames_and_logs(self._opened, self.name)

    def session_names(self) -> dict[str, str]:
        """See Source."""
        if self._names is None:
            with self._opened() as connection:
                self._names = read.session_names(connection, self.name)
        return self._names

    def logs(self) -> Iterator[tuple[int, str]]:
        """See Source."""
        with self._opened() as connection:
            rows = read.logs(connection, self.name)
        yield from rows

    def entries(self) -> Iterator[Entry]:
        """See Source."""
        return derive.entries(self.file())

    def file(self) -> Iterator[bytes]:
        """See Source."""
        return export.file(self._opened, self.name)

    def close(self) -> None:
        """See Source."""
        if self._read is not None:
            self._read.close()
