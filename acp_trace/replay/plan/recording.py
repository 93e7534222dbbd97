"""A trace as the player reads it: every message with its time, its exchange, its session and its turn.

Built from entries by the analyser, whose facts tell which response answers what and when a turn settled. The
rules about when something is sent are in `builder`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods
from acp_trace.protocol.history import HistoryRequests
from acp_trace.protocol.message import FrameText, MessageKind
from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.trace.entries import End, Entry, EntryKind, Header, Sender
from acp_trace.trace.jsontext import value_or_none

#: Methods with which a client cancels a request.
CANCELS = (methods.CANCEL, methods.CANCEL_REQUEST)
_OF_MODEL = (EntryKind.HEADER, EntryKind.GAP, EntryKind.MODEL)
_MOST_OPEN = 50  #: own requests during which one request may have come: more would only be slow


class RecordedMessage(FrameText, gc=False, kw_only=True):
    """One frame of the recording.

    `session`: the session that it names; for a request that opens a session, and for its response, that
    session; for a `$/cancel_request`, the session of the cancelled request.
    """

    frame: int
    t_ns: int
    sender: Sender
    kind: MessageKind
    method: str | None  #: of a response, the method of the request
    id: str | None
    session: str | None
    update: str | None
    answers: int | None  #: of a response, the frame of the request
    partial: bool = False  #: a line without its end


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A prompt, until its turn settles. `by_update`: an idle `state_update` settles it (draft 2)."""

    frame: int
    session: str
    settled: int | None
    by_update: bool


@dataclass(slots=True)
class Recording:
    """One trace. `complete`: it has an end; `directories`: where its sessions were opened, in order."""

    trace_id: str = ""
    messages: list[RecordedMessage] = field(default_factory=list)
    exchanges: dict[int, facts.Exchange] = field(default_factory=dict)  #: by the frame of the request
    turns: dict[int, RecordedTurn] = field(default_factory=dict)  #: by the frame of the prompt
    cancels: dict[int, int] = field(default_factory=dict)  #: cancel -> the request that it is aimed at
    #: The sessions that requests open without naming them, as a fork does: by the frame of the request.
    opened: dict[int, str] = field(default_factory=dict)
    directories: list[str] = field(default_factory=list)
    agent_cwd: str = ""
    snapshot: str = ""  #: the id of its workspace snapshot, if it has one
    argv: tuple[str, ...] = ()
    complete: bool = False
    duration_ns: int = 0
    exit_code: int | None = None
    signal: int | None = None
    signalled: bool = False  #: a signal asked the agent to end, if its recorder noted that
    size: int = 0  #: bytes of all frames
    #: Entries for a reader of the model's side: empty if the trace has none.
    model: list[Entry] = field(default_factory=list)
    model_calls: int = 0  #: of the agent to its language model
    #: The model calls that were open at a cancel of their turn: number, time of the cancel (ns), and its
    #: position among all cancels.
    cancelled_calls: list[tuple[int, int, int]] = field(default_factory=list)

    def at(self, frame: int) -> RecordedMessage:
        """Return a frame by its number: frames are counted from 1, without holes."""
        return self.messages[frame - 1]

    def cwds(self) -> dict[str, str]:
        """The directory with which each session was first opened, if the request named one."""
        first: dict[str, Any] = {}
        for frame, exchange in self.exchanges.items():
            if exchange.method in methods.OPENERS and exchange.session_id is not None:
                first.setdefault(exchange.session_id, self.at(frame).part("params").get("cwd"))
        return {session: cwd for session, cwd in first.items() if isinstance(cwd, str)}

    def silence(self, sender: Sender) -> int:
        """Return the longest time, in ns, from any message to the next one from this side."""
        times = [0, *(message.t_ns for message in self.messages)]
        return max((message.t_ns - before for before, message in zip(times, self.messages, strict=False)
                    if message.sender == sender), default=0)  # fmt: skip

    @property
    def ended_alone(self) -> bool:
        """Whether the agent ended by itself, with or without an error."""
        return self.complete and self.exit_code is not None and not self.signalled

    @property
    def died(self) -> bool:
        """Whether the agent ended by itself, with an error, and not because its client was done."""
        return bool(self.exit_code) or self.signal in (4, 6, 7, 8, 11)


