"""The player in front of the tee: its lines reach the peer, and both sides are in the trace.

The caller provides the peer, decides what is played to it, and handles its end.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from acp_trace.record.sink import Sink
from acp_trace.record.tee import Ends, Tee
from acp_trace.replay.conversation.played_side import PlayedSide
from acp_trace.replay.drive import waits
from acp_trace.replay.drive.link import PeerPipes
from acp_trace.replay.drive.player import Ending, Player, read_on
from acp_trace.replay.drive.waits import Stop
from acp_trace.replay.plan.recording import CANCELS
from acp_trace.replay.timeouts import CANCEL_READ_NS
from acp_trace.system.pipes import unread

#: The methods as JSON has them, which no text of a message contains.
_CANCELS = tuple(f'"{method}"'.encode() for method in CANCELS)


class Peer(Protocol):
    """The agent's ends of three pipes. `playing` closes them."""

    stdin: int
    stdout: int
    stderr: int


@contextmanager
def playing(
    conversation: PlayedSide,
    peer: Peer,
    sink: Sink | None,
    stop: Stop,
    on_cancel: Callable[[], None] | None = None,
    is_killed: Callable[[], bool] = lambda: False,
) -> Iterator[Ending]:
    """Play, and yield why it is over. What the peer still sends meanwhile is recorded to its end.

    `sink`: None if the peer records it itself. `on_cancel` is called when the peer has read a cancel, or has
    ignored it for some time. `is_killed`: whether the player reads nothing more.
    """
    to_agent, from_player = os.pipe()
    to_player, from_agent = os.pipe()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    tee = Tee(
        sink,
        client=Ends(to_agent, from_agent, nowhere),
        agent=Ends(peer.stdin, peer.stdout, peer.stderr),
    )
    sent = 0

    def on_sent(line: bytes) -> None:
        nonlocal sent
        sent += len(line)
        if on_cancel is not None and any(method in line for method in _CANCELS):
            waits.wait_until(lambda: tee.has_forwarded(sent) and not unread(peer.stdin), CANCEL_READ_NS, stop)
            on_cancel()

    try:
        end = Player(conversation, PeerPipes(to_player, from_player, stop), on_sent).play()
        os.close(from_player)
        from_player = -1
        if end in (Ending.FLOOD, Ending.STOPPED) or is_killed():  # the rest of its output is not read
            os.close(to_player)
        else:
            threading.Thread(target=read_on, args=(to_player,), daemon=True).start()
        yield end
        tee.drain(stop.is_set, lambda: True)
    finally:
        if from_player >= 0:
            os.close(from_player)
