"""How long to wait at once, and events that happen once, such as a wish to stop, for every waiting loop.

A recording may name any time, and the system refuses long ones: `poll` takes 24 days, a lock takes 292 years.
And a signal just before a wait begins does not end it: Python handles signals before and after. So no wait is
longer than `LONGEST_WAIT_NS`, and then looks again. Every wait of a replay goes through this module.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from typing import TypeVar

from acp_trace.replay.timeouts import LONGEST_WAIT_NS, LOOK_MS, SECOND

T = TypeVar("T")
#: Seconds between chances for signals while waiting for a thread, and between looks at an event.
_LOOK_S, ONCE_LOOK_S = 0.1, 0.02


def poll_ms(left_ns: int | None) -> int | None:
    """Return the timeout of `poll`, in ms, for ns, rounded up: 2 for 1,000,001. None: no timeout."""
    return None if left_ns is None else -(-min(max(left_ns, 0), LONGEST_WAIT_NS) // 1_000_000)


def wait(event: threading.Event, longest_ns: int) -> bool:
    """Wait for an event for at most `longest_ns`; return whether it is set."""
    until = time.monotonic_ns() + longest_ns
    while not event.wait(min(max(until - time.monotonic_ns(), 0), LONGEST_WAIT_NS) / SECOND):
        if time.monotonic_ns() >= until:
            return event.is_set()
    return True


def wait_until(so: Callable[[], bool], longest_ns: int, stop: Once) -> None:
    """Look repeatedly until `so()` is true, `longest_ns` have passed, or `stop` is set."""
    until = time.monotonic_ns() + longest_ns
    while not so() and time.monotonic_ns() < until and not stop.is_set():
        time.sleep(LOOK_MS / 1000)


def result_of(future: Future[T]) -> T:
    """Return the result of work in a thread; Ctrl-C ends the wait. Raises what the work raises."""
    while not wait_for_futures([future], _LOOK_S).done:
        pass
    return future.result()


class Once:
    """An event that happens once, in any thread or signal handler. Then `fd` is readable, which ends a poll.

    A signal handler may set it, and another signal may interrupt that: so a single step decides, without a
    lock that the interrupted code might hold.
    """

    def __init__(self) -> None:
        self.fd, end = os.pipe()
        self._ends = [end]

    def is_set(self) -> bool:
        """Whether it has happened."""
        return not self._ends

    def set(self) -> None:
        """Set it, for good."""
        try:
            end = self._ends.pop()
        except IndexError:
            return
        os.close(end)

    def close(self) -> None:
        """Release it, when it is no longer used."""
        self.set()
        os.close(self.fd)


class Stop(Once):
    """One wish to stop. Everything that checks it stops once it is set."""


def wait_for_one_of(*happenings: Once) -> None:
    """Wait until one of them is set."""
    while not any(each.is_set() for each in happenings):
        time.sleep(ONCE_LOOK_S)
