"""One replay, played, tried again and reported: what `replay_trace` and the pytest plugin share."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from acp_trace.api.replay_result import Replay
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.replay.drive.attempts import Attempts
from acp_trace.replay.drive.replay_and_compare import ComparedRun, play
from acp_trace.replay.remote_agent import remote_agent
from acp_trace.replay.settings import Settings
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe_lines
from acp_trace.report.statements.checks import missed
from acp_trace.report.statements.replays import Replayed, Tried
from acp_trace.report.text.replays import report
from acp_trace.trace.entries import Entry


@dataclass(frozen=True, slots=True)
class WantedReplay:
    """A replay that was asked for. `name`: the trace for people.

    `directory`: where its agent is looked for; None: in that of this process. `is_file`: a run can be
    accepted as the new recording. `alternatives`: other recordings by their names.
    """

    name: str
    entries: Sequence[Entry]
    settings: Settings
    argv: tuple[str, ...]
    directory: Path | None = None
    is_file: bool = True
    alternatives: Mapping[str, Sequence[Entry]] = field(default_factory=dict)


def run(wanted: WantedReplay) -> Replay:
    """Replay, into the spool, for the store to take. Raises OSError for directories and the run's trace."""
    began = time.monotonic_ns()
    attempts = Attempts([wanted.entries, *wanted.alternatives.values()], wanted.settings)
    with nullcontext() if wanted.directory is None else chdir(wanted.directory):
        while (entries := attempts.due) is not None:
            attempts.take(play(entries, wanted.argv, wanted.settings))
    return _result(wanted, attempts, time.monotonic_ns() - began)


def _result(wanted: WantedReplay, attempts: Attempts, took_ns: int) -> Replay:
    made = attempts.chosen.made
    verdict = made.verdict
    names = [None, *wanted.alternatives]
    tried = attempts.all if len(attempts.all) > 1 else []
    comparison = verdict.comparison
    replayed = Replayed(
        wanted.name,
        comparison,
        verdict.passed and not comparison.idle,
        verdict.died,
        verdict.steps,
        verdict.sent,
        took_ns,
        [f"budget {missed(budget)}" for budget in verdict.budgets if budget.ok],
        list(_hints(wanted, made)),
        timings=verdict.timings,
        logs=verdict.logs,
        last_logs=verdict.last_logs,
        variables=made.played.variables,
        attempts=[
            Tried(one.verdict.comparison, one.passed, one.verdict.died, names[one.recording]) for one in tried
        ],
        flaky=attempts.flaky,
        alternative=names[attempts.chosen.recording],
    )
    places = [Place(wanted.name, wanted.name), Place(replayed.live_id)]
    text = report(replayed, places, shutil.get_terminal_size((100, 24)).columns, all_=False, cut=False).plain
    return Replay(
        replayed.passed,
        replayed.died,
        replayed.live_id,
        replayed.steps,
        replayed.sent,
        comparison,
        safe_lines(text.rstrip("\n")),
        replayed.flaky,
        wanted.name,
    )


def _hints(wanted: WantedReplay, made: ComparedRun) -> Iterator[str]:
    """What is wrong beside divergences, and what to do next."""
    verdict = made.verdict
    comparison = verdict.comparison
    if not comparison.counts.compared:
        yield "nothing could be compared"
    for idle_mask in comparison.idle:
        yield f"nothing to hide for mask {idle_mask.mask} at this level"
    # A recording has no budgets: a run that exceeds one would be no better as the recording.
    has_changed = any(divergence.code != OVER_BUDGET for divergence in comparison.failing)
    if has_changed and wanted.is_file and not verdict.died and not os.environ.get("CI"):
        remote = remote_agent(wanted.settings)
        agent = f"--url {remote.address.shown}" if remote else f"-- {shlex.join(wanted.argv)}"
        command = f"acp-trace replay {shlex.quote(wanted.name)} --update {agent}"
        yield f"if the new behaviour is right: {command}"
