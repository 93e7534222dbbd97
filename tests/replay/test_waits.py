"""Waits of any length, in pieces that the system takes."""

from __future__ import annotations

import os
import select
import sys
import threading
from contextlib import closing
from typing import Any

import pytest

from acp_trace.replay import timeouts
from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.drive import waits
from acp_trace.replay.drive.link import PeerPipes
from acp_trace.replay.drive.player import Ending, Player
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import read
from acp_trace.replay.settings import Settings, timeout
from tests.replay.facing import entries
from tests.support import HEADER, line, request, result

assert sys.platform != "win32", pytest.skip("has no `poll`", allow_module_level=True)

_DAY_NS = 86_400 * 10**9
_PAUSES = [13 * _DAY_NS, 400 * _DAY_NS, 2**62]


@pytest.mark.parametrize("left", [*_PAUSES, 2**63, 10**30])
def test_what_poll_takes(left: int) -> None:
    """Any time, and none."""
    poll = select.poll()
    reads, writes = os.pipe()
    os.close(writes)
    poll.register(reads, select.POLLIN)
    assert poll.poll(waits.poll_ms(left))
    os.close(reads)
    assert waits.poll_ms(left) == timeouts.LONGEST_WAIT_NS // 1_000_000
    assert (waits.poll_ms(None), waits.poll_ms(0), waits.poll_ms(-5), waits.poll_ms(1)) == (None, 0, 0, 1)


def test_an_event_is_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a piece is not the end of the wait."""
    monkeypatch.setattr(waits, "LONGEST_WAIT_NS", 1_000)
    event = threading.Event()
    assert not waits.wait(event, 50_000)
    threading.Timer(0.02, event.set).start()
    assert waits.wait(event, 2**62)
    assert waits.wait(event, 0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A clock that goes on by what `poll` was asked to wait for."""
    plain = select.poll

    class Clock:
        now = 5
        longest = 0

    class Poll:
        def __init__(self) -> None:
            self._poll = plain()
            self.register = self._poll.register

        def poll(self, ms: int | None) -> Any:
            ready = self._poll.poll(0)
            if not ready:
                assert ms is not None
                Clock.longest = max(Clock.longest, ms)
                Clock.now += ms * 1_000_000
            return ready

    monkeypatch.setattr(waits, "LONGEST_WAIT_NS", 20 * _DAY_NS)
    monkeypatch.setattr("time.monotonic_ns", lambda: Clock.now)
    monkeypatch.setattr("select.poll", Poll)
    monkeypatch.setenv("ACP_TRACE_LOOP", "poll")
    return Clock


@pytest.mark.parametrize("pause", _PAUSES)
@pytest.mark.parametrize("own", ["client", "agent"])
@pytest.mark.parametrize("pace", [0.0, 1.0, 0.5])
def test_a_recorded_pause(clock: Any, pause: int, own: Any, pace: float) -> None:
    """Of 13 days, of 400, and of longer than a system runs: nothing is refused, and it is kept if asked for."""
    frames = [
        ("client", request(0, "initialize", protocolVersion=1)),
        ("agent", result(0, protocolVersion=1)),
        ("client", request(1, "session/new", cwd="/w")),
        ("agent", result(1, sessionId="s")),
    ]
    times = [0, 1, 1 + pause, 2 + pause] if own == "client" else [0, 1, 2, 2 + pause]
    lines = [
        line(t=t, **{"from": sender}, frame=frame) for t, (sender, frame) in zip(times, frames, strict=True)
    ]
    recording = read(entries(line(**HEADER) + b"".join(lines)))
    longest = timeout(Settings(), recording.silence("agent" if own == "client" else "client"))
    patience = Patience(longest, len(recording.messages), recording.size, recording.duration_ns)
    talk = Conversation(plan(recording, own), Rewriter(), patience, Options(pace))
    live_in, player_out = os.pipe()
    player_in, live_out = os.pipe()
    for sender, frame in frames:
        if sender != own:
            os.write(live_out, line(**frame))
    if own == "agent":
        os.close(live_out)
    with closing(Stop()) as stop:
        end = Player(talk, PeerPipes(player_in, player_out, stop)).play(stay=own == "agent")
    for fd in (live_in, player_out, player_in, *([live_out] if own == "client" else [])):
        os.close(fd)
    assert clock.longest < 2**31
    if own == "agent":
        assert end == Ending.GONE
    else:
        assert end == (Ending.TIMEOUT if pace else Ending.OVER)
    if own == "client":
        assert talk.sent == 2
        assert clock.now >= pause * pace
