"""The results of finished replays: reports, files, the exit code, pending runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from acp_trace.cli import ci_output, common, outputs, pending
from acp_trace.cli.errors import DIED, DIFFERS, NOTHING, USAGE, fail, unread
from acp_trace.cli.playable import Playable
from acp_trace.cli.playing import in_ci
from acp_trace.cli.reports import Reports
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.replay.verdict.mask_proposals import LEARN, only_varies
from acp_trace.report.ci.places import Place, lines_of, relative
from acp_trace.report.statements.replays import Replayed
from acp_trace.report.text.replays import report, total
from acp_trace.trace import jsontext

if TYPE_CHECKING:
    from rich.progress import Progress

    from acp_trace.replay.drive.replay_and_compare import ComparedRun


@dataclass(frozen=True, slots=True)
class Outputs:
    """The outputs, and where each is written."""

    reports: Reports
    all_: bool = False
    save: str | None = None
    update: bool = False
    to_stderr: bool = False  #: where standard output carries the protocol
    quiet: bool = False
    keeps: bool = True  #: whether a run that differs is left for review

    def check(self, inputs: Sequence[str] = ()) -> None:
        """Standard output holds one document; a file must be one that can be written, and no input."""
        self.reports.check(inputs, others=(("--save", self.save),))
        if self.save == "-":
            raise typer.BadParameter("'-' is not a file", param_hint="--save")
        outputs.check("--save", self.save, inputs)
        if self.save and Path(self.save).is_file() and not _is_live_run(self.save):
            raise typer.BadParameter(
                f"{self.save!r} exists and is not a run of a replay: name another file", param_hint="--save"
            )


class Teller:
    """Tells of replays as they end, and at the end of all."""

    def __init__(self, how: Outputs) -> None:
        self._how = how
        self._all: list[tuple[Replayed, list[Place]]] = []
        self._shown: list[tuple[Playable, ComparedRun, Replayed]] = []
        self._speaks = how.reports.leaves_text and not how.quiet
        self._bar: Progress | None = None

    def take(self, playable: Playable, made: ComparedRun, replayed: Replayed) -> None:
        """Add a finished replay."""
        raw = b"".join(entry.raw for entry in made.played.entries)
        if self._how.save:
            outputs.write(self._how.save, raw, private=True)
        updated, kept = self._kept(playable, replayed, raw)
        if replayed.fails and not updated and only_varies(replayed.found):
            kept = [*kept, LEARN]
        replayed = replace(replayed, hints=kept, updated=updated)
        places = [
            # After an update, the file is the run: the lines of the recording are no longer in it.
            Place(playable.name, _seen(playable.path), {} if updated else self._lines(playable, made)),
            Place(replayed.live_id),
        ]
        self._all.append((replayed, places))
        if self._how.reports.html is not None:
            self._shown.append((playable, made, replayed))
        if not self._speaks:
            return
        if self._bar is not None:  # off the screen, so that the report begins on a line of its own
            self._bar.stop()
        with unread():
            self._print(replayed, places)
        if self._bar is not None:
            self._bar.start()

    def end(self, count: int) -> int:
        """Write the final outputs. Return the exit code."""
        replays = [replayed for replayed, _ in self._all]
        with unread():
            if (page := self._how.reports.html) is not None and self._shown:
                from acp_trace.cli.page_output import write_replays

                write_replays(page, self._shown)
            self._how.reports.write(lambda: _document(replays), junit=lambda: _junit(self._all))
            if self._speaks and count > 1:
                left = count - len(replays)
                more = f", {left} not run" if left else ""
                common.console().print(f"\n{total(replays)}{more}", highlight=False)
        return _code(replays)

    @contextmanager
    def progress(self, count: int) -> Iterator[Callable[[], None]]:
        """A function to call for each that is over; draws a bar on stderr if there are several."""
        if not sys.stderr.isatty():
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            self._bar = bar
            task = bar.add_task("replaying", total=count)
            yield lambda: bar.advance(task)

    def _lines(self, playable: Playable, made: ComparedRun) -> dict[int, int]:
        """The lines of the differences in the recording's file, if `--github` needs them."""
        if not self._how.reports.github:
            return {}
        divergences = made.verdict.comparison.divergences
        events = [event for each in divergences for event in (each.expected_event, each.common_expected)]
        return lines_of((entry.raw for entry in playable.entries), {event.frame for event in events if event})

    def _kept(self, playable: Playable, replayed: Replayed, raw: bytes) -> tuple[bool, list[str]]:
        """Puts the run in the recording's place, or beside it; whether it is that now, and hints."""
        if playable.path is None or not self._how.keeps:
            return False, []
        tells_otherwise = replayed.found.model is not None and bool(replayed.found.model.changes)
        if replayed.passed and not (self._how.update and tells_otherwise):
            pending.forget(playable.path)
            return False, []
        if (why := _unfit(replayed)) is not None:
            return False, [f"not updated: {why}"] if self._how.update else []
        if self._how.update:
            if not _is_there(playable):
                return False, [f"not updated: {playable.name} was changed meanwhile"]
            pending.put(playable.path, raw)
            pending.forget(playable.path)
            return True, [f"updated: {playable.name} is now this run"]
        if not in_ci() and pending.leave(playable.path, raw):
            hint = "if the new behaviour is right, accept it: `acp-trace review`"
            return False, [hint]
        return False, []

    def _print(self, replayed: Replayed, places: list[Place]) -> None:
        console = common.console(stderr=self._how.to_stderr)
        text = report(replayed, places, console.width, all_=self._how.all_, cut=console.is_terminal)
        from acp_trace.report.ci.diff_annotations import workflow_commands

        how = {"all_": self._how.all_, "accepted": replayed.updated}
        commands = partial(workflow_commands, replayed.found, places, **how)
        ci_output.print_report(console, text, commands if self._how.reports.github else None)


