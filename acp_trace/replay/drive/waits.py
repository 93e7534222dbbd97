"""How long to wait in one go, and what happens once, such as a wish to stop, felt by every loop that waits.

A recording may name any time, and the system refuses long ones:
`poll` takes 24 days, a lock takes 292 years. And a signal that comes just before a wait begins does not end
it: Python looks at signals before and after. So nothing waits for longer than `LONGEST_WAIT_NS` in one go,
and looks again then. The one place for that: every wait of a replay goes through here.
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
#: How often a wait for a thread lets signals in, s; and how often it is seen whether something has happened.
_LOOK_S, ONCE_LOOK_S = 0.1, 0.02


def poll_ms(left_ns: int | None) -> int | None:
    """The timeout of `poll`, in ms, for a wait in ns, rounded up: 2 for 1,000,001. None: no timeout."""
    return None if left_ns is None else -(-min(max(left_ns, 0), LONGEST_WAIT_NS) // 1_000_000)


def wait(event: threading.Event, longest_ns: int) -> bool:
    """Waits for an event for so many ns at most; returns whether it is set."""
    until = time.monotonic_ns() + longest_ns
    while not event.wait(min(max(until - time.monotonic_ns(), 0), LONGEST_WAIT_NS) / SECOND):
        if time.monotonic_ns() >= until:
            return event.is_set()
    return True


def wait_until(so: Callable[[], bool], longest_ns: int, stop: Once) -> None:
    """Looks again and again until `so()` is true, `longest_ns` have passed, or `stop` is set."""
    until = time.monotonic_ns() + longest_ns
    while not so() and time.monotonic_ns() < until and not stop.is_set():
        time.sleep(LOOK_MS / 1000)


def result_of(future: Future[T]) -> T:
    """Return the result of work in a thread; Ctrl-C ends the wait. Raises what the work raises."""
    while not wait_for_futures([future], _LOOK_S).done:
        pass
    return future.result()


class Once:
    """What happens once, in any thread or signal handler. Readable once it is set: what polls `fd` wakes up.

    A signal handler may set it, and another signal may come while it does: so it is one step that
    decides, and there is no lock that the interrupted code might hold.
    """

    def __init__(self) -> None:
        self.fd, end = os.pipe()
        self._ends = [end]

    def is_set(self) -> bool:
        """Whether it has happened."""
        return not self._ends

    def set(self) -> None:
        """It happens. For good."""
        try:
            end = self._ends.pop()
        except IndexError:
            return
        os.close(end)

    def close(self) -> None:
        """Lets go of it, when nobody looks any more."""
        self.set()
        os.close(self.fd)


class Stop(Once):
    """One wish to stop. Everything that looks at it stops once it is set."""


def wait_for_one_of(*happenings: Once) -> None:
    """Waits until one of them is set."""
    while not any(each.is_set() for each in happenings):
        time.sleep(ONCE_LOOK_S)
