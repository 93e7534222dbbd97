"""A recording and a peer -> a verdict: plan, drive, record, compare, in one call.

What the commands and the pytest plugin share. The run is in the spool, for the store to take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acp_trace.replay.drive.mock import mock
from acp_trace.replay.drive.played import Played, RunNotRecorded
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.run import replay
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.replay.session_copies import copies, opened
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict.verdict import ReplayVerdict, judge_run
from acp_trace.trace.entries import Entry

if TYPE_CHECKING:
    from acp_trace.replay.drive.listening import ListeningClient


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A replay that is over: what was played, and its verdict."""

    played: Played
    verdict: ReplayVerdict


def replay_and_compare(
    recorded: Sequence[Entry],
    argv: Sequence[str],
    settings: Settings,
    *,
    stop: Stop | None = None,
) -> ComparedRun:
    """Replay the client of a recording against an agent. Raises OSError for its directories and its trace.

    `replay_and_compare(entries, ["agent", "acp"], Settings()).verdict.passed` is whether it did the same.
    """
    played = play(recorded, argv, settings, stop=stop)
    return compare_run(recorded, played, settings, died=played.died)


def play(
    recorded: Sequence[Entry], argv: Sequence[str], settings: Settings, *, stop: Stop | None = None
) -> Played:
    """Play the client of a recording to an agent. Raises OSError for its directories."""
    wish = stop or Stop()
    try:
        return replay(plan(read(recorded), "client"), argv, settings, stop=wish)
    finally:
        if stop is None:
            wish.close()


def mock_and_compare(
    recorded: Sequence[Entry],
    argv: Sequence[str],
    settings: Settings,
    *,
    sessions: int,
    client: ListeningClient | None = None,
) -> ComparedRun:
    """Play the agent of a recording to the client that started this process, until the client is done.

    `client`: another client, which connects over a network. Each recorded session can be opened `sessions`
    times. Main thread only.
    """
    played = mock(plan(read(copies(recorded, sessions)), "agent"), argv, settings, client)
    least = max(opened(recorded), 1)
    times = min(-(-opened(played.entries) // least), sessions)  # unopened sessions are not missing
    died = played.end in (Ending.TIMEOUT, Ending.FLOOD)
    return compare_run(copies(recorded, times), played, settings, died=died)


def compare_run(recorded: Sequence[Entry], played: Played, settings: Settings, *, died: bool) -> ComparedRun:
    """Return a finished run with its verdict. `died`: the peer ended too early. Raises RunNotRecorded."""
    if played.warnings:
        raise RunNotRecorded(f"the run could not be recorded: {played.warnings[0]}")
    verdict = judge_run(
        recorded,
        played.entries,
        played.incidents,
        settings,
        died=died,
        steps=played.steps,
        sent=played.sent,
        whole_at=played.whole_at,
        files=played.files,
        faults=played.faults,
        hits=played.hits,
    )
    return ComparedRun(played, verdict)
