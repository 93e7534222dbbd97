"""How long, how often, and by which chance: what a scenario may take."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

#: How many kill points each kill has, and how long a load is held.
MOST, LONGEST_S = 200, 60.0
_LEAST = 4
#: With less than so many s in all, what is the same again and again is done for a part.
_SHORT_S = 300.0


@dataclass(frozen=True, slots=True)
class Bound:
    """What a scenario may take: a part of the whole time, and no more than is asked for."""

    seconds: float
    seed: int

    def either(self, *, full: int, short: int) -> int:
        """The first; the second if the whole time is short."""
        return short if self.seconds < _SHORT_S else full

    def hold_s(self, part: float) -> float:
        """How long a load is held that has `part` of the time: a minute at most."""
        return min(self.seconds * part, LONGEST_S)

    def repeat(
        self, name: str, part: float, one: Callable[[int, random.Random], None], *, most: int = MOST
    ) -> int:
        """Calls `one` again and again, with a number and its own chance; how often.

        So long as its part of the time lasts, at least four times and at most `most` times.
        """
        ends = time.monotonic() + self.seconds * part
        number = 0
        while number < most and (number < _LEAST or time.monotonic() < ends):
            one(number, random.Random(f"{self.seed} {name} {number}"))
            number += 1
        return number
