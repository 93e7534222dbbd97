"""One conversation between two descriptors. Waits for input, for room to write, or until something is due.

The one loop of a replay. It never blocks on a write, so a peer that reads nothing cannot stop it, and it
always knows when it will have waited too long.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable
from enum import StrEnum

from acp_trace.replay.conversation.played_side import PlayedSide
from acp_trace.replay.drive.link import PeerPipes, link
from acp_trace.replay.timeouts import FLUSH_NS, LONGEST_LINE
from acp_trace.system.pipes import set_blocking
from acp_trace.trace.encode import Framer


class Ending(StrEnum):
    """Why it is over."""

    OVER = "over"  #: the recording is played to its end
    GONE = "gone"  #: the peer closed its output, or its input
    TIMEOUT = "timeout"  #: nothing happened for too long
    FLOOD = "flood"  #: far more messages arrived than were recorded
    STOPPED = "stopped"  #: a wish to stop


class Player:
    """Plays a conversation until it is over. `on_sent` is called with each line that was sent."""

    def __init__(
        self,
        conversation: PlayedSide,
        pipes: PeerPipes,
        on_sent: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self._conversation = conversation
        self._on_sent = on_sent
        self._link = link(pipes)
        self._stop = pipes.stop
        self._framer = Framer()
        self._out: deque[bytes] = deque()
        self._deaf = False  #: the peer closed its input
        self._unfinished = 0

    def play(self, *, stay: bool = False) -> Ending:
        """Play it; return why it is over. `stay`: not before the peer is gone."""
        try:
            return self._play(stay)
        finally:
            self._link.close(FLUSH_NS)

    def _play(self, stay: bool) -> Ending:
        conversation = self._conversation
        conversation.begin(time.monotonic_ns())
        self._send(conversation.due(time.monotonic_ns()))
        while True:
            if self._stop.is_set():
                return Ending.STOPPED
            if conversation.gone or (self._deaf and not stay):
                self._flush()
                return Ending.GONE
            if conversation.closed and not self._out and not self._link.is_writing:
                return Ending.OVER
            if conversation.is_flooded or self._unfinished > LONGEST_LINE:
                return Ending.FLOOD
            now = time.monotonic_ns()
            deadline = conversation.deadline
            if deadline is not None and now >= deadline:
                return Ending.FLOOD if conversation.is_drowned else Ending.TIMEOUT
            self._wait(now, [when for when in (deadline, conversation.wake()) if when is not None])
            self._write()
            self._send(conversation.due(time.monotonic_ns()))

    def _flush(self) -> None:
        """Write what was due already: a peer that sends nothing more may still read."""
        while self._out and not self._deaf:
            before = len(self._out), len(self._out[0])
            self._link.wait(FLUSH_NS, for_input=False, for_room=True)
            self._write()
            if self._out and before == (len(self._out), len(self._out[0])):
                return

    def _wait(self, now: int, until: list[int]) -> None:
        """Wait for something to do, and do it."""
        longest_ns = min(until) - now if until else None
        if self._link.wait(longest_ns, for_input=True, for_room=bool(self._out) and not self._deaf):
            self._read()

    def _read(self) -> None:
        conversation = self._conversation
        data = self._link.read()
        if data is None:
            return
        now = time.monotonic_ns()
        if not data:
            if rest := self._framer.rest():
                self._send(conversation.receive(rest, now))
            conversation.on_closed()
            return
        self._unfinished = 0 if b"\n" in data else self._unfinished + len(data)
        for text in self._framer.feed(data).split(b"\n")[:-1]:
            self._send(conversation.receive(text, now))
            self._send(conversation.due(now))  # after each line: the next may depend on it

    def _send(self, lines: Iterable[bytes]) -> None:
        """Write each line before the next one is made: an answer does not wait for other due lines."""
        for line in lines:
            self._out.append(line)
            self._write()
            self._on_sent(line)

    def _write(self) -> None:
        """Write as much as there is room for, usually everything."""
        try:
            while self._out and not self._deaf:
                text = self._out[0]
                done = self._link.write(text)
                if done < len(text):
                    self._out[0] = text[done:]
                    return
                self._out.popleft()
        except OSError:
            self._deaf = True


def read_on(fd: int) -> None:
    """Read and discard what an agent still sends, so that it can end."""
    try:
        set_blocking(fd, True)
        while os.read(fd, 1 << 16):
            pass
    except OSError:
        pass
    finally:
        os.close(fd)
