"""Builds that are made ready in the background, while others are replayed.

Two installs run at a time: a registry answers slowly, and more of them would not make a disk faster. `close`
ends an unfinished install and discards it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from acp_trace.builds.sources import BuildSource, Ready, Say
from acp_trace.builds.tools import Cancelled, Unavailable
from acp_trace.replay.drive.waits import result_of

_AT_ONCE = 2


class Ahead:
    """Makes builds of one source ready. `say`: called with the name of each that is not there yet."""

    def __init__(self, source: BuildSource, say: Say) -> None:
        self._source = source
        self._say = say
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._futures: dict[str, Future[Ready]] = {}
        self._away: Unavailable | None = None

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
        """Those that wait for their turn are not made ready any more."""
        for name in names:
            if name in self._futures and self._futures[name].cancel():
                del self._futures[name]

    def close(self) -> None:
        """Ends what goes on. Whatever was installed to its end stays."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _ready(self, name: str) -> Ready:
        if self._stop.is_set():
            raise Cancelled
        if self._away is not None:  # once away, it is away for all: each would take as long
            raise self._away
        try:
            return self._source.ready(name, self._stop, self._say)
        except Unavailable as error:
            self._away = error
            raise
