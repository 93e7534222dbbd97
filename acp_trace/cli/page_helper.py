"""The parts of a large page with the content of frames, made by a separate process (`page_process`).

This process analyses the trace meanwhile. The other process is started once a trace has turned out to be
large. Its parts are used only if it ends well.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import Self

import msgspec

from acp_trace.analyze.facts import Facts
from acp_trace.cli.page_process import SIZE
from acp_trace.report.page.frame_parts import Made
from acp_trace.report.page.parts import Part
from acp_trace.store.read_once import ReadOnce
from acp_trace.trace import helper

#: The fewest bytes of frames for which a process is started. Its start takes as long as the parts of half of
#: them take.
LARGE = 8 << 20


class PageHelper:
    """`follow` the frames of a trace while they are kept, then `finish`.

    `key`: that of the trace on the page. The process does not outlive the block.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self._may_start = helper.can_help() and hasattr(os, "pread")  # Windows has no such call
        self._process: subprocess.Popen[bytes] | None = None
        self._announced = 0  #: the number of batches that the process knows about

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def follow(self, kept: ReadOnce) -> None:
        """There is another batch. Raises nothing: what the process does not make is made here."""
        if self._may_start and sum(kept.sizes) >= LARGE:
            self._may_start = False
            with suppress(OSError):
                self._start(kept)
        if self._process is not None:
            self._tell(kept.sizes[self._announced :])
            self._announced = len(kept.sizes)

    def finish(self, facts: Facts) -> Callable[[], Made | None] | None:
        """End following, and give the process the facts of the analysis. Raises nothing.

        Return a function that waits for the process and returns what it made, or None if the process failed.
        Return None if there is no process.
        """
        if self._process is None:
            return None
        with suppress(OSError, UnicodeEncodeError, OverflowError):  # else the process ends without them
            self._facts.write(msgspec.msgpack.encode(facts))
            self._facts.flush()
            self._tell([0])
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        return self._made

    def _made(self) -> Made | None:
        if self._process is None or self._process.wait() != 0:
            return None
        self._out.seek(0)
        if not helper.is_ours(self._out):
            return None
        places = list(self._places())
        conversation = f"{self.key}/transcript"
        return Made(
            self._parts(place for place in places if place[0].startswith(conversation)),
            self._parts(place for place in places if not place[0].startswith(conversation)),
        )

    def _start(self, kept: ReadOnce) -> None:
        self._facts = self._stack.enter_context(tempfile.TemporaryFile())
        self._out = self._stack.enter_context(tempfile.TemporaryFile())
        inherited = kept.fileno(), self._facts.fileno()
        self._process = self._stack.enter_context(
            helper.started(
                "acp_trace.cli.page_process",
                self.key,
                *map(str, inherited),
                stdin=subprocess.PIPE,
                stdout=self._out,
                pass_fds=inherited,
            )
        )
        self._stack.callback(self._process.kill)

    def _tell(self, sizes: Iterable[int]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        with suppress(OSError):  # it has ended
            self._process.stdin.write(b"".join(map(SIZE.pack, sizes)))
            self._process.stdin.flush()

    def _places(self) -> Iterator[tuple[str, int, int]]:
        """Of each part its name, and where its bytes begin and how many they are."""
        while name := helper.received(self._out):
            size = helper.length(self._out)
            yield name.decode(), self._out.tell(), size
            self._out.seek(size, os.SEEK_CUR)

    def _parts(self, places: Iterable[tuple[str, int, int]]) -> Iterator[Part]:
        for name, start, size in places:
            self._out.seek(start)
            yield Part(name, self._out.read(size), is_packed=True)
