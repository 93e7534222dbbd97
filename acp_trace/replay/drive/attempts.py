"""Several attempts at one replay: against alternative recordings, and again after a failure.

A round plays the recording and, until one passes, its alternatives. Each retry is another round. A failed run
is first compared with the other recordings: that costs nothing. This module decides what is played next, but
plays nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from acp_trace.compare.result import AllowanceUse
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.replay_and_compare import ComparedRun, compare_run
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict.verdict import ReplayVerdict
from acp_trace.trace.entries import Entry


@dataclass(frozen=True, slots=True)
class Attempt:
    """One run. `recording`: the number of the recording compared, 0 is the first; `round`: from 0."""

    made: ComparedRun
    recording: int
    round: int

    @property
    def verdict(self) -> ReplayVerdict:
        """Its verdict."""
        return self.made.verdict

    @property
    def passed(self) -> bool:
        """Whether it did what that recording has."""
        return self.verdict.passed


class Attempts:
    """The attempts so far. `recordings`: the recording, and its alternatives."""

    def __init__(self, recordings: Sequence[Sequence[Entry]], settings: Settings) -> None:
        self._recordings = recordings
        self._settings = settings
        self.all: list[Attempt] = []

    @property
    def due(self) -> Sequence[Entry] | None:
        """Return the recording to play next; None if all attempts are over."""
        count = len(self.all)
        if self.all and (self.all[-1].passed or self.all[-1].made.played.end is None):
            return None
        if count >= len(self._recordings) * (self._settings.retries + 1):
            return None
        return self._recordings[count % len(self._recordings)]

    def take(self, played: Played) -> None:
        """Add the run of the recording that was due."""
        round_, at = divmod(len(self.all), len(self._recordings))
        attempt = Attempt(self._compared(at, played), at, round_)
        others = [other for other in range(len(self._recordings)) if other != at]
        if not attempt.passed and not played.died and not _refused(played):
            for other in others:
                made = self._compared(other, replace(played, incidents=[]))
                if made.verdict.passed:
                    attempt = Attempt(made, other, round_)
                    break
        self.all.append(attempt)

    @property
    def chosen(self) -> Attempt:
        """The attempt that counts: one that passed, or the last one against the first recording."""
        passed = next((attempt for attempt in self.all if attempt.passed), None)
        attempt = passed or next(each for each in reversed(self.all) if each.recording == 0)
        verdict = attempt.verdict
        comparison = replace(verdict.comparison, allowances=self._allowances())
        return replace(attempt, made=replace(attempt.made, verdict=replace(verdict, comparison=comparison)))

    @property
    def flaky(self) -> bool:
        """Whether the same agent first failed and then passed."""
        return self.chosen.passed and self.chosen.round > 0

    def _compared(self, at: int, played: Played) -> ComparedRun:
        return compare_run(self._recordings[at], played, self._settings, died=played.died)

    def _allowances(self) -> list[AllowanceUse]:
        """Return the uses in all attempts together: in a single attempt, a flaky agent may not need them."""
        uses: dict[str, int] = {}
        for attempt in self.all:
            for use in attempt.verdict.comparison.allowances:
                uses[use.allowance] = uses.get(use.allowance, 0) + use.uses
        return [AllowanceUse(allowance, count) for allowance, count in uses.items()]


def _refused(played: Played) -> bool:
    """Whether the agent got an error for which another recording may have an answer."""
    return any(incident.code == "request-unmatched" for incident in played.incidents)
