"""The parts with the content of frames, which take longest: pages of frames, and the conversation. Pure.

There are several ways to make them, because they are wanted in different ways. `Again` reads the frames three
times, so that the other parts come soonest. `AtOnce` reads the frames once. `Elsewhere` takes what another
process has made meanwhile.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from acp_trace.analyze.frame import Frame
from acp_trace.report.gist import gist
from acp_trace.report.page import columns, transcript
from acp_trace.report.page.parts import Pack, Part, ShownTrace, json_part
from acp_trace.report.safe import shorten
from acp_trace.trace.entries import Entry

#: Characters of a gist: more than a line shows.
LONGEST_GIST = 240


def page_parts(key: str, number: int, frames: Iterable[Frame], gists: Iterable[str]) -> Iterator[Part]:
    """The parts of a page of frames, and of what `gist` gives for each of them."""
    yield json_part(f"{key}/gists/{number}", [shorten(each, LONGEST_GIST) for each in gists])
    yield Part(f"{key}/frames/{number}", b"\n".join(frame.data for frame in frames))


class Again:
    """Reads the frames again for each kind of part."""

    def __init__(self, trace: ShownTrace) -> None:
        self._trace = trace

    def add_page(self, page: list[Frame]) -> None:
        """See FrameParts."""

    def go_through(self, entries: Iterable[Frame | Entry]) -> None:
        """See FrameParts."""
        deque(entries, 0)

    def conversation(self) -> Iterator[Part]:
        """See FrameParts."""
        for name, data in transcript.parts(self._trace.facts, self._trace.read):
            yield Part(f"{self._trace.key}/{name}", data)

    def pages(self, firsts: list[int]) -> Iterator[Part]:
        """See FrameParts."""
        for number, page in enumerate(columns.pages(self._trace.frames(), firsts)):
            yield from page_parts(self._trace.key, number, page, map(gist, page))


class AtOnce:
    """Reads the frames once, and keeps the pages packed until it is their turn."""

    def __init__(self, trace: ShownTrace, pack: Pack) -> None:
        self._trace, self._pack = trace, pack
        self._transcript: Iterable[tuple[str, bytes]] = ()
        self._packed: list[tuple[str, Callable[[], bytes]]] = []
        self._number = 0

    def add_page(self, page: list[Frame]) -> None:
        """See FrameParts."""
        for name, data, _ in page_parts(self._trace.key, self._number, page, map(gist, page)):
            self._packed.append((name, self._pack(data)))
        self._number += 1

    def go_through(self, entries: Iterable[Frame | Entry]) -> None:
        """See FrameParts."""
        transcript_parts = transcript.parts(self._trace.facts, lambda: entries)
        # With the first one, all frames have been read.
        self._transcript = chain([next(transcript_parts)], transcript_parts)

    def conversation(self) -> Iterator[Part]:
        """See FrameParts."""
        for name, data in self._transcript:
            yield Part(f"{self._trace.key}/{name}", data)

    def pages(self, firsts: list[int]) -> Iterator[Part]:  # noqa: ARG002  (they were added)
        """See FrameParts."""
        for name, data in self._packed:
            yield Part(name, data(), is_packed=True)


class Made(NamedTuple):
    """What another process made."""

    conversation: Iterable[Part]
    pages: Iterable[Part]


class Elsewhere(Again):
    """Takes what another process made. `made`: waits for it, and gives None if it failed."""

    def __init__(self, trace: ShownTrace, made: Callable[[], Made | None]) -> None:
        super().__init__(trace)
        self._made = made

    def conversation(self) -> Iterator[Part]:
        """See FrameParts."""
        made = self._made()
        return super().conversation() if made is None else iter(made.conversation)

    def pages(self, firsts: list[int]) -> Iterator[Part]:
        """See FrameParts."""
        made = self._made()
        return super().pages(firsts) if made is None else iter(made.pages)
