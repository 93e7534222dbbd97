"""Recordings, played side by side, and their results: for `replay` and its relatives."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from acp_trace.cli.errors import UNREADABLE, fail
from acp_trace.cli.playable import Playable
from acp_trace.cli.signals import Deferred, Interruptible, requested
from acp_trace.record.afterwards import start_loader
from acp_trace.replay.drive.attempts import Attempts
from acp_trace.replay.drive.played import Played, RunNotRecorded
from acp_trace.replay.drive.replay_and_compare import ComparedRun
from acp_trace.replay.drive.run import replay
from acp_trace.replay.drive.waits import Stop, result_of
from acp_trace.replay.faults.effects import FaultEffect
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.report.safe import safe
from acp_trace.report.statements.checks import missed
from acp_trace.report.statements.replays import Replayed, ShownFault, Tried
from acp_trace.trace.entries import Entry
from acp_trace.trace.os_errors import file_and_reason


def shown_faults(effects: Iterable[FaultEffect]) -> list[ShownFault]:
    """The outcome of the deliberate faults, as reports need it."""
    return [ShownFault(each.fault.text, each.frame, each.effect) for each in effects]


def as_reported(
    playable: Playable, made: ComparedRun, took_ns: int, attempts: Attempts | None = None
) -> Replayed:
    """A replay that is over, as reports want it. `attempts`: all of them, if there may be several."""
    verdict = made.verdict
    names = [None, *(other.name for other in playable.alternatives)]
    tried = [] if attempts is None or len(attempts.all) < 2 else attempts.all
    return Replayed(
        playable.name,
        verdict.comparison,
        verdict.passed,
        verdict.died,
        verdict.steps,
        verdict.sent,
        took_ns,
        [f"budget {missed(budget)}" for budget in verdict.budgets if budget.ok],
        timings=None if verdict.comparison.got.origin == "mock" else verdict.timings,  # those of a client
        logs=verdict.logs,
        last_logs=verdict.last_logs,
        variables=made.played.variables,
        attempts=[
            Tried(one.verdict.comparison, one.passed, one.verdict.died, names[one.recording]) for one in tried
        ],
        flaky=attempts is not None and attempts.flaky,
        faults=shown_faults(verdict.faults),
        alternative=names[attempts.chosen.recording] if attempts is not None else None,
    )


def play_all(
    recordings: Sequence[Playable],
    take: Callable[[Playable, ComparedRun, Replayed], None],
    *,
    jobs: int,
    fail_fast: bool = False,
    loads: bool = True,
) -> None:
    """Replays them, at most `jobs` side by side, and hands each that is over to `take`, in their order.

    `loads`: at the end, the runs are loaded into the store in the background.

    However it ends, by a signal or an error in `take` too, no agent is left behind and no directory. What
    takes long is done in this thread, so that a signal is felt: waiting, comparing, telling.
    """
    with Deferred():
        stop = Stop()
        pool = ThreadPoolExecutor(max_workers=jobs)
        futures: list[Future[_Over]] = []
        try:
            futures += [pool.submit(_play, recording, stop) for recording in recordings]
            for at, recording in enumerate(recordings):

                def again(entries: Sequence[Entry], at: int = at, of: Playable = recording) -> Future[_Over]:
                    futures[at] = pool.submit(_play, replace(of, entries=entries), stop)
                    return futures[at]

                with Interruptible():
                    replayed = _take(recording, futures[at], again, take)
                if fail_fast and not replayed.passed:
                    break
        finally:
            left = [each for each, future in zip(recordings, futures, strict=False) if not future.done()]
            for future in futures:
                future.cancel()
            stop.set()
            pool.shutdown(wait=True)
            stop.close()
            if (by := requested()) is not None and left:
                _say_ended(by, left, [message for future in futures if (message := _left(future))])
            if loads:
                start_loader()


@dataclass(frozen=True, slots=True)
class _Over:
    """A replay that was played, and how long that took."""

    played: Played
    took_ns: int


def _play(recording: Playable, stop: Stop) -> _Over:
    began = time.monotonic_ns()
    prepared = plan(read(recording.entries), "client")
    played = replay(prepared, recording.argv, recording.settings, stop=stop)
    return _Over(played, time.monotonic_ns() - began)


def _take(
    recording: Playable,
    future: Future[_Over],
    again: Callable[[Sequence[Entry]], Future[_Over]],
    take: Callable[[Playable, ComparedRun, Replayed], None],
) -> Replayed:
    """Wait for a replay, and for its retries if it failed; hand it to `take`."""
    attempts = Attempts(
        [recording.entries, *(other.entries for other in recording.alternatives)], recording.settings
    )
    took_ns = 0
    while True:
        over = _result(future)
        began = time.monotonic_ns()
        with _without_collector(), recorded(recording.name):
            attempts.take(over.played)
        took_ns += over.took_ns + time.monotonic_ns() - began
        if (entries := attempts.due) is None:
            break
        future = again(entries)
    judged = attempts.chosen.made
    replayed = as_reported(recording, judged, took_ns, attempts)
    take(recording, judged, replayed)
    return replayed


@contextmanager
def _without_collector() -> Iterator[None]:
    """All that a comparison reads is kept to its end: looking for cycles would cost half as much again."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def recorded(name: str) -> Iterator[None]:
    """End the process with 3 if the run of this recording is not in a trace as a whole, as on a full disk."""
    try:
        yield
    except RunNotRecorded as error:
        fail(f"{name}: {error}", UNREADABLE)


def _result(future: Future[_Over]) -> _Over:
    try:
        return result_of(future)
    except OSError as error:
        fail(file_and_reason(error), UNREADABLE)


def _left(future: Future[_Over]) -> str:
    """Which agent is left of a replay that is over."""
    whole = future.done() and not future.cancelled() and future.exception() is None
    return future.result().played.left if whole else ""


def _say_ended(by: str, recordings: Sequence[Playable], left: Sequence[str]) -> None:
    more = f" and {len(recordings) - 1} more" if len(recordings) > 1 else ""
    agents = "; ".join(left) if left else "no agent and no directory was left behind"
    with suppress(OSError, ValueError):  # the terminal is gone
        print(
            f"acp-trace: ended by {by} before the replay of {safe(recordings[0].name)}{more} was complete: "
            f"{agents}",
            file=sys.stderr,
            flush=True,
        )


def in_ci() -> bool:
    """Whether this is a CI run, where nothing that is expected is ever rewritten."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")
