"""Two engines face to face: the recorded client is played to the recorded agent, without any process.

What one sends, the other takes, at once and in turn; time is a number that jumps to the next look. What was
said on either side is kept as frames, so that a test can compare it with the recording.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from acp_trace.replay.conversation.engine import Conversation, Options
from acp_trace.replay.conversation.patience import Patience
from acp_trace.replay.conversation.rewriting import Rewriter
from acp_trace.replay.plan.builder import plan
from acp_trace.replay.plan.recording import Recording, read
from acp_trace.replay.timeouts import TIMEOUT_NS
from acp_trace.trace.entries import Entry, Sender
from acp_trace.trace.parse import Parser


def entries(file: bytes) -> list[Entry]:
    """The entries of a trace file's bytes."""
    parser = Parser()
    found = parser.feed(file)
    last, _ = parser.finish()
    return [*found, *([last] if last else [])]


def recording(file: bytes) -> Recording:
    """The recording in a trace file's bytes."""
    return read(entries(file))


def conversation(
    of: Recording, own: Sender, options: Options | None = None, *, same: bool = False
) -> Conversation:
    """One side of it, ready to be played; `same`: in the recorded folders."""
    patience = Patience(TIMEOUT_NS, len(of.messages), of.size, of.duration_ns)
    made = Conversation(plan(of, own), Rewriter(), patience, options or Options())
    if own == "client":
        made.move({one: one if same else f"/live/{at}" for at, one in enumerate(of.directories)})
    made.begin(0)
    return made


@dataclass
class Facing:
    """A client and an agent that talk. `said`: what went over the line, as a recorder between them sees it.

    `shuffle`: in which order the lines of the two directions arrive; each direction keeps its own.
    """

    client: Conversation
    agent: Conversation
    said: list[tuple[Sender, bytes]] = field(default_factory=list)
    now: int = 0
    shuffle: random.Random | None = None
    _lines: dict[Sender, deque[bytes]] = field(default_factory=lambda: {"client": deque(), "agent": deque()})
    _order: deque[Sender] = field(default_factory=deque)

    def run(self, most: int = 1_000_000) -> None:
        """Until neither has anything to say, or to wait for."""
        for _ in range(most):
            self._say("client", self.client.due(self.now))
            self._say("agent", self.agent.due(self.now))
            if self._order:
                self._deliver()
                continue
            wakes = [one for one in (self.client.wake(), self.agent.wake()) if one is not None]
            if not wakes or self.client.closed:
                return
            self.now = max(min(wakes), self.now)
        raise AssertionError("they talk without end")

    def _deliver(self) -> None:
        """The next line arrives: the oldest, or that of either direction."""
        sender = self._order.popleft()
        if self.shuffle is not None:
            other: Sender = "agent" if sender == "client" else "client"
            if self._lines[other] and self.shuffle.random() < 0.7:
                self._order.remove(other)
                self._order.appendleft(sender)
                sender = other
        line = self._lines[sender].popleft()
        self.said.append((sender, line))
        if sender == "client":
            self._say("agent", self.agent.receive(line[:-1], self.now))
        else:
            self._say("client", self.client.receive(line[:-1], self.now))

    def _say(self, sender: Sender, said: Iterable[bytes]) -> None:
        for line in said:
            self._lines[sender].append(line)
            self._order.append(sender)
