"""Run `matrix`: try the cells that are not known yet, build by build, and keep the results meanwhile."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from acp_trace.builds import grid
from acp_trace.builds.ahead import Ahead
from acp_trace.builds.grid import Grid, GridCell, MatrixProgress
from acp_trace.builds.judged import JudgedRun
from acp_trace.builds.kept import KeptFile
from acp_trace.builds.sources import BuildSource, NoProgram
from acp_trace.builds.tools import NotInstallable, Unavailable
from acp_trace.cli import common
from acp_trace.cli.build_runs import AGAIN, Keeper, identity, play, with_build
from acp_trace.cli.errors import Misuse
from acp_trace.cli.playable import Playable
from acp_trace.replay.drive.replay_and_compare import ComparedRun
from acp_trace.report.safe import safe

#: How often the results are written, in seconds.
_KEEP_S = 1.0


@dataclass(frozen=True, slots=True)
class MatrixRequest:
    """What is to be tried. `times`: how often each recording is replayed against each build."""

    recordings: Sequence[Playable]
    source: BuildSource
    times: int
    jobs: int

    def key(self, recording: Playable, build: str) -> str:
        """The key of a cell."""
        names = recording.name, build
        parts = *names, identity(recording), self.source.identity(build), str(self.times)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


class Matrix:
    """The cells so far. `again`: all are tried again."""

    def __init__(self, asked: MatrixRequest, kept: KeptFile, *, again: bool) -> None:
        self._asked = asked
        self._keeper = Keeper(kept)
        self._progress = grid.begun(kept.read(MatrixProgress), again=again)
        self._keys = {
            (recording.name, build): asked.key(recording, build)
            for recording in asked.recordings
            for build in asked.source.names
        }
        #: The cells that `grid` has, by their keys.
        self._known = {
            key for place, key in self._keys.items() if key in self._progress.done or self._is_known(place)
        }
        self._written = 0.0

    def run(self) -> None:
        """Try the unknown cells. However this ends, `grid` has the results so far."""
        asked = self._asked
        due = [build for build in asked.source.names if any(self._due(build))]
        ahead = Ahead(asked.source, lambda build: common.note(f"{safe(build)}: installing"))
        try:
            for builds in _groups(due, asked):
                waiting = due[due.index(builds[-1]) + 1 :]
                ahead.want([*builds, *waiting[:1]])
                self._play(builds, ahead)
            self._finish()
        finally:
            ahead.close()
            self._keep(always=True)

    @property
    def grid(self) -> Grid:
        """All cells that there are."""
        cells = {
            place: self._progress.cells[key] for place, key in self._keys.items() if self._is_known(place)
        }
        cells |= {place: cell for place, cell in self._own().items() if place not in cells}
        traces = [recording.name for recording in self._asked.recordings]
        return Grid(traces, self._asked.source.names, cells, self._progress.before)

    def _own(self) -> dict[tuple[str, str], GridCell]:
        done = self._progress.done
        return {place: self._progress.cells[key] for place, key in self._keys.items() if key in done}

    def _is_known(self, place: tuple[str, str]) -> bool:
        return grid.is_known(self._progress, self._keys[place], is_fixed=self._asked.source.is_fixed)

    def _due(self, build: str) -> Iterator[Playable]:
        return (each for each in self._asked.recordings if not self._is_known((each.name, build)))

    def _play(self, builds: Sequence[str], ahead: Ahead) -> None:
        """Play the due cells of these builds together, so that several are played at once."""
        plays: list[tuple[str, Playable]] = []
        scripts: dict[str, Sequence[str]] = {}
        for build in builds:
            try:
                ready = ahead.get(build)
            except (NotInstallable, Unavailable) as error:
                common.note(f"{safe(build)}: {safe(str(error))}")
                for recording in list(self._due(build)):
                    self._take(grid.not_installed(recording.name, build, str(error)))
                continue
            except NoProgram as error:
                raise Misuse(str(error)) from None
            scripts[build] = ready.scripts
            for recording in self._due(build):
                plays += [(build, with_build(recording, ready.argv))] * self._asked.times
        since = ahead.mark()
        late = self._play_all(plays, scripts, lambda: ahead.was_busy(since))
        if late:
            with ahead.alone():
                self._play_all(late, scripts, lambda: False)

    def _play_all(
        self,
        plays: Sequence[tuple[str, Playable]],
        scripts: Mapping[str, Sequence[str]],
        was_busy: Callable[[], bool],
    ) -> list[tuple[str, Playable]]:
        """Plays these; returns those that say nothing yet: not passed while builds were installed."""
        of_each = iter([build for build, _ in plays])
        runs: list[JudgedRun] = []
        late: list[tuple[str, Playable]] = []

        def take(recording: Playable, run: JudgedRun, _: ComparedRun) -> None:
            build = next(of_each)
            runs.append(run)
            if len(runs) < self._asked.times:
                return
            made = grid.cell(recording.name, build, runs)
            runs.clear()
            if made.verdict != "passed" and was_busy():
                common.note(f"{safe(build)}, {safe(recording.name)}: {grid.WORDS[made.verdict]} {AGAIN}")
                late.extend([(build, recording)] * self._asked.times)
            else:
                self._take(_explained(made, scripts[build]))

        play([each for _, each in plays], take, jobs=self._asked.jobs)
        return late

    def _take(self, cell: GridCell) -> None:
        key = self._keys[cell.trace, cell.build]
        self._progress.cells[key] = cell
        self._progress.done.add(key)
        self._known.add(key)
        done, of = len(self._known), len(self._keys)
        rate = f" {cell.passed} of {cell.runs}" if cell.verdict == "flaky" else ""
        code = f" ({cell.first.code})" if cell.first is not None else ""
        verdict = f"{grid.WORDS[cell.verdict]}{rate}{safe(code)}"
        common.note(f"{done} of {of}: {safe(cell.build)}, {safe(cell.trace)}: {verdict}")
        self._keep()

    def _finish(self) -> None:
        """The next run is held against this one, which has tried all."""
        self._progress.is_whole = True

    def _keep(self, *, always: bool = False) -> None:
        if always or time.monotonic() - self._written >= _KEEP_S:
            self._keeper.keep(self._progress)
            self._written = time.monotonic()


def _groups(builds: Sequence[str], asked: MatrixRequest) -> Iterator[list[str]]:
    """Builds that are played together: just enough to keep `jobs` busy, to save memory."""
    count = max(-(-asked.jobs // max(len(asked.recordings) * asked.times, 1)), 1)
    rest = iter(builds)
    while group := list(islice(rest, count)):
        yield group


def _explained(cell: GridCell, scripts: Sequence[str]) -> GridCell:
    """A cell of a build that does not start names the install scripts that did not run."""
    import msgspec

    if cell.verdict != "not-started" or not scripts:
        return cell
    return msgspec.structs.replace(cell, why=with_scripts(cell.why, scripts))


def with_scripts(why: str, scripts: Sequence[str]) -> str:
    """Why a build does not start, with the install scripts that it may need."""
    if not scripts:
        return why
    name = scripts[0].partition(" ")[0]
    listed = "; ".join(scripts[:3])
    permit = f"--install-scripts {name} permits one"
    return f"{why.rstrip('.')}. Install scripts that did not run: {listed} ({permit})"
