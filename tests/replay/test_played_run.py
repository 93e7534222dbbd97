"""What a run tells others of, beside what is played."""

from __future__ import annotations

import json
import os
import select
import threading
from contextlib import closing

import pytest

from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.drive import playing
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.played_run import PlayedRun
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.timeouts import SECOND
from tests.reading.talk import cancel, prompt, stop
from tests.replay.lines import START
from tests.replay.playbook import recorded
from tests.support import DEADLINE_S

_CANCEL = cancel()
_TALK = [*START, prompt(1), _CANCEL, stop(1)]


class _Agent:
    """Its ends of the pipes, and what it does: it looks whether the model heard of a cancel before it reads it."""

    def __init__(self, heard: threading.Event) -> None:
        self._in, self.stdin = os.pipe()
        self.stdout, self._out = os.pipe()
        self.stderr, end = os.pipe()
        os.close(end)
        self._heard = heard
        self.heard_early: bool | None = None
        threading.Thread(target=self._live, daemon=True).start()

    def _live(self) -> None:
        with open(self._in, "rb", buffering=0) as lines, open(self._out, "wb", buffering=0) as says:
            for sender, message in _TALK:
                if sender == "agent":
                    says.write(json.dumps(message).encode() + b"\n")
                    continue
                select.select([lines], [], [])
                if message is _CANCEL[1]:
                    self.heard_early = self._heard.wait(0.1)
                lines.readline()


def test_the_model_hears_of_a_cancel_when_the_agent_has_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the model said after it would otherwise overtake it: it goes through fewer hands."""
    monkeypatch.setattr(playing, "CANCEL_READ_NS", DEADLINE_S * SECOND)
    heard = threading.Event()
    agent = _Agent(heard)

    class Run(PlayedRun):
        def run(self, stop: Stop, started: int) -> Played:  # noqa: ARG002
            with self._playing(agent, None, stop, heard.set):
                return self._over()

    of = recorded(*_TALK)
    talk = Conversation(plan(of, "client"), Rewriter(), Patience(60 * SECOND, 9, of.size, 0), Options())
    with closing(Stop()) as stopped:
        Run(plan(of, "client"), talk).run(stopped, 0)
    assert heard.is_set()
    assert agent.heard_early is False
