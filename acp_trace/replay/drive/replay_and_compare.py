"""A recording and a peer -> a verdict: plan, drive, record, compare, in one call.

What the commands and the pytest plugin share. The run lies in the spool, for the store to take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from acp_trace.replay.drive.mock import mock
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.run import Played, replay
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.planning import plan
from acp_trace.replay.recording import read
from acp_trace.replay.session_copies import copies, opened
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict import ReplayVerdict, judge
from acp_trace.trace.entries import Entry


@dataclass(frozen=True, slots=True)
class Judged:
    """A replay that is over: what was played, and what that means."""

    played: Played
    verdict: ReplayVerdict


def judged(
    recorded: Sequence[Entry],
    argv: Sequence[str],
    settings: Settings,
    *,
    stop: Stop | None = None,
) -> Judged:
    """Replays the client of a recording against an agent. Raises OSError for its directories."""
    wish = stop or Stop()
    try:
        played = replay(plan(read(recorded), "client"), argv, settings, stop=wish)
    finally:
        if stop is None:
            wish.close()
    return verdict_of(recorded, played, settings, died=played.died)


def mocked(recorded: Sequence[Entry], argv: Sequence[str], settings: Settings, *, sessions: int) -> Judged:
    """Plays the agent of a recording to the client that started this process, until that is done.

    Each recorded session can be opened `sessions` times. Main thread only.
    """
    played = mock(plan(read(copies(recorded, sessions)), "agent"), argv, settings)
    least = max(opened(recorded), 1)
    times = min(-(-opened(played.entries) // least), sessions)  # what nobody opened is not missing
    return verdict_of(
        copies(recorded, times), played, settings, died=played.end in (Ending.TIMEOUT, Ending.FLOOD)
    )


def verdict_of(recorded: Sequence[Entry], played: Played, settings: Settings, *, died: bool) -> Judged:
    """What a replay that is over means. `died`: the peer was not there to the end."""
    verdict = judge(
        recorded,
        played.entries,
        played.incidents,
        settings,
        died=died,
        steps=played.steps,
        sent=played.sent,
    )
    return Judged(played, verdict)
