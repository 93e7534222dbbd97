"""Run `bisect`: try the builds that the search asks for, and keep the results meanwhile."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass

from acp_trace.builds import rates
from acp_trace.builds.ahead import Ahead
from acp_trace.builds.bisection import Bisection, SearchProgress, TriedBuild, Verdict, as_found
from acp_trace.builds.checks import BadCheck, Check, of_exit_code
from acp_trace.builds.judged import JudgedRun
from acp_trace.builds.kept import KeptFile
from acp_trace.builds.rates import Rate
from acp_trace.builds.search import Search
from acp_trace.builds.sources import BuildSource, NoProgram, Ready
from acp_trace.builds.tools import NotInstallable, Unavailable
from acp_trace.cli import common
from acp_trace.cli.build_runs import AGAIN, Keeper, play, with_build
from acp_trace.cli.errors import UNREADABLE, Misuse, fail
from acp_trace.cli.matrix_run import with_scripts
from acp_trace.cli.playable import Playable
from acp_trace.replay.drive.replay_and_compare import ComparedRun
from acp_trace.report.safe import safe
from acp_trace.trace.counts import counted
from acp_trace.trace.scratch import scratch

#: The trace of a run, for a check command.
RUN_VARIABLE = "ACP_TRACE_RUN"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is looked for, among which builds. `times`: how often a build is run at most."""

    recording: Playable
    source: BuildSource
    check: Check
    times: int
    jobs: int
    find_fix: bool


