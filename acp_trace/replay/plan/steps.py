"""A plan: each message of the own side is a step, with the conditions under which it was sent. Shapes.

`builder` makes one from a recording. The last step is the end: nothing more is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from acp_trace.protocol import methods
from acp_trace.replay.plan.recording import RecordedMessage, Recording
from acp_trace.trace.entries import Sender

#: A row of steps that wait for each other. The client has one track; an agent has one for each session and
#: one, None, for the connection: between its sessions there is no order.
Track = str | None
#: Session and kind of an update outside any turn, or after one.
Late = tuple[str | None, str]


#: Methods that lose their purpose once their turn, or target, is over (docs/replay.md, What is sent when).
CANCELS = frozenset({methods.CANCEL, *methods.CANCEL_REQUESTS, "tool_call/cancel", "terminal/cancel"})


class HowOften(NamedTuple):
    """How often an update had come: since the last request or response, and in total, if known."""

    lately: int
    ever: int | None


class Amount(NamedTuple):
    """A number of characters of thoughts, or of messages. `kind`: which of the two."""

    kind: str
    characters: int


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the own side, or (`message` is None) its end.

    Frames are those of the recording. All conditions must hold; `late` is awaited only as long as patience
    lasts, because no request depends on it.
    """

    number: int
    message: RecordedMessage | None
    track: Track
    answers: int | None = None  #: the peer's request that it answers: the step waits for that
    within: frozenset[int] = frozenset()  #: own requests during which that request came
    again: bool = False  #: it answers a poll, and repeats the previous answer
    responses: tuple[int, ...] = ()  #: own requests whose responses had come since the step before
    over: tuple[int, ...] = ()  #: prompts whose turns a `state_update` had settled, likewise
    received: tuple[int, ...] = ()  #: the client's requests and notifications, likewise, in this track
    received_count: int = 0  #: least number of the client's messages in this track, with answers
    turn: int | None = None  #: the turn in whose middle it is sent, by its prompt
    target: int | None = None  #: for a cancel, the request to cancel
    progress: Mapping[str, int] = field(default_factory=dict)  #: what had been seen of that turn
    amount: Amount | None = None  #: how much text that turn had last, if text came last
    late: Mapping[Late, HowOften] = field(default_factory=dict)  #: updates just before it
    late_ns: int = 0  #: how long they took in the recording; for an answer, how long that took
    quiet_ns: int = 0  #: how long nothing is sent after a turn, so that late messages are recognised
    pause_ns: int = 0  #: from when all this held until it was sent

    @property
    def frame(self) -> int | None:
        """Its frame in the recording; None for the end."""
        return None if self.message is None else self.message.frame


class Stall(NamedTuple):
    """Time in which nothing was sent. `step`: what blocked it; `blocks`: the peer waited meanwhile.

    `absent`: the client's messages that it waited for, if the agent is played.
    """

    step: Step
    waited_ns: int
    blocks: bool = False
    absent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """All steps, in the order of the recording, and by track. `received`: see `Step.received_count`."""

    own: Sender
    recording: Recording
    steps: tuple[Step, ...]
    tracks: Mapping[Track, tuple[Step, ...]]
    received: Mapping[Track, tuple[int, ...]]
    answers: Mapping[int, Step]  #: by the peer's request that they answer
    openings: frozenset[tuple[str, str]] = frozenset()  #: chunks that begin several turns

    @property
    def measured(self) -> frozenset[int]:
        """The turns whose amount of text matters, by their prompts."""
        return frozenset(step.turn for step in self.steps if step.amount and step.turn is not None)

    @property
    def watched(self) -> frozenset[int]:
        """The turns whose progress matters, by their prompts: something is sent in them."""
        return frozenset(step.turn for step in self.steps if step.turn is not None)

    @property
    def peer(self) -> Sender:
        """The side that the player talks to."""
        return "agent" if self.own == "client" else "client"
