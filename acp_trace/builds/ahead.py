"""Builds that are made ready in the background, while others are replayed.

Two at a time: a registry is slow to answer, and a disk is not faster for more. What nobody waits for any more
is ended at the close, with what it had installed so far.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from acp_trace.builds.sources import BuildSource, Ready, Say
from acp_trace.builds.tools import Cancelled, Unavailable

_AT_ONCE = 2
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

    def want(self, names: Iterable[str]) -> None:
        """Begins to make these ready, in this order."""
        for name in names:
            if name not in self._futures:
                self._futures[name] = self._pool.submit(self._ready, name)

    def get(self, name: str) -> Ready:
        """A build, once it is ready. Raises what the source raises. Main thread: Ctrl-C ends the wait."""
        self.want([name])
        future = self._futures[name]
        while not wait([future], _LOOK_S).done:
            pass
        return future.result()

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