class Bisect:
    """A search that goes on. `again`: one that was broken off does not go on."""

    def __init__(self, asked: SearchRequest, kept: KeptFile, *, again: bool) -> None:
        self._asked = asked
        self._kept, self._keeper = kept, Keeper(kept)
        self._names = list(asked.source.names)
        known = None if again else kept.read(SearchProgress)
        usable = known is not None and known.version == SearchProgress().version
        self._progress = known if known is not None and usable else SearchProgress()
        self._search = Search(len(self._names))

    def run(self) -> Bisection:
        """Search to the end. Return the result. Raises Misuse if a build has no program."""
        ahead = Ahead(self._asked.source, lambda name: common.note(f"{safe(name)}: installing"))
        try:
            self._try_all(ahead)
        except Unavailable as error:
            return self._done("unfinished", f"{error}; to continue from here, run the same command again")
        except NoProgram as error:
            raise Misuse(str(error)) from None
        finally:
            ahead.close()
        self._kept.forget()
        return self._outcome()

    def _try_all(self, ahead: Ahead) -> None:
        search, last = self._search, len(self._names) - 1
        needs: int | None = self._asked.times
        while (due := search.due) is not None:
            name = self._names[due]
            ahead.want([name, *(self._names[at] for at in search.ahead())])
            is_end = due in (0, last)
            if (tried := self._progress.tried.get(name)) is None:
                tried = self._try(name, ahead, None if is_end else needs)
            if is_end:
                search.take(due, "skipped" if tried.verdict == "skipped" else "newer" if due else "older")
                if due == last and search.wrong is None and (needs := self._needs()) is None:
                    search.take(due, "older")  # the ends are alike
            else:
                search.take(due, as_found(tried.verdict, find_fix=self._asked.find_fix))
            self._say(tried)
            next_ = [self._names[at] for at in search.ahead()] + [self._names[search.due or 0]]
            ahead.drop(each for each in self._names if each not in next_)

    def _needs(self) -> int | None:
        """In how many runs a build must show it, by what the ends are like; None if they are alike."""
        never, always = (self._rate(at) for at in self._sides)
        return rates.needed(never, always, self._asked.times)

    @property
    def _sides(self) -> tuple[int, int]:
        """The good end and the bad end."""
        ends = 0, len(self._names) - 1
        return (ends[1], ends[0]) if self._asked.find_fix else ends

    def _rate(self, at: int) -> Rate:
        tried = self._progress.tried[self._names[at]]
        return Rate(tried.runs, tried.shown)

    def _try(self, name: str, ahead: Ahead, needs: int | None) -> TriedBuild:
        """Try a build, and keep the result. `needs`: None for an end: all of its runs are made."""
        try:
            ready = ahead.get(name)
        except NotInstallable as error:
            tried = TriedBuild(name, "skipped", why=str(error))
        else:
            tried = self._run(name, ready, needs, ahead)
        self._progress.tried[name] = tried
        self._keeper.keep(self._progress)
        return tried

    def _say(self, tried: TriedBuild) -> None:
        """Tells of a build that was tried, and how many are left."""
        rate = f", bad in {tried.shown} of {tried.runs} runs" if self._asked.times > 1 and tried.runs else ""
        why = f": {safe(tried.why)}" if tried.why else ""
        left = "" if self._search.due is None else f"; {counted(len(self._search.open), 'build')} left"
        common.note(f"{safe(tried.name)}: {tried.verdict}{rate}{why}{left}")

    def _run(self, name: str, ready: Ready, needs: int | None, ahead: Ahead) -> TriedBuild:
        asked, rate = self._asked, Rate()
        best: JudgedRun | None = None
        while rate.runs < asked.times and (needs is None or rates.has_it(rate, needs, asked.times) is None):
            for run, shown in self._steadily(name, ready, min(asked.jobs, asked.times - rate.runs), ahead):
                if shown is None:
                    why = with_scripts(run.why, ready.scripts) if run.became == "not-started" else run.why
                    why = why or asked.check.unexplained
                    return TriedBuild(name, "skipped", rate.runs, rate.shown, why, run)
                rate = rate.with_run(shown)
                if best is None or rate.shown <= shown:  # the first one that shows it, else the last
                    best = run
        if needs is None:
            is_bad = (self._names.index(name) == self._sides[1]) if rate.is_flaky else bool(rate.shown)
        else:
            is_bad = bool(rates.has_it(rate, needs, asked.times))
        verdict: Verdict = "bad" if is_bad else "good"
        return TriedBuild(name, verdict, rate.runs, rate.shown, run=best)

    def _steadily(
        self, name: str, ready: Ready, count: int, ahead: Ahead
    ) -> list[tuple[JudgedRun, bool | None]]:
        """As `_play`. Runs that are not good are made again, alone, if builds were installed beside them.

        An install can make an agent late, and what comes late may be a difference.
        """
        since = ahead.mark()
        found = self._play(ready, count)
        good = [each for each in found if each[1] is False]
        if len(good) == count or not ahead.was_busy(since):
            return found
        common.note(f"{safe(name)}: not good {AGAIN}")
        with ahead.alone():
            return [*good, *self._play(ready, count - len(good))]

    def _play(self, ready: Ready, count: int) -> list[tuple[JudgedRun, bool | None]]:
        """Some runs, each with whether it shows what is looked for; None if it cannot be said."""
        check = self._asked.check
        found: list[tuple[JudgedRun, bool | None]] = []

        def take(_: Playable, run: JudgedRun, made: ComparedRun) -> None:
            if not run.is_tried:
                found.append((run, None))
            elif check.kind == "command":
                found.append((run, self._says(made)))
            else:
                found.append((run, check.shown(run)))

        playable = with_build(self._asked.recording, ready.argv)
        play([playable] * count, take, jobs=count, looked_for=check.code)
        return found

    def _says(self, made: ComparedRun) -> bool | None:
        """What the check command says of a run."""
        with scratch() as root:
            trace = root / "run.jsonl"
            trace.write_bytes(b"".join(entry.raw for entry in made.played.entries))
            environment = {**os.environ, RUN_VARIABLE: str(trace)}
            done = subprocess.run(
                ["sh", "-c", self._asked.check.command], env=environment, stdin=subprocess.DEVNULL,
                stdout=2, check=False,
            )  # fmt: skip
        try:
            return of_exit_code(done.returncode)
        except BadCheck as error:
            fail(str(error), UNREADABLE)

    def _outcome(self) -> Bisection:
        tried = [self._progress.tried[name] for name in self._names if name in self._progress.tried]
        if all(each.verdict == "skipped" for each in tried):
            return self._done("none-ran", f"no build could be run: {tried[0].why}")
        if self._search.wrong is not None:
            return self._done("wrong-range", self._wrong())
        return self._done("found" if len(self._search.candidates) == 1 else "hidden")

    def _wrong(self) -> str:
        """What is wrong with the ends."""
        known = self._progress.tried
        for at, word in zip(self._sides, ("good", "bad"), strict=True):
            name = self._names[at]
            if name in known and known[name].verdict == "skipped":
                return f"{name}, the {word} end of the range, cannot be tried: {known[name].why}"
        good, bad = (self._rate(at) for at in self._sides)
        names = [self._names[at] for at in self._sides]
        what = self._asked.check.words
        if good.shown == good.runs:
            return (
                f"{names[0]} is not good: {what}, in {good.shown} of {good.runs} runs{self._first(names[0])}"
            )
        if not bad.shown:
            return f"{names[1]} is not bad: {what}, in none of {bad.runs} runs"
        rates_ = f"{good.shown} of {good.runs} runs and {bad.shown} of {bad.runs}"
        return f"{names[0]} and {names[1]} cannot be distinguished: {what}, in {rates_}; try --times"

    def _first(self, name: str) -> str:
        """What a build shows, in one line."""
        run = self._progress.tried[name].run
        first = None if run is None else run.first
        return "" if first is None or run is None else f"; {first.code}: {first.message} ({run.trace})"

    def _done(self, outcome: str, problem: str = "") -> Bisection:
        order = list(self._progress.tried.values())
        return Bisection(
            self._asked.recording.name,
            self._names,
            order,
            self._search,
            outcome,  # type: ignore[arg-type]
            self._asked.find_fix,
            self._asked.check.words,
            problem,
        )
