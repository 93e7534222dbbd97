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
from acp_trace.report.page import columns, html, transcript
from acp_trace.report.page.frame_parts import page_parts
from acp_trace.store.read_once import unpacked
from acp_trace.trace import helper

SIZE = struct.Struct("<Q")


class _Parts:
    """Parts on their way to the other process."""

    def __init__(self, out: IO[bytes], key: str) -> None:
        self._out, self._key = out, key
        self._pages = 0

    def add(self, name: str, data: bytes) -> None:
        """A part, which is not packed yet."""
        helper.send(self._out, name.encode())
        helper.send(self._out, html.packed(data))

    def add_page(self, page: list[Frame]) -> None:
        """The frames of the next page."""
        for part in page_parts(self._key, self._pages, page):
            self.add(part.name, part.data)
        self._pages += 1

    def add_conversation(self, parts: Iterable[tuple[str, bytes]]) -> None:
        """The parts of the conversation."""
        for name, data in parts:
            self.add(f"{self._key}/{name}", data)


def main(words: list[str]) -> None:
    """Make the parts. Raises whatever is wrong."""
    gc.disable()  # as `show` does it: nearly all that is made is kept
    out = helper.output()
    source, key, frames, found = open(0, "rb"), words[0], int(words[1]), int(words[2])
    parts = _Parts(out, key)
    sizes: list[int] = []

    def come() -> Iterator[int]:
        while (size := SIZE.unpack(source.read(SIZE.size))[0]) != 0:
            sizes.append(size)
            yield size

    def read(size: int, offset: int) -> bytes:
        return os.pread(frames, size, offset)

    pager = columns.Pager(parts.add_page)
    for entry in unpacked(come(), read):
        if isinstance(entry, Frame):
            pager.add(entry)
    pager.end_page()
    facts = msgspec.msgpack.decode(os.pread(found, os.fstat(found).st_size, 0), type=Facts)
    parts.add_conversation(transcript.parts(facts, lambda: unpacked(sizes, read)))
    out.close()


if __name__ == "__main__":
    helper.run(main)
