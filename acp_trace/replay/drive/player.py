"""One conversation between two descriptors. Waits for input, for room to write, or until it is time.

The one loop of a replay. It never blocks on a write, so that a peer that reads nothing cannot hold
it, and it knows at any time when it will have waited for too long.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import NamedTuple

from acp_trace.record.drain import BLOCK
from acp_trace.replay.conversation.played_side import PlayedSide
from acp_trace.replay.drive.waits import poll_ms
from acp_trace.replay.timeouts import FLUSH_MS, LONGEST_LINE
from acp_trace.trace.encode import Framer


class Ending(StrEnum):
    """Why it is over."""

    OVER = "over"  #: the recording is played to its end
    GONE = "gone"  #: the peer closed its output, or its input
    TIMEOUT = "timeout"  #: nothing happened for too long
    FLOOD = "flood"  #: far more arrived than was recorded
    STOPPED = "stopped"  #: somebody wanted it so


class PeerPipes(NamedTuple):
    """The descriptors towards the peer. Both are the player's: it makes them non-blocking.

    `stop` ends it as soon as there is something to read.
    """

    reads: int
    writes: int
    stop: int


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
        self._pipes = pipes
        self._framer = Framer()
        self._out: deque[bytes] = deque()
        self._deaf = False  #: the peer closed its input
        self._stopped = False
        self._unfinished = 0
        os.set_blocking(pipes.reads, False)
        os.set_blocking(pipes.writes, False)

    def play(self, *, stay: bool = False) -> Ending:
        """Plays it; returns why it is over. `stay`: not before the peer is gone."""
        conversation = self._conversation
        conversation.begin(time.monotonic_ns())
        self._send(conversation.due(time.monotonic_ns()))
        while True:
            if self._stopped:
                return Ending.STOPPED
            if conversation.gone or (self._deaf and not stay):
                self._flush()
                return Ending.GONE
            if conversation.closed and not self._out:
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
        """Writes what was due already: whoever sends nothing more may still read."""
        poll = select.poll()
        poll.register(self._pipes.writes, select.POLLOUT)
        while self._out and not self._deaf and poll.poll(FLUSH_MS):
            self._write()

    def _wait(self, now: int, until: list[int]) -> None:
        """Waits for something to do, and does it."""
        poll = select.poll()
        poll.register(self._pipes.reads, select.POLLIN)
        poll.register(self._pipes.stop, select.POLLIN)
        if self._out and not self._deaf:
            poll.register(self._pipes.writes, select.POLLOUT)
        ready = poll.poll(poll_ms(min(until) - now if until else None))
        for fd, _ in ready:
            if fd == self._pipes.reads:
                self._read()
            elif fd == self._pipes.stop:
                self._stopped = True

    def _read(self) -> None:
        conversation = self._conversation
        try:
            data = os.read(self._pipes.reads, BLOCK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        now = time.monotonic_ns()
        if not data:
            if rest := self._framer.rest():
                self._send(conversation.receive(rest, now))
            conversation.on_closed()
            return
        self._unfinished = 0 if b"\n" in data else self._unfinished + len(data)
        for text in self._framer.feed(data).split(b"\n")[:-1]:
            self._send(conversation.receive(text, now))
            self._send(conversation.due(now))  # after each: what comes next may depend on it

    def _send(self, lines: Iterable[bytes]) -> None:
        """Writes each line before the next one is made: an answer does not wait for what else is due."""
        for line in lines:
            self._out.append(line)
            self._write()
            self._on_sent(line)

    def _write(self) -> None:
        """Writes what there is room for; nearly always that is all."""
        try:
            while self._out and not self._deaf:
                text = self._out[0]
                done = os.write(self._pipes.writes, text)
                if done < len(text):
                    self._out[0] = text[done:]
                    return
                self._out.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._deaf = True


def read_on(fd: int) -> None:
    """Reads what an agent still sends when nobody listens any more, so that it can end."""
    try:
        os.set_blocking(fd, True)
        while os.read(fd, 1 << 16):
            pass
    except OSError:
        pass
    finally:
        os.close(fd)
