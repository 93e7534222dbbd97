"""How long, how often, and by which chance: what a scene may take, and who it shares the processors with."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

#: The issue's own number.
MOST = 200


@dataclass(frozen=True, slots=True)
class Bound:
    """What a scene may take: a part of the whole time, or the full length."""

    seconds: float
    full: bool
    seed: int

    def hold_s(self, part: float) -> float:
        """How long a load is held that has `part` of the time; a minute at full length."""
        return 60.0 if self.full else self.seconds * part

    def moments(
        self, name: str, part: float, one: Callable[[int, random.Random], None], *, most: int = MOST
    ) -> int:
        """Calls `one` again and again, two at a time, with a number and its own chance; how often.

        So long as its part of the time lasts, at least four times; at full length `most` times.
        """
        ends = time.monotonic() + self.seconds * part
        numbers = iter(range(most))
        lock, over, done = threading.Lock(), threading.Event(), [0]

        def due() -> Iterator[int]:
            while True:
                with lock:
                    number = next(numbers, None)
                late = not self.full and number is not None and number >= 4 and time.monotonic() > ends
                if number is None or late or over.is_set():
                    return
                yield number

        def work() -> None:
            try:
                for number in due():
                    one(number, random.Random(f"{self.seed} {name} {number}"))
                    with lock:
                        done[0] += 1
            finally:
                over.set()  # a lie is enough

        with ThreadPoolExecutor(2) as pool:
            workers = [pool.submit(work) for _ in range(2)]
            try:
                for one_of_them in workers:
                    one_of_them.result()
            finally:
                over.set()
        return done[0]
