"""A process that makes parts of a page for the one that writes it.

It is run as `python -m acp_trace.cli.page_process KEY FRAMES FACTS`. KEY is that of the trace on the page,
and FRAMES the descriptor of the file of a `ReadOnce`. While the trace is analysed, standard input says how
many bytes each batch has, a `SIZE` for each, and pages are made of the frames. A size of 0 says that they
are all there. By then, the file of the descriptor FACTS has what the conversation needs of the analysis.

Standard output is a file. There, after `Begun`, each part is two messages: its name, and its bytes, packed.
"""

from __future__ import annotations

import gc
import os
import struct
from collections.abc import Iterable, Iterator
from typing import IO

import msgspec

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol.payloads import TextUpdate
from acp_trace.report.gist import chunk_gist, other_gist
from acp_trace.report.page import columns, html, transcript
from acp_trace.report.page.condensed import condensed
from acp_trace.report.page.frame_parts import page_parts
from acp_trace.store.read_once import ReadOnce, unpacked
from acp_trace.story.messages import chunk_of
from acp_trace.system.files import pread
from acp_trace.trace import helper
from acp_trace.trace.entries import Entry

SIZE = struct.Struct("<Q")


class _Parts:
    """Parts on their way to the other process."""

    def __init__(self, out: IO[bytes], key: str) -> None:
        self._out, self._key = out, key
        self._pages = 0
        self._gists: list[str] = []  #: of the frames that are not on a page yet

    def through(self, entries: Iterable[Frame | Entry]) -> Iterator[tuple[Frame | Entry, TextUpdate | None]]:
        """The entries as they come, with the text of chunks; on the way, pages are made of the frames."""
        pager = columns.Pager(self._add_page)
        for entry in entries:
            chunk = None
            if isinstance(entry, Frame):
                chunk = chunk_of(entry)
                self._gists.append(other_gist(entry) if chunk is None else chunk_gist(chunk))
                pager.add(entry)
            yield entry, chunk
        pager.end_page()

    def add_conversation(self, parts: Iterable[tuple[str, bytes]]) -> None:
        """The parts of the conversation."""
        for name, data in parts:
            self._add(f"{self._key}/{name}", data)

    def _add(self, name: str, data: bytes) -> None:
        helper.send(self._out, name.encode())
        helper.send(self._out, html.packed(data))

    def _add_page(self, page: list[Frame]) -> None:
        gists, self._gists = self._gists[: len(page)], self._gists[len(page) :]
        for part in page_parts(self._key, self._pages, page, gists):
            self._add(part.name, part.data)
        self._pages += 1


def _sizes(source: IO[bytes]) -> Iterator[int]:
    while (size := SIZE.unpack(source.read(SIZE.size))[0]) != 0:
        yield size


def main(words: list[str]) -> None:
    """Make the parts. Raises any error."""
    gc.disable()  # as `show` does it: nearly all that is made is kept
    out = helper.output()
    source, key, frames, found = open(0, "rb"), words[0], int(words[1]), int(words[2])
    parts = _Parts(out, key)

    def read(size: int, offset: int) -> bytes:
        return pread(frames, size, offset)

    kept = ReadOnce()
    kept.fill(condensed(parts.through(unpacked(_sizes(source), read))))
    facts = msgspec.msgpack.decode(pread(found, os.fstat(found).st_size, 0), type=Facts)
    parts.add_conversation(transcript.parts(facts, lambda: kept))
    out.close()


if __name__ == "__main__":
    helper.run(main)
