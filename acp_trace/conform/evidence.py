"""A trace as far as a requirement asks for it: the facts, and the client's requests with their answers. Pure.

Updates are not kept, nor what the agent asks: the facts have what is needed of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Cancellation, Facts, Finding
from acp_trace.protocol import methods
from acp_trace.protocol.message import FrameText, MessageKind
from acp_trace.replay.faults.agents import AGENTS
from acp_trace.trace.entries import Entry, EntryKind, Header
from acp_trace.trace.jsontext import as_object, value_or_none

#: The label of a trace that `conform` recorded: the name of the probe, or of the behaviour of the agent.
LABEL = "acp_trace_conform"
#: A turn that ends as usual within this time after its cancel, in ns, says nothing about cancels.
RACE_NS = 500_000_000
_ODD = (MessageKind.TEXT, MessageKind.BYTES, MessageKind.INVALID)


@dataclass(slots=True)
class ClientCall:
    """A request of the client. `answer`: the frame of the response; None while open."""

    frame: int
    method: str
    params: dict[str, Any]
    answer: int | None = None
    result: Any = None
    error: dict[str, Any] | None = None

    @property
    def is_result(self) -> bool:
        """Whether it was answered with a result."""
        return self.answer is not None and self.error is None

    @property
    def code(self) -> int | None:
        """The code of the error that answered it."""
        code = None if self.error is None else self.error.get("code")
        return code if isinstance(code, int) else None


@dataclass(slots=True)
class Evidence:
    """One trace. `name`: what reports call it; `probe`: what `conform` tried in it, or empty."""

    name: str
    facts: Facts
    probe: str = ""
    calls: list[ClientCall] = field(default_factory=list)
    notes: dict[int, str] = field(default_factory=dict)  #: notifications but updates: method by frame
    odd: list[tuple[int, str]] = field(default_factory=list)  #: lines that are not messages: frame, sender
    odd_kinds: dict[int, MessageKind] = field(default_factory=dict)  #: what those are, by frame
    unknown_updates: list[int] = field(
        default_factory=list
    )  #: updates of the kind that the scripted agent adds
    aborted: str | None = None  #: why acp-trace ended the agent
    client_hung: bool = False  #: the client was still running when its time was over
    client_signal: int | None = None  #: the signal that ended the client

    def calls_of(self, *names: str) -> Iterator[ClientCall]:
        """The client's requests of these methods."""
        return (call for call in self.calls if call.method in names)

    def results_of(self, *names: str) -> Iterator[ClientCall]:
        """Those of them that were answered with a result."""
        return (call for call in self.calls_of(*names) if call.is_result)

    @property
    def asked_version(self) -> Any:
        """What the client asked for in its last `initialize`; None without one."""
        return next(
            (call.params.get("protocolVersion") for call in reversed(self.calls) if _is_first(call)), None
        )

    @property
    def version(self) -> int:
        """The version of the protocol whose rules apply: as agreed, or else as asked for; 1 if neither."""
        agreed = self.facts.trace.protocol_version
        if agreed in (1, 2):
            return int(agreed)
        return 2 if agreed is None and self.asked_version == 2 else 1

    def announced(self, path: str) -> bool | None:
        """Whether the agent announced the capability, or offered a member; None if that is unknown."""
        word, _, member = path.partition(" ")
        if word == "offers":
            where = ("initialize",) if member == "authMethods" else (*methods.OPENERS,)
            seen = [as_object(call.result).get(member) for call in self.results_of(*where)]
            return any(seen) if seen else None
        result = next((as_object(call.result) for call in self.results_of("initialize")), None)
        if result is None:
            return None
        capability: Any = result.get("agentCapabilities", result.get("capabilities"))
        for key in path.split("."):
            capability = as_object(capability).get(key)
        return capability is not None and capability is not False

    def is_sound(self, call: ClientCall) -> bool:
        """Whether no rule that acp-trace knows is broken by this request."""
        return not any(one.frame == call.frame and one.blame == "client" for one in self.facts.findings)

    @property
    def cancels(self) -> list[Cancellation]:
        """The cancels by session/cancel that found a prompt, without those that came as its turn was over."""
        found = self.facts.cancellations
        return [
            one
            for one in found
            if one.kind == methods.CANCEL and one.target_frame is not None and not _is_raced(one)
        ]

    def method_at(self, frame: int) -> str:
        """The method of a frame, or of the request that it answers."""
        for exchange in self.facts.exchanges:
            if frame in (exchange.frame, exchange.response_frame):
                return exchange.method
        return self.notes.get(frame, methods.UPDATE)

    def findings_of(self, side: str) -> Iterator[Finding]:
        """What one side broke by itself: nothing that follows from something else."""
        excused = AGENTS[self.probe].excused if side == "client" and self.probe in AGENTS else ()
        found = (one for one in self.facts.findings if one.blame == side and one.consequence_of is None)
        return (one for one in found if one.code not in excused)


def evidence(name: str, entries: Iterable[Entry]) -> Evidence:
    """Return the evidence in a trace's entries. Never raises, even if they are malformed."""
    analyzer = Analyzer()
    made = Evidence(name, Facts(analyzer.trace()))
    by_frame: dict[int, ClientCall] = {}
    for entry in entries:
        if entry.kind is EntryKind.HEADER:
            made.probe = Header.of(value_or_none(entry.data)).labels.get(LABEL, "")
        if entry.kind is EntryKind.END:
            aborted = as_object(as_object(value_or_none(entry.data))).get("aborted")
            made.aborted = aborted if isinstance(aborted, str) else None
        frame = analyzer.feed(entry)
        if frame is None:
            continue
        if frame.kind is MessageKind.REQUEST and frame.sender == "client" and frame.method is not None:
            call = ClientCall(frame.frame, frame.method, FrameText(frame.data).part("params"))
            by_frame[frame.frame] = call
            made.calls.append(call)
        elif frame.kind is MessageKind.RESPONSE and frame.answers in by_frame:
            answered, value = by_frame[frame.answers], FrameText(frame.data).value
            answered.answer = frame.frame
            answered.result = value.get("result")
            answered.error = as_object(value.get("error")) if value.get("error") is not None else None
        elif frame.kind is MessageKind.NOTIFICATION and frame.method is not None:
            if frame.method != methods.UPDATE:
                made.notes[frame.frame] = frame.method
            elif frame.update == UNKNOWN_UPDATE:
                made.unknown_updates.append(frame.frame)
        elif frame.kind in _ODD:
            made.odd.append((frame.frame, frame.sender))
            made.odd_kinds[frame.frame] = frame.kind
    made.facts = analyzer.facts()
    return made


#: The kind of update that no version of the protocol has, and that the scripted agent sends.
UNKNOWN_UPDATE = "_acp_trace_unknown"


def _is_raced(cancel: Cancellation) -> bool:
    """Whether the turn ended as usual so soon after the cancel that it may have been over already."""
    return cancel.outcome == "completed" and cancel.settle_ns is not None and cancel.settle_ns < RACE_NS


def _is_first(call: ClientCall) -> bool:
    return call.method in methods.INITIALIZERS
