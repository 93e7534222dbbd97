"""Builds that are made ready in the background, while others are replayed.

Two installs run at a time: a registry answers slowly, and more of them would not make a disk faster. `close`
ends an unfinished install and discards it.

An install keeps a small machine busy for seconds, which can make an agent late. So a caller can ask whether
anything was installed beside a run (`mark`, `was_busy`), and make the run again while all installs wait
(`alone`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from acp_trace.builds.sources import BuildSource, Ready, Say
from acp_trace.builds.tools import Cancelled, Unavailable
from acp_trace.replay.drive.waits import result_of

_AT_ONCE = 2
#: How often, in seconds, Ctrl-C is looked for while installs come to their end.
_LOOK_S = 0.1


class Ahead:
    """Makes builds of one source ready. `say`: called with the name of each that is not there yet."""

    def __init__(self, source: BuildSource, say: Say) -> None:
        self._source = source
        self._say = say
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._futures: dict[str, Future[Ready]] = {}
        self._away: Unavailable | None = None
        self._changed = threading.Condition()
        self._begun = self._ended = 0  #: installs; of these, nothing is known that was installed before
        self._is_alone = False  #: no install begins

    def want(self, names: Iterable[str]) -> None:
        """Begins to make these ready, in this order."""
        for name in names:
            if name not in self._futures:
                self._futures[name] = self._pool.submit(self._ready, name)

    def get(self, name: str) -> Ready:
        """A build, once it is ready. Raises what the source raises. Main thread: Ctrl-C ends the wait."""
        self.want([name])
        return result_of(self._futures[name])

    def drop(self, names: Iterable[str]) -> None:
        """Builds that wait for their turn are no longer installed."""
        for name in names:
            if name in self._futures and self._futures[name].cancel():
                del self._futures[name]

    def mark(self) -> int:
        """A moment, for `was_busy`."""
        return self._ended

    def was_busy(self, since: int) -> bool:
        """Whether anything was being installed at some time since that moment."""
        return self._begun > since

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lets the installs that go on end, and begins none meanwhile."""
        with self._changed:
            self._is_alone = True
            while self._begun > self._ended:
                self._changed.wait(_LOOK_S)
        try:
            yield
        finally:
            self._go_on()

    def _go_on(self) -> None:
        with self._changed:
            self._is_alone = False
            self._changed.notify_all()

    def close(self) -> None:
        """End running installs. Builds that were installed completely stay."""
        self._stop.set()
        self._go_on()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _ready(self, name: str) -> Ready:
        is_begun = False

        def say(build: str) -> None:
            """An install begins, when it may."""
            nonlocal is_begun
            with self._changed:
                while self._is_alone and not self._stop.is_set():
                    self._changed.wait()
                self._begun, is_begun = self._begun + (not is_begun), True
            self._say(build)

        try:
            return self._made(name, say)
        finally:
            with self._changed:
                self._ended += is_begun
                self._changed.notify_all()

    def _made(self, name: str, say: Say) -> Ready:
        if self._stop.is_set():
            raise Cancelled
        if self._away is not None:  # once away, it is away for all: each would take as long
            raise self._away
        try:
            return self._source.ready(name, self._stop, say)
        except Unavailable as error:
            self._away = error
            raise
