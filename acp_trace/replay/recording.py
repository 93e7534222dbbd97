"""A trace as the player reads it: every message with its time, its exchange, its session and its turn.

Built from entries by the analyser, whose facts say which response answers what and when a turn settled.
No rule about when something is sent stands here (`plan`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.analyzer import Analyzer, Frame
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.trace.entries import Entry, EntryKind, Header, Sender
from acp_trace.trace.jsontext import value_or_none


class RecordedMessage(msgspec.Struct, gc=False):
    """One frame of the recording.

    `session`: the session that it names; of a request that opens one, and of its response, that one; of a
    `$/cancel_request`, that of the request which it takes back.
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
    text: bytes
    partial: bool = False  #: a line without its end

    @property
    def value(self) -> dict[str, Any]:
        """The message, decoded anew each time; empty where it is no object."""
        found = value_or_none(self.text)
        return found if isinstance(found, dict) else {}

    def part(self, key: str) -> dict[str, Any]:
        """The object under `params`, `result` or `error`; empty where there is none."""
        found = self.value.get(key)
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A prompt, until its turn settles. `by_update`: an idle `state_update` settles it (draft 2)."""

    frame: int
    session: str
    settled: int | None
    by_update: bool


@dataclass(slots=True)
class Recording:
    """One trace. `complete`: whether it has an end; `folders`: where its sessions were opened, in order."""

    trace_id: str = ""
    said: list[RecordedMessage] = field(default_factory=list)
    exchanges: dict[int, facts.Exchange] = field(default_factory=dict)  #: by the frame of the request
    turns: dict[int, RecordedTurn] = field(default_factory=dict)  #: by the frame of the prompt
    cancels: dict[int, int] = field(default_factory=dict)  #: cancel -> the request that it is aimed at
    folders: list[str] = field(default_factory=list)
    agent_cwd: str = ""
    argv: tuple[str, ...] = ()
    complete: bool = False
    duration_ns: int = 0
    exit_code: int | None = None
    signal: int | None = None
    size: int = 0  #: bytes of all frames

    def at(self, frame: int) -> RecordedMessage:
        """A frame by its number: frames are counted from 1, without holes."""
        return self.said[frame - 1]

    def silence(self, sender: Sender) -> int:
        """The longest time (ns) after which, the other side having spoken last or not, this one spoke."""
        times = [0, *(said.t_ns for said in self.said)]
        return max((said.t_ns - before for before, said in zip(times, self.said, strict=False)
                    if said.sender == sender), default=0)  # fmt: skip

    @property
    def died(self) -> bool:
        """Whether the agent ended by itself, with an error, and not because its client was done."""
        return bool(self.exit_code) or self.signal in (4, 6, 7, 8, 11)


class RecordingReader:
    """Takes in the entries of a recording."""

    def __init__(self) -> None:
        self._analyzer = Analyzer()
        self._frames: list[Frame] = []
        self._header = Header("")

    def feed(self, entry: Entry) -> None:
        """Takes in the next entry."""
        if entry.kind is EntryKind.HEADER:
            self._header = Header.of(value_or_none(entry.data) or {})
        frame = self._analyzer.feed(entry)
        if frame is not None:
            self._frames.append(frame)

    def recording(self) -> Recording:
        """What has been read."""
        found = self._analyzer.facts()
        exchanges = {one.frame: one for one in found.exchanges}
        cancels = {
            one.frame: one.target_frame
            for one in found.cancellations
            if one.target_frame is not None and one.kind != "internal"
        }
        trace = found.trace
        made = Recording(
            trace_id=trace.id,
            said=[_said(frame, exchanges, cancels) for frame in self._frames],
            exchanges=exchanges,
            cancels=cancels,
            agent_cwd=self._header.cwd,
            argv=self._header.argv,
            complete=trace.complete,
            duration_ns=trace.duration_ns,
            exit_code=trace.exit_code,
            signal=trace.signal,
            size=trace.bytes_client + trace.bytes_agent,
        )
        for turn in found.turns:
            answer = exchanges[turn.frame].response_frame if turn.frame in exchanges else None
            by_update = trace.protocol_version == 2 or turn.settled_frame not in (None, answer)
            made.turns[turn.frame] = RecordedTurn(turn.frame, turn.session_id, turn.settled_frame, by_update)
        for said in made.said:
            folder = said.part("params").get("cwd") if said.method in methods.OPENERS else None
            if isinstance(folder, str) and said.kind is MessageKind.REQUEST and folder not in made.folders:
                made.folders.append(folder)
        return made


def read(entries: Iterable[Entry]) -> Recording:
    """The recording of these entries."""
    reader = RecordingReader()
    for entry in entries:
        reader.feed(entry)
    return reader.recording()


def _said(frame: Frame, exchanges: dict[int, facts.Exchange], cancels: dict[int, int]) -> RecordedMessage:
    session = frame.session_id
    asked = exchanges.get(frame.frame if frame.kind is MessageKind.REQUEST else frame.answers or 0)
    if asked is not None and (session is None or asked.method in methods.OPENERS):
        session = asked.session_id
    elif session is None and frame.frame in cancels:
        session = exchanges[cancels[frame.frame]].session_id
    sender: Sender = "client" if frame.sender == "client" else "agent"
    return RecordedMessage(
        frame.frame,
        frame.t_ns,
        sender,
        frame.kind,
        frame.method,
        frame.id,
        session,
        frame.update,
        frame.answers,
        frame.data,
        frame.partial,
    )
