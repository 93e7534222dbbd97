"""Trace files on disk: opened, read block by block, whole or as far as they go. The only readers."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import UnsupportedOperation
from pathlib import Path
from typing import BinaryIO

from acp_trace.trace.entries import Entry, Header, Kind
from acp_trace.trace.parse import Parser

_BLOCK = 1 << 20
_FRAME = Kind.FRAME


class Unreadable(Exception):
    """Nothing of this file can be read as a trace. The message is one line for people."""


@dataclass(slots=True)
class Damage:
    """What of a trace file could not be read.

    `lines`: the number and the reason of the first hundred bad lines; `count` counts them all.
    `torn`: length in bytes of a last line that was not finished.
    """

    lines: list[tuple[int, str]] = field(default_factory=list)
    count: int = 0
    torn: int = 0

    def add(self, line: int, problem: str) -> None:
        """Notes one bad line."""
        self.count += 1
        if len(self.lines) < 100:
            self.lines.append((line, problem))


def open_trace(path: Path | str) -> tuple[str, BinaryIO]:
    """The name for messages, and the stream: standard input for `-`.

    Raises OSError, and Unreadable for a device.
    """
    if str(path) == "-":
        with suppress(UnsupportedOperation):  # a stream that a program put there
            _no_device("standard input", os.fstat(sys.stdin.fileno()))
        return "standard input", sys.stdin.buffer
    _no_device(str(path), os.stat(path))
    return str(path), open(path, "rb", buffering=0)


def _no_device(name: str, found: os.stat_result) -> None:
    """Refuses what has no end (/dev/zero), or is a disk. At a terminal, somebody types."""
    if stat.S_ISBLK(found.st_mode) or (stat.S_ISCHR(found.st_mode) and not _ends(found)):
        raise Unreadable(f"{name}: is a device; a trace is a file or a pipe")


def _ends(device: os.stat_result) -> bool:
    with suppress(OSError):
        if device.st_rdev == os.stat(os.devnull).st_rdev:
            return True
        return os.isatty(0) and device.st_rdev == os.fstat(0).st_rdev
    return False


class TraceFile:
    """One pass over a trace, from a binary stream.

    `header` and `damage` grow while `entries()` runs; `bytes_read` counts file bytes (for progress).
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self.damage = Damage()
        self.bytes_read = 0
        self._stream = stream
        self._parser = Parser()
        self._torn = b""

    @property
    def header(self) -> Header | None:
        """The header, once the first line was read."""
        return self._parser.header

    @property
    def torn(self) -> bytes:
        """The unfinished last line, verbatim."""
        return self._torn

    def entries(self, tick: Callable[[int], None] | None = None) -> Iterator[Entry]:
        """Every line as an entry, damaged ones too.

        `tick` is called with the bytes read so far. Raises NewerFormat, OSError, and Unreadable when
        not one line of the file could be read.
        """
        readable = False
        while block := self._stream.read(_BLOCK):
            self.bytes_read += len(block)
            for entry in self._parser.feed(block):
                if entry.kind is _FRAME and entry.line > 1:
                    readable = True
                else:
                    readable = self._note(entry) or readable
                yield entry
            if tick:
                tick(self.bytes_read)
        self._torn = self._parser.torn()
        last, self.damage.torn = self._parser.finish()
        if last:
            readable = self._note(last) or readable
            self._torn = b""
            yield last
        if not readable:
            raise Unreadable(f"{self.name}: {self._why()}")

    def _note(self, entry: Entry) -> bool:
        if entry.line == 1 and entry.kind not in (Kind.HEADER, Kind.DAMAGED):
            self.damage.add(1, "is no header: the trace has no id, start time or agent")
        if entry.kind is Kind.DAMAGED:
            self.damage.add(entry.line, entry.problem or "cannot be read")
            return False
        return entry.kind is not Kind.UNKNOWN

    def _why(self) -> str:
        if not self.bytes_read:
            return "is empty"
        if not self.damage.lines:
            return "is no trace: not one line of it is an entry of the format"
        line, problem = self.damage.lines[0]
        return f"is no trace: line {line} {problem}, and none of the others is an entry"
