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

#: A row of steps that wait for each other. The client's are all one; an agent has one for each session
#: and one, None, for the connection: between its sessions there is no order.
Track = str | None
#: Session and kind of an update that belongs to no turn, or comes after one.
Late = tuple[str | None, str]


#: What makes no sense once its turn, or what it is aimed at, is over (docs/replay.md, What is sent when).
CANCELS = frozenset({methods.CANCEL, *methods.CANCEL_REQUESTS, "tool_call/cancel", "terminal/cancel"})


class HowOften(NamedTuple):
    """How often an update had come: since the last request or response, and ever, where that is known."""

    lately: int
    ever: int | None


class Amount(NamedTuple):
    """So many characters of thoughts, or of messages. `kind`: which of both."""

    kind: str
    characters: int


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the own side, or (`message` is None) its end.

    Frames are those of the recording. All conditions must hold; `late` is waited for as long as patience
    lasts, because it makes no request necessary.
    """

    number: int
    message: RecordedMessage | None
    track: Track
    answers: int | None = None  #: the peer's request that it answers: it is sent when that has come
    within: frozenset[int] = frozenset()  #: own requests, in whose course that request came
    again: bool = False  #: it answers a poll, and repeats the answer before
    responses: tuple[int, ...] = ()  #: own requests whose responses had come since the step before
    over: tuple[int, ...] = ()  #: prompts whose turns a `state_update` had settled, likewise
    received: tuple[int, ...] = ()  #: the client's requests and notifications, likewise, in this track
    received_count: int = 0  #: so many of the client's messages of this track, answers too, must have come
    turn: int | None = None  #: the turn in whose middle it is sent, by its prompt
    target: int | None = None  #: of a cancel, the request that it is aimed at
    progress: Mapping[str, int] = field(default_factory=dict)  #: what had been seen of that turn
    amount: Amount | None = None  #: how much text that turn had said last, if that was what it did last
    late: Mapping[Late, HowOften] = field(default_factory=dict)  #: updates just before it
    late_ns: int = 0  #: how long they had taken, in the recording; of an answer, how long that had
    quiet_ns: int = 0  #: how long nothing is sent after a turn, so that what comes too late is seen as such
    pause_ns: int = 0  #: from when all this held until it was sent

    @property
    def frame(self) -> int | None:
        """Its frame in the recording; None for the end."""
        return None if self.message is None else self.message.frame


class Stall(NamedTuple):
    """Time in which nothing was sent. `step`: what stood in the way; `blocks`: the peer waited meanwhile.

    `absent`: the client's messages that it waited for, when the agent is played.
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
    openings: frozenset[tuple[str, str]] = frozenset()  #: chunks with which several turns begin

    @property
    def measured(self) -> frozenset[int]:
        """The turns of which it matters how much they say, by their prompts."""
        return frozenset(step.turn for step in self.steps if step.amount and step.turn is not None)

    @property
    def watched(self) -> frozenset[int]:
        """The turns of which it matters what is seen, by their prompts: something is sent in them."""
        return frozenset(step.turn for step in self.steps if step.turn is not None)

    @property
    def peer(self) -> Sender:
        """The side that the player talks to."""
        return "agent" if self.own == "client" else "client"