class RecordingReader:
    """Reads the entries of a recording."""

    def __init__(self) -> None:
        self._analyzer = Analyzer(envelopes=0)
        self._frames: list[Frame] = []
        self._model: list[Entry] = []
        self._header = Header("")
        self._signalled = False

    def feed(self, entry: Entry) -> None:
        """Process the next entry."""
        if entry.kind is EntryKind.HEADER:
            self._header = Header.of(value_or_none(entry.data))
        if entry.kind is EntryKind.END:
            self._signalled = End.of(value_or_none(entry.data)).signalled
        if entry.kind in _OF_MODEL:
            self._model.append(entry)
        frame = self._analyzer.feed(entry)
        if frame is not None:
            self._frames.append(frame)

    def recording(self) -> Recording:
        """Return the recording of these entries. Call it once, at the end."""
        facts_ = self._analyzer.facts()
        exchanges = {exchange.frame: exchange for exchange in facts_.exchanges}
        cancels = {
            cancel.frame: cancel.target_frame
            for cancel in facts_.cancellations
            if cancel.target_frame is not None and cancel.kind != "internal"
        }
        trace = facts_.trace
        recording = Recording(
            trace_id=trace.id,
            messages=[_message(frame, exchanges, cancels) for frame in self._frames],
            exchanges=exchanges,
            cancels=cancels,
            agent_cwd=self._header.cwd,
            snapshot=self._header.snapshot,
            argv=self._header.argv,
            complete=trace.complete,
            duration_ns=trace.duration_ns or 0,
            exit_code=trace.exit_code,
            signal=trace.signal,
            signalled=self._signalled,
            size=trace.bytes_client + trace.bytes_agent,
            model=self._model if any(entry.kind is EntryKind.MODEL for entry in self._model) else [],
            model_calls=len(facts_.model_calls),
        )
        numbers = {cancel: number for number, cancel in enumerate(_sent_cancels(recording.messages), 1)}
        recording.cancelled_calls = [
            (call.call, recording.at(call.cancel_frame).t_ns, numbers[call.cancel_frame])
            for call in facts_.model_calls
            if call.cancel_frame is not None and call.cancel_frame in numbers
        ]
        for turn in facts_.turns:
            answer = exchanges[turn.frame].response_frame if turn.frame in exchanges else None
            by_update = trace.protocol_version == 2 or turn.settled_frame not in (None, answer)
            recording.turns[turn.frame] = RecordedTurn(
                turn.frame, turn.session_id, turn.settled_frame, by_update
            )
        for exchange in facts_.exchanges:
            if methods.OPENERS.get(exchange.method) == "result" and exchange.response_frame:
                session = recording.at(exchange.response_frame).part("result").get("sessionId")
                if isinstance(session, str) and session != exchange.session_id:
                    recording.opened[exchange.frame] = session
        for message in recording.messages:
            cwd = message.part("params").get("cwd") if message.method in methods.OPENERS else None
            is_new = message.kind is MessageKind.REQUEST and cwd not in recording.directories
            if isinstance(cwd, str) and is_new:
                recording.directories.append(cwd)
        return recording


class OpenRequests:
    """Tracks open own requests, in the order of their frames. A turn is named by its prompt."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._open: dict[str | None, dict[int, None]] = defaultdict(dict)
        self._turns: dict[str | None, OpenTurns[int]] = defaultdict(OpenTurns)
        self._anywhere: dict[int, None] = {}
        self._history: dict[str | None, HistoryRequests] = defaultdict(HistoryRequests)

    def begin(self, request: RecordedMessage) -> list[int]:
        """Add an own request; return the turns that it ends: those that never settle."""
        ended: list[int] = []
        frame = request.frame
        if (turn := self._recording.turns.get(frame)) is not None:
            ended = self._turns[request.session].begin(frame, frame, settles=turn.settled is not None)
        if request.method in methods.REOPENERS:
            self._history[request.session].begin(frame, request.method, request.part("params"))
        exchange = self._recording.exchanges[frame]
        if exchange.response_frame is not None:  # an unanswered request shows nothing
            self._open[request.session][frame] = None
            self._anywhere[frame] = None
        return ended

    def end(self, frame: int) -> None:
        """Note that an own request was answered, or that a turn settled."""
        session = self._recording.at(frame).session
        self._turns[session].settle(frame)
        self._history[session].end(frame)
        self._open[session].pop(frame, None)
        self._anywhere.pop(frame, None)

    def turn_of(self, session: str | None, update: str | None = None) -> int | None:
        """Return the turn of a session that something belongs to, by its prompt; None if none is open.

        `update`: the kind of an update; history does not belong to a turn.
        """
        turns = self._turns.get(session)
        turn = None if turns is None else turns.oldest
        history = self._history.get(session)
        if turn is None or update is None or not history or history.of(update, has_turn=True) is None:
            return turn
        return None

    def within(self, session: str | None) -> frozenset[int]:
        """Return the own requests during which a peer's request comes: its session's turns, or requests.

        If there are none, return all open requests.
        """
        for candidates in (self._turns.get(session), self._open.get(session), self._anywhere):
            if candidates:
                return frozenset(islice(candidates, _MOST_OPEN))
        return frozenset()


def read(entries: Iterable[Entry]) -> Recording:
    """Return the recording of these entries."""
    reader = RecordingReader()
    for entry in entries:
        reader.feed(entry)
    return reader.recording()


def _sent_cancels(messages: Iterable[RecordedMessage]) -> Iterator[int]:
    """Yield the frames of all cancels of the client."""
    for message in messages:
        if message.sender == "client" and message.method in CANCELS:
            yield message.frame


def _message(frame: Frame, exchanges: dict[int, facts.Exchange], cancels: dict[int, int]) -> RecordedMessage:
    session = frame.session_id
    exchange = exchanges.get(frame.frame if frame.kind is MessageKind.REQUEST else frame.answers or 0)
    if exchange is not None and (session is None or exchange.method in methods.OPENERS):
        session = exchange.session_id
    elif session is None and frame.frame in cancels:
        session = exchanges[cancels[frame.frame]].session_id
    sender: Sender = "client" if frame.sender == "client" else "agent"
    return RecordedMessage(
        text=frame.data,
        frame=frame.frame,
        t_ns=frame.t_ns or 0,
        sender=sender,
        kind=frame.kind,
        method=frame.method,
        id=frame.id,
        session=session,
        update=frame.update,
        answers=frame.answers,
        partial=frame.partial,
    )
