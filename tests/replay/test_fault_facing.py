"""Two engines face to face, one of them with faults: whatever a seed chooses, they come to an end."""

from __future__ import annotations

import json
from collections import deque
from functools import partial

import pytest

from acp_trace.replay.conversation.played_side import PlayedSide
from acp_trace.replay.faults import faulty
from acp_trace.replay.faults.aims import aims
from acp_trace.replay.faults.chaos import chosen
from acp_trace.replay.faults.declaration import parse
from acp_trace.replay.faults.faulty import LOST_NS, FaultyConversation
from acp_trace.replay.plan.recording import Recording
from acp_trace.replay.timeouts import TIMEOUT_NS
from acp_trace.trace.encode import Framer
from acp_trace.trace.entries import Sender
from tests.reading.talk import cancel, prompt, stop
from tests.replay.facing import conversation
from tests.replay.lines import START, chunk, may, picks, tool
from tests.replay.playbook import recorded

_TALK = recorded(
    *START,
    prompt(1), chunk("one"), tool("c"), may(0), picks(0), chunk("two"), stop(1),
    prompt(2), chunk("three"), cancel(), stop(2, "cancelled"),
    prompt(3), chunk("four"), stop(3),
)  # fmt: skip


class _Pair:
    """A client and an agent, and the bytes between them."""

    def __init__(self, client: PlayedSide, agent: PlayedSide) -> None:
        self.sides: dict[Sender, PlayedSide] = {"client": client, "agent": agent}
        self.said: list[tuple[Sender, bytes]] = []
        self.now = 0
        self._framers: dict[Sender, Framer] = {"client": Framer(), "agent": Framer()}
        self._pieces: deque[tuple[Sender, bytes]] = deque()

    def run(self) -> None:
        """Until neither side has anything to say, or to wait for."""
        for side in self.sides.values():
            side.begin(0)
        for _ in range(20_000):
            for sender, side in self.sides.items():
                for piece in side.due(self.now):
                    self._pieces.append((sender, piece))
            if self._pieces:
                self._deliver()
                continue
            wakes = [when for side in self.sides.values() if (when := side.wake()) is not None]
            if not wakes or self.sides["client"].closed or self.now > 20 * TIMEOUT_NS:
                return
            self.now = max(min(wakes), self.now)
        raise AssertionError("they talk without end")

    def _deliver(self) -> None:
        sender, piece = self._pieces.popleft()
        self.said.append((sender, piece))
        peer: Sender = "agent" if sender == "client" else "client"
        for line in self._framers[sender].feed(piece).split(b"\n")[:-1]:
            for answer in self.sides[peer].receive(line, self.now):
                self._pieces.append((peer, answer))


def _pair(of: Recording, own: Sender, *faults: str) -> tuple[_Pair, FaultyConversation]:
    client, agent = (conversation(of, side, same=True) for side in ("client", "agent"))
    inner = client if own == "client" else agent
    made = FaultyConversation(inner, [parse(text) for text in faults], own, TIMEOUT_NS)
    return (_Pair(made, agent) if own == "client" else _Pair(client, made)), made


@pytest.mark.parametrize("own", ["client", "agent"])
def test_any_seed_comes_to_an_end(own: Sender) -> None:
    """And says the same when it is played again."""
    of = aims(conversation(_TALK, own).plan)
    reached = 0
    for seed in range(25):
        texts = [fault.text for fault in chosen(seed, of, own)]
        pair, made = _pair(_TALK, own, *texts)
        pair.run()
        again, _ = _pair(_TALK, own, *texts)
        again.run()
        assert pair.said == again.said, texts
        reached += bool(made.hits)
    assert reached > 20


def test_without_a_fault_that_fits_nothing_changes() -> None:
    """A wrapped conversation says what a bare one does."""
    plain = _Pair(*(conversation(_TALK, side, same=True) for side in ("client", "agent")))
    plain.run()
    pair, made = _pair(_TALK, "client", "drop on session/prompt #9")
    pair.run()
    assert (pair.said, made.hits, made.ended) == (plain.said, [], None)


@pytest.mark.parametrize("text", ["drop on session/prompt #1", "malformed-json on session/prompt #1"])
def test_a_lost_request_is_given_up(text: str) -> None:
    """After a silence; and then what follows is played."""
    pair, made = _pair(_TALK, "client", text)
    pair.run()
    assert pair.now >= LOST_NS
    assert (
        len([piece for sender, piece in pair.said if sender == "client" and b"session/prompt" in piece]) >= 2
    )
    assert made.closed
    assert made.deadline is None or made.deadline > pair.now


def test_a_message_that_is_late_costs_the_peer_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held back is not waited for, and the deadline begins anew behind it."""
    monkeypatch.setattr(faulty, "LOST_NS", LOST_NS)
    _, made = _pair(_TALK, "client", "delay 100s on initialize")
    made.begin(0)
    send = partial(lambda now: [*made.due(now)])
    assert (send(0), made.deadline) == ([], None)
    assert made.wake() == 100 * 1_000_000_000
    late = 100 * 1_000_000_000
    assert len(send(late)) == 1
    assert made.deadline == late + TIMEOUT_NS


def test_an_agent_that_waits_for_an_answer_is_given_up_again_and_again() -> None:
    """It may be stuck for good, and that is no hang: each request after it is given up, too."""
    _, made = _pair(_TALK, "client", "never on session/request_permission")
    made.begin(0)
    sent = b"".join(made.due(0))
    for _, message in [*START, may(0)]:
        if message.get("method") == "session/request_permission" or "result" in message:
            sent += b"".join(made.receive(json.dumps(message).encode(), 0)) + b"".join(made.due(0))
    now = 0
    while not made.closed:
        wake, deadline = made.wake(), made.deadline
        assert wake is not None
        assert deadline is None or wake < deadline
        now = wake
        sent += b"".join(made.due(now))
    assert sent.count(b"session/prompt") == 3
    assert now < 10 * LOST_NS
