"""What `bisect` has tried and found: kept while it goes on, and at the end its JSON document. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from acp_trace.builds.judged import JudgedRun
from acp_trace.builds.search import Found, Search

VERSION = 1
Verdict = Literal["good", "bad", "skipped"]


class TriedBuild(msgspec.Struct, frozen=True):
    """A build that was tried. `shown`: how many of its `runs` showed what is looked for.

    `run`: one that shows it, else the last one. `why`: of a skipped one.
    """

    name: str
    verdict: Verdict
    runs: int = 0
    shown: int = 0
    why: str = ""
    run: JudgedRun | None = None

    @property
    def is_flaky(self) -> bool:
        """Whether its runs differ."""
        return 0 < self.shown < self.runs


class SearchProgress(msgspec.Struct):
    """What is kept of an interrupted search: the results so far, by the names of builds."""

    tried: dict[str, TriedBuild] = {}
    version: int = VERSION


def as_found(verdict: Verdict, *, find_fix: bool) -> Found:
    """What a verdict is for the search: older builds are good ones, or with `find_fix` bad ones."""
    if verdict == "skipped":
        return "skipped"
    return "newer" if (verdict == "bad") is not find_fix else "older"


@dataclass(frozen=True, slots=True)
class Bisection:
    """A search that is over, or was broken off.

    `outcome`: `found`: one build. `hidden`: skipped builds hide which. `wrong-range`, `none-ran`,
    `unfinished`. `problem`: why, in words, if it was not found.
    """

    trace: str
    names: Sequence[str]
    tried: Sequence[TriedBuild]
    search: Search
    outcome: Literal["found", "hidden", "wrong-range", "none-ran", "unfinished"]
    find_fix: bool = False
    check: str = ""
    problem: str = ""

    @property
    def is_over(self) -> bool:
        """Whether the range has become as small as it can."""
        return self.outcome in ("found", "hidden")

    @property
    def last_older(self) -> str | None:
        """The name of the last build before the change."""
        known = self.outcome != "wrong-range" and self.search.found.get(self.search.last_older) == "older"
        return self.names[self.search.last_older] if known else None

    @property
    def first_newer(self) -> str | None:
        """The name of the first build with the change; None if skipped builds hide it."""
        return self.names[self.search.first_newer] if self.outcome == "found" else None

    @property
    def candidates(self) -> list[str]:
        """The builds among which is the first with the change."""
        return [self.names[at] for at in self.search.candidates] if self.is_over else []

    @property
    def shown(self) -> TriedBuild | None:
        """The build that shows the difference: the bad one of the two beside the change."""
        at = self.search.last_older if self.find_fix else self.search.first_newer
        return next((each for each in self.tried if each.name == self.names[at] and each.run), None)


def document(done: Bisection, report: str = "") -> dict[str, Any]:
    """The document `acp_trace_bisect`. `report`: the block for an issue."""
    shown = done.shown.run if done.is_over and done.shown is not None else None
    first = None if shown is None or shown.first is None else msgspec.to_builtins(shown.first)
    older, newer = done.last_older, done.first_newer
    return {
        "acp_trace_bisect": VERSION,
        "outcome": done.outcome,
        "trace": done.trace,
        "check": done.check,
        "find_fix": done.find_fix,
        "last_good": None if done.find_fix else older,
        "first_bad": None if done.find_fix else newer,
        "last_bad": older if done.find_fix else None,
        "first_good": newer if done.find_fix else None,
        "skipped": [{"name": each.name, "why": each.why} for each in done.tried if each.verdict == "skipped"],
        "tried": [
            {
                "name": each.name,
                "verdict": each.verdict,
                "runs": each.runs,
                "shown": each.shown,
                "trace": None if each.run is None else each.run.trace,
            }
            for each in done.tried
        ],
        "candidates": done.candidates,
        "builds": list(done.names),
        "divergence": first,
        "model": [] if shown is None else list(shown.model),
        "problem": done.problem,
        "report": report,
    }
