"""The player's lines and the time go in; what is really sent, and when, comes out. No clock, no I/O.

    injector.receive(line)          for each line of the peer
    injector.send(line, now)        for each line of the player
    for data in injector.due(now):  what is to be written now; again at `wake`
        write(data)

Without faults, each line comes out at once and unchanged. With faults, all other lines come out unchanged, in
order. Output need not be a line: a message may be cut, or come byte by byte. The same lines give the same
bytes: nothing is random here.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.payloads import ResultView
from acp_trace.replay.faults.declaration import MODEL, Part, PlannedFault
from acp_trace.replay.faults.sending import About, Leaving, Sending, TimedBytes, apply, order
from acp_trace.trace.entries import Sender

#: How long a message waits for the one with which it changes places, ns.
HOLD_NS = 1_000_000_000
#: How long an update waits for the answer that is to precede it, ns: usually both are there at once.
KEEP_NS = 50_000_000
_PARTS: dict[MessageKind, Part] = {
    MessageKind.REQUEST: "request",
    MessageKind.NOTIFICATION: "notification",
    MessageKind.RESPONSE: "response",
}
_CHUNK = "agent_message_chunk"


@dataclass(slots=True)
class FaultHit:
    """A fault that was reached: with the first message that carries it, if there are several.

    `own`, `heard`: the number of lines that the player had written and received before. `carries`: the fault
    is in the player's next line. `request`: the number of the peer's line that the message answers.
    """

    fault: PlannedFault
    own: int
    heard: int
    carries: bool
    request: int | None = None
    count: int = 1


@dataclass(slots=True)
class _Asked:
    """A request of the peer. `number`: of its line, from 1."""

    method: str
    session: str | None
    number: int
    is_cancelled: bool = False


@dataclass(slots=True)
class _Out:
    """A piece in the queue. `of`: the message with faults that begins with it."""

    piece: TimedBytes
    of: Sending | None = None


class Injector:
    """Puts faults into what one side sends. `own`: that side."""

    def __init__(self, faults: Iterable[PlannedFault], own: Sender) -> None:
        self.hits: dict[PlannedFault, FaultHit] = {}  #: the faults that were reached
        self.lost: list[str | None] = []  #: own requests that cannot be answered; None: all open ones
        self.ended: Leaving | None = None
        self._faults = [fault for fault in faults if fault.method != MODEL]
        self._own: Sender = own
        self._peer: Sender = "agent" if own == "client" else "client"
        self._counts: Counter[tuple[Part, str]] = Counter()  #: of messages, by part and name
        self._asked: dict[str, _Asked] = {}  #: requests of the peer, by their ids
        self._asks: dict[str, str] = {}  #: own requests: id -> method
        self._chunks: dict[str | None, bytes] = {}
        self._version = 1
        self._queue: deque[_Out] = deque()
        self._free_at = 0  #: when the last piece was sent, or was due
        self._is_torn = False  #: the last line has no end yet
        self._held: Sending | None = None  #: changes places with the next message
        self._kept: Sending | None = None  #: an update, which may have to wait for an answer
        self._since = 0  #: since when one of these waits
        self._written = 0  #: lines
        self._heard = 0

    # -- what comes

    def receive(self, line: bytes) -> None:
        """Process a line of the peer."""
        self._heard += 1
        message = read(line)
        if message.kind is MessageKind.REQUEST:
            asked = _Asked(message.method or "", message.session_id, self._heard)
            self._asked[message.id or "null"] = asked
        elif message.method == methods.CANCEL:
            for asked in self._asked.values():
                asked.is_cancelled |= asked.method == methods.PROMPT and asked.session == message.session_id
        elif message.kind is MessageKind.RESPONSE:
            self._learn_version(self._asks.pop(message.id or "null", ""), message)

    def send(self, line: bytes, now: int) -> None:
        """Process a line of the player, with its newline."""
        if self.ended is not None:
            return
        message = read(line)
        sending = Sending(self._about(message), [TimedBytes(line)])
        about = sending.about
        for fault in sorted(self._aimed(about, message.update), key=order):
            apply(fault, sending)
        if about.part == "request":
            self._asks[about.id] = about.method
        if message.update == _CHUNK:
            self._chunks[about.session] = line
        self._pass(sending, now)

    def _about(self, message: Message) -> About:
        """Return what a message of the player is; an answer to no known request has no method."""
        part = _PARTS.get(message.kind, "notification")
        if part != "response":
            if message.method == methods.INITIALIZE:
                self._version = _version(message.part("params").get("protocolVersion"))
            id_ = message.id or "null"
            return About(part, message.method or "", self._own, self._version, id_, message.session_id)
        asked = self._asked.pop(message.id or "null", None) or _Asked("", None, 0)
        self._learn_version(asked.method, message)
        session = asked.session or ResultView(message.part("result")).session_id
        about = About(part, asked.method, self._peer, self._version, session=session)
        about.asked_at, about.is_cancelled = asked.number or None, asked.is_cancelled
        about.chunk = self._chunks.get(session)
        return about

    def _aimed(self, about: About, update: str | None) -> list[PlannedFault]:
        """Return the faults that are aimed at a message, and count the message."""
        names = {name for name in (about.method, update) if name}
        for name in names:
            self._counts[about.part, name] += 1
        return [
            fault
            for fault in self._faults
            if fault.method in names
            and about.part in fault.kind.parts
            and fault.is_due(self._counts[about.part, fault.method])
        ]

    def _learn_version(self, method: str, answer: Message) -> None:
        if method == methods.INITIALIZE and not answer.is_error:
            self._version = _version(answer.part("result").get("protocolVersion"))

    # -- in which order

    def _pass(self, sending: Sending, now: int) -> None:
        """Put a message into the queue, or hold it until it may go there."""
        kept, held = self._kept, self._held
        self._kept = self._held = None
        if kept is not None and sending.swaps and sending.about.part == "response":
            sending.after += kept.pieces
            self._put(sending, now)
            return
        self._put(kept, now)
        if held is None and sending.swaps:
            self._held, self._since = sending, now
        elif held is None and self._may_wait(sending):
            self._kept, self._since = sending, now
        else:
            self._put(sending, now)
            self._put(held, now)

    def _may_wait(self, sending: Sending) -> bool:
        """Whether this is an update of a turn whose answer is to precede it."""
        about = sending.about
        if about.method != methods.UPDATE or sending.hits:
            return False
        return any(
            asked.method == fault.method
            and asked.session == about.session
            and fault.is_due(self._counts["response", fault.method] + 1)
            for fault in self._faults
            if fault.kind.name == "reorder"
            for asked in self._asked.values()
        )

    def _put(self, sending: Sending | None, now: int) -> None:
        """Put what is sent for a message into the queue."""
        if sending is None or self.ended is not None:
            return
        pieces = [*sending.before, *sending.pieces]
        if sending.after and pieces:  # in one write: else the peer may already have reacted to the message
            more = b"".join(piece.data for piece in sending.after)
            pieces[-1] = TimedBytes(pieces[-1].data + more, pieces[-1].pause_ns)
        if sending.hits and not pieces:
            pieces = [TimedBytes(b"")]
        if pieces:
            pieces[0] = TimedBytes(pieces[0].data, pieces[0].pause_ns + sending.pause_ns)
        if sending.is_lost or self._is_torn:
            self._lose(sending.about)
        if sending.pieces:
            self._is_torn = not pieces[-1].data.endswith(b"\n")
        if not self._queue:
            self._free_at = max(self._free_at, now)
        self._queue.extend(_Out(piece, None if at else sending) for at, piece in enumerate(pieces))
        self.ended = sending.ends

    def _lose(self, about: About) -> None:
        """Note whose answer will not come: a lost request's; any, for an agent that waits in vain."""
        if about.part == "request":
            self.lost.append(about.id)
        elif self._own == "client" and (about.part == "response" or about.method == methods.CANCEL):
            self.lost.append(None)

    # -- what goes out

    def due(self, now: int) -> Iterator[bytes]:
        """Yield what to write now, in order; no item is empty."""
        if (until := self._waits_until) is not None and now >= until:
            waiting = self._kept or self._held
            self._kept = self._held = None
            self._put(waiting, now)
        while self._queue and self._free_at + self._queue[0].piece.pause_ns <= now:
            out = self._queue.popleft()
            self._free_at += out.piece.pause_ns
            if out.of is not None:
                self._note(out.of)
            self._written += out.piece.data.count(b"\n")
            if out.piece.data:
                yield out.piece.data

    def _note(self, sending: Sending) -> None:
        """Note the faults of a message that is sent now."""
        carries, at = bool(sending.pieces), sending.about.asked_at
        for fault in sending.hits:
            if fault in self.hits:
                self.hits[fault].count += 1
            else:
                self.hits[fault] = FaultHit(fault, self._written, self._heard, carries, at)

    @property
    def _waits_until(self) -> int | None:
        if self._kept is not None:
            return self._since + KEEP_NS
        return None if self._held is None else self._since + HOLD_NS

    @property
    def wake(self) -> int | None:
        """Return when something is due, in ns; None if nothing is waiting."""
        times = [] if self._waits_until is None else [self._waits_until]
        times += [self._free_at + self._queue[0].piece.pause_ns] if self._queue else []
        return min(times, default=None)


def _version(value: object) -> int:
    """Return the protocol version that a message gives."""
    return 2 if value == 2 else 1
