"""The units of a plan, done by several processes, each with its own directory for temporary files.

A worker ends when its parent is gone, however that ended. Ctrl-C is the parent's: it ends the workers.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from acp_trace.places.opening import open_place
from acp_trace.places.place import PlaceError, SharedPlace
from acp_trace.team.lake import unit
from acp_trace.team.lake.plan import Unit
from acp_trace.team.lake.unit import UnitDone
from acp_trace.trace.scratch import scratch

_LOOK_S = 0.2
#: Less than this is done before other processes have started.
_ALONE_BYTES = 1 << 20
_STARTED = "spawn"  # what obstore and DuckDB have threads for does not live on after a fork


def all_done(
    place: SharedPlace, units: Sequence[Unit], jobs: int, tick: Callable[[int], None]
) -> Generator[UnitDone]:
    """The result of each unit, as they end. `tick` is called with the number of traces that were done.

    Raises PlaceError, OSError and duckdb.Error.
    """
    if jobs == 1 or len(units) == 1 or sum(one.bytes for one in units) < _ALONE_BYTES:
        for one in units:
            with scratch() as directory:
                yield unit.do(one, place, directory, tick=tick)
        return
    with _pool(min(jobs, len(units)), place.url) as (pool, counter):
        last = 0
        waiting = {pool.submit(_do, one, jobs) for one in units}
        while waiting:
            ended, waiting = wait(waiting, _LOOK_S, FIRST_COMPLETED)
            now = counter.value
            tick(now - last)
            last = now
            for future in ended:
                try:
                    yield future.result()
                except BrokenProcessPool:
                    raise PlaceError(
                        "a process of the build was killed, perhaps for want of memory; finished parts "
                        "are kept: build again, with fewer --jobs"
                    ) from None


@contextmanager
def _pool(size: int, url: str) -> Iterator[tuple[ProcessPoolExecutor, Any]]:
    """Processes, and the number of traces that they have done."""
    context = multiprocessing.get_context(_STARTED)
    counter = context.Value("q", 0)
    before = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(size, context, _begin, (url, counter))
    try:
        yield pool, counter
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    finally:
        pool.shutdown()


_place: SharedPlace | None = None
_counter: Any = None


def _begin(url: str, counter: Any) -> None:
    """In each process, before its first unit."""
    global _place, _counter  # a pool has no other way to give a process something once
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
    _place, _counter = open_place(url), counter


def _do(one: Unit, jobs: int) -> UnitDone:
    """A unit, in one of the processes."""
    assert _place is not None

    def tick(traces: int) -> None:
        with _counter.get_lock():
            _counter.value += traces

    with scratch() as directory:
        return unit.do(one, _place, directory, jobs=jobs, tick=tick)
