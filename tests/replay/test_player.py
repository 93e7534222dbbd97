"""The player between two descriptors: what it still says when the live side says nothing more."""

from __future__ import annotations

import json
import os
import threading
from contextlib import closing

from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.drive.link import PeerPipes
from acp_trace.replay.drive.player import Ending, Player
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.timeouts import SECOND
from tests.reading.talk import prompt, reply, stop
from tests.replay.lines import START, reads
from tests.replay.playbook import recorded
from tests.support import DEADLINE_S

_TEXT = "x" * 1_000_000


def test_an_answer_that_fits_no_pipe_reaches_an_agent_that_says_no_more() -> None:
    """It closed its output, and reads on: what was due when it did so is written to its end."""
    of = recorded(*START, prompt(1), reads(7, "/w/a"), reply(7, content=_TEXT), stop(1))
    talk = Conversation(plan(of, "client"), Rewriter(), Patience(60 * SECOND, 9, of.size, 0), Options())
    agent_in, player_out = os.pipe()
    player_in, agent_out = os.pipe()
    heard: list[bytes] = []

    def agent() -> None:
        with open(agent_in, "rb") as lines:
            with open(agent_out, "wb", buffering=0) as says:
                for sender, message in [*START, prompt(1), reads(7, "/w/a")]:
                    if sender == "agent":
                        says.write(json.dumps(message).encode() + b"\n")
                    else:
                        heard.append(lines.readline())
            heard.append(lines.readline())

    thread = threading.Thread(target=agent, daemon=True)
    thread.start()
    with closing(Stop()) as stopped:
        end = Player(talk, PeerPipes(player_in, player_out, stopped)).play()
    os.close(player_out)
    thread.join(DEADLINE_S)
    os.close(player_in)
    assert end is Ending.GONE
    assert json.loads(heard[-1])["result"]["content"] == _TEXT
