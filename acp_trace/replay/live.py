"""What has come from the live side so far: its messages by kind, its turns, its tool calls.

Takes in messages, answers questions. What follows from them for the next step stands in `conditions`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Kind, Message
from acp_trace.replay.naming import Names
from acp_trace.replay.plan import HowOften, Late
from acp_trace.replay.recording import Said, Turn
from acp_trace.replay.sights import Sights


@dataclass(slots=True)
class Going:
    """A turn that goes on in the live run."""

    turn: Turn
    sights: Sights = field(default_factory=Sights)


class Live:
    """The live side. Sessions are named as the recording names them, turns by their recorded prompts."""

    def __init__(self) -> None:
        self.count = 0  #: lines that came
        self.heard: set[int] = set()  #: recorded frames of the live side that came
        self.settled: set[int] = set()  #: own requests that are answered, prompts whose turns are over
        self.answered: set[int] = set()  #: own requests that are answered
        self.sent: set[int] = set()  #: own requests that were sent
        self.names = Names()
        self._going: dict[str, dict[int, Going]] = defaultdict(dict)
        self._turns: dict[int, Going] = {}
        self._loading: dict[int, str | None] = {}  #: sessions by the open requests that replay their past
        self._since: Counter[Late] = Counter()  #: updates since the last barrier
        self._ever: Counter[Late] = Counter()

    def prompt(self, turn: Turn) -> None:
        """An own prompt was sent. Turns that never settled when they were recorded are given up."""
        here = self._going[turn.session]
        for frame in [one for one, going in here.items() if going.turn.settled is None]:
            del here[frame], self._turns[frame]
        here[turn.frame] = self._turns[turn.frame] = Going(turn)

    def asked(self, said: Said) -> None:
        """An own request was sent. While one makes the agent tell the past, no turn settles by that."""
        self.sent.add(said.frame)
        if said.method in methods.OPENERS and methods.replays_history(said.method, said.part("params")):
            self._loading[said.frame] = said.session

    def barrier(self) -> None:
        """There was a request or a response of either side, or own side said something else."""
        self._since.clear()

    def answer(self, frame: int, *, stopped: bool) -> None:
        """An own request was answered; `stopped`: with an error or a stop reason, which end any turn."""
        self.barrier()
        self.answered.add(frame)
        self._loading.pop(frame, None)
        going = self._turns.get(frame)
        if going is None or stopped or not going.turn.by_update:
            self._settle(frame)

    def skip(self, frame: int) -> None:
        """An own request will never be sent."""
        self.settled.add(frame)

    def tell(self, message: Message, session: str | None) -> None:
        """Takes in a request or notification of the live side."""
        going = self.turn_of(session)
        if going is not None:
            going.sights.take(message)
        if message.kind is Kind.REQUEST:
            self.barrier()
        if message.kind is not Kind.NOTIFICATION or message.update is None:
            return
        late = session, message.update
        self._since[late] += 1
        self._ever[late] += 1
        if message.update in Names.UPDATES:
            self.names.take(message.part("params"), session, going.turn.frame if going else None)
        elif message.update == updates.STATE and going is not None and going.turn.by_update:
            update = message.part("params").get("update")
            idle = isinstance(update, dict) and update.get("state") == "idle"
            if idle and session not in self._loading.values():
                for frame in list(self._going[going.turn.session]):
                    self._settle(frame)

    def turn_of(self, session: str | None) -> Going | None:
        """The turn of a session that has been going on longest."""
        return next(iter(self._going.get(session or "", {}).values()), None)

    def going(self, frame: int) -> Going | None:
        """A turn, while it goes on."""
        return self._turns.get(frame)

    def lately(self, wanted: Mapping[Late, HowOften]) -> list[Late]:
        """Which of these updates have not come so often: neither since the last barrier nor in all."""
        return [
            late
            for late, often in wanted.items()
            if self._since[late] < often.lately and (often.ever is None or self._ever[late] < often.ever)
        ]

    def _settle(self, frame: int) -> None:
        self.settled.add(frame)
        going = self._turns.pop(frame, None)
        if going is not None:
            session = going.turn.session
            del self._going[session][frame]
            for kind in updates.OF_TURN:
                del self._since[session, kind]