def _document(replays: list[Replayed]) -> object:
    from acp_trace.report.json.replay import document

    return document(replays)


def _junit(replays: list[tuple[Replayed, list[Place]]]) -> bytes:
    from acp_trace.report.ci.comparison_junit import replays_junit

    return replays_junit(replays)


def _is_there(playable: Playable) -> bool:
    """Whether the recording's file still has the recording that was played."""
    header = jsontext.value_or_none(playable.entries[0].raw) if playable.entries else None
    return playable.path is not None and outputs.header_of(playable.path) == header


def _unfit(replayed: Replayed) -> str | None:
    """Why a run cannot be a recording, or would not help as one; None if it can."""
    if replayed.died:
        return "the run is not complete"
    if replayed.faults:
        return "the run has faults on purpose"
    ours, theirs = replayed.found.expected, replayed.found.got
    if ours.protocol_version is not None and theirs.protocol_version is None:  # no agent, such as `cat`
        return "initialize was not answered"
    failing = replayed.found.failing
    if failing and all(divergence.code == OVER_BUDGET for divergence in failing):
        return "only budgets failed: change the budget instead"
    return None


def _code(replays: list[Replayed]) -> int:
    """The exit code of all: the worst that happened."""
    if any(replayed.died for replayed in replays):
        return DIED
    if any(not replayed.found.equal and replayed.fails for replayed in replays):
        return DIFFERS
    if any(not (replayed.found.counts.compared or replayed.passed) for replayed in replays):
        return NOTHING
    idle = [use.mask for replayed in replays for use in replayed.found.idle]
    if idle:
        masks = ", ".join(f"--mask {one}" for one in dict.fromkeys(idle))
        fail(f"nothing to hide for {masks} at this level", USAGE)
    return 0


def _seen(path: Path | None) -> str | None:
    return None if path is None else relative(os.path.realpath(path), os.path.realpath(os.curdir))


def _is_live_run(file: str) -> bool:
    """Whether it is what an earlier `--save` wrote: the one thing that may be replaced."""
    header = outputs.header_of(file)
    return header is not None and bool(header.get("replay_of"))
