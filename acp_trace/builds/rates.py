"""How often a build shows what is looked for, and which end of the range it is therefore like. Pure.

Both ends are run as often as asked, and their rates decide what is asked of the others. If the newer end
shows it in every run, a build that does not show it once lacks it. If the older end never shows it, and the
newer end only now and then, a build that shows it once has it. Only if both ends are flaky, the middle
between their rates decides. So a build that fails half of its runs for another reason is not taken for a bad
one.
"""

from __future__ import annotations

from typing import NamedTuple


class Rate(NamedTuple):
    """The number of runs of a build, and how many of them showed what is looked for."""

    runs: int = 0
    shown: int = 0

    def with_run(self, shown: bool) -> Rate:
        """With one run more."""
        return Rate(self.runs + 1, self.shown + shown)

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.shown / self.runs if self.runs else 0.0

    @property
    def is_flaky(self) -> bool:
        """Whether runs differ."""
        return 0 < self.shown < self.runs


def needed(never: Rate, always: Rate, runs: int) -> int | None:
    """Return how many of `runs` must show it in a build that has it; None if both ends look alike.

    `never`, `always`: the ends without it and with it.
    """
    if always.share <= never.share or (never.shown and always.share - never.share < 0.5):
        return None
    if always.shown == always.runs:
        return runs
    if not never.shown:
        return 1
    return int(runs * (never.share + always.share) / 2) + 1


def has_it(rate: Rate, needs: int, runs: int) -> bool | None:
    """Whether a build has it; None if that takes more runs."""
    if rate.shown >= needs:
        return True
    if rate.runs - rate.shown > runs - needs:
        return False
    return None
