"""Where a finding is, in words that CI systems understand: a file, a line of it, a name that stays the same.

A frame's number is counted over frames alone; its line in the trace file is further down, by the header
and by the lines between (the agent's stderr, gaps).
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from acp_trace.trace.entries import SENT
from acp_trace.trace.parse import Parser

_SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class Place:
    """One trace as CI sees it."""

    asked: str  #: what it was asked for by, which the next run will ask for again
    path: str | None = None  #: its file, relative to the working folder if it is in there
    lines: Mapping[int, int] = field(default_factory=dict)  #: of frames, where they are known
    address: str = ""  #: with the whole id, if it is in a place that a team shares

    def uri(self, trace_id: str) -> str:
        """Its file, or the one that `acp-trace export` would write, as a URI reference.

        An id is always one segment: it leads to no other directory and to no other machine.
        """
        if self.path is None:
            return quote(f"{trace_id or self.asked}{_SUFFIX}", safe="", errors="backslashreplace")
        if os.path.isabs(self.path):
            return Path(self.path).as_uri()
        return quote(os.fsencode(Path(self.path).as_posix()))

    def opens(self, name: str, frame: int) -> str:
        """The command that shows a frame with its neighbours; nothing if it cannot be read again."""
        if self.asked == "-":
            return ""
        return f"acp-trace frames {shlex.quote(self.address or name)} --around {frame}"


def relative(path: str, directory: str) -> str:
    """The path of a file as seen from a directory; left absolute where the file is not in there."""
    try:
        seen = os.path.relpath(path, directory)
    except ValueError:  # on another drive
        return path
    return path if seen.split(os.sep)[0] == os.pardir else Path(seen).as_posix()


def lines_of(pieces: Iterable[bytes], frames: Collection[int]) -> dict[int, int]:
    """The lines of some frames in a trace file that comes in pieces, which is read no further than needed."""
    last = max(frames, default=0)
    lines: dict[int, int] = {}
    parser, number = Parser(), 0
    for piece in pieces:
        for entry in parser.feed(piece):
            if entry.kind in SENT:
                number += 1
                if number in frames:
                    lines[number] = entry.line
        if number >= last:
            return lines
    rest, _ = parser.finish()
    if rest is not None and rest.kind in SENT and number + 1 in frames:
        lines[number + 1] = rest.line
    return lines
