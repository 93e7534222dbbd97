"""How much sense a log makes as it was read: decides between readers, and warns of a misread log. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from acp_trace.formats.reading.log import CUT_MESSAGE, Exchanged, Log, Sent
from acp_trace.protocol import message
from acp_trace.protocol.message import Message, MessageKind
from acp_trace.protocol.methods import INITIALIZERS
from acp_trace.protocol.other_protocols import is_of_acp, other_protocol, other_protocol_of
from acp_trace.trace.entries import OTHER_SIDE

#: Fewer than these are not a reason to doubt: pasted text is often only a part.
_FEW_MESSAGES, _FEW = 4, 3
#: What a log lacks by its nature is not missed: the client's responses, or the calls of a side.
_ALL_OF_CLIENT = ("client_calls", "client_responses")
_UNHEARD, _UNASKED = "client_responses", ("agent_calls", "client_calls", "some_client_calls")


@dataclass(slots=True)
class Sense:
    """Counts over the connections of a log, whose messages all have a sender."""

    messages: int = 0  #: frames, and parts of HTTP exchanges
    unused: int = 0  #: items that are in no trace
    cut: int = 0  #: of these, messages that were cut
    requests: int = 0
    unanswered: int = 0  #: requests without a response
    responses: int = 0
    unasked: int = 0  #: responses to no request
    repeated: int = 0  #: requests and responses that their side had sent before, byte for byte
    senders: frozenset[str] = frozenset()
    protocol: str = "ACP"  #: MCP or LSP, if it is that, which is also spoken over pipes

    @property
    def score(self) -> int:
        """What decides between two readings: the messages that make sense with others."""
        return self.messages - self.unanswered - self.unasked - 2 * self.repeated

    @property
    def is_perfect(self) -> bool:
        """Whether no other reading can be better."""
        return not self.unused and self.score == self.messages

    def doubts(self) -> str | None:
        """Why the log was hardly read right, or is a small part: a few words; None if it makes sense."""
        if self.repeated > self.messages // 4:
            return f"{self.repeated} of {self.messages} messages are in it twice"
        if self.cut >= _FEW and self.cut * 2 > self.messages:
            return f"{self.cut} more messages were cut when they were logged or pasted"
        if self.messages >= _FEW_MESSAGES and len(self.senders) == 1:
            return f"all {self.messages} messages are from the {next(iter(self.senders))}"
        if self.unanswered >= _FEW and self.unanswered * 2 > self.requests:
            return f"{self.unanswered} of {self.requests} requests have no response in it"
        if self.unasked >= _FEW and self.unasked * 2 > self.responses:
            return f"{self.unasked} of {self.responses} responses are to no request in it"
        return None


def sense_of(logs: Iterable[Log]) -> Sense:
    """The counts of all connections of a log."""
    total = Sense()
    for log in logs:
        _count(log, total)
        total.protocol = _other_protocol(log) or total.protocol
    return total


def _other_protocol(log: Log) -> str | None:
    """MCP or LSP, if a message says it before any other one can only be of ACP."""
    asked: dict[str | None, Message] = {}
    for item in log.messages:
        if not isinstance(item, Sent):
            continue
        read = message.read(item.data)
        if read.kind is MessageKind.RESPONSE:
            if (request := asked.pop(read.id, None)) is not None:
                return other_protocol(request.part("params"), read.part("result"))
        elif read.kind is not MessageKind.INVALID:
            if is_of_acp(read.method, read.part("params")):
                return None
            if (other := other_protocol_of(read.method, read.part("params"))) is not None:
                return other
            if read.method in INITIALIZERS:
                asked[read.id] = read
    return None


def _count(log: Log, total: Sense) -> None:
    waiting: dict[tuple[str, str], int] = {}
    seen: set[tuple[str, bytes]] = set()
    total.unused += len(log.unused)
    total.cut += sum(one.why == CUT_MESSAGE for one in log.unused)
    if set(_ALL_OF_CLIENT) <= set(log.lacks):
        total.senders |= {"client"}  # one side alone is what such a log has
    for item in log.messages:
        if isinstance(item, Exchanged):
            total.messages += 1
        if not isinstance(item, Sent) or item.sender is None:
            continue
        total.messages += 1
        total.senders |= {item.sender}
        for read in message.batch(item.data) or [message.read(item.data)]:
            key = (read.id or "").strip('"')
            if read.kind is MessageKind.REQUEST:
                total.requests += 1
                is_heard = item.sender == "client" or _UNHEARD not in log.lacks
                waiting[item.sender, key] = waiting.get((item.sender, key), 0) + is_heard
            elif read.kind is MessageKind.RESPONSE:
                total.responses += 1
                asked = (OTHER_SIDE[item.sender], key)
                if asked in waiting:
                    waiting[asked] = max(waiting[asked] - 1, 0)
                elif not set(_UNASKED) & set(log.lacks):
                    total.unasked += 1
            if read.id is not None:
                total.repeated += (item.sender, read.text) in seen
                seen.add((item.sender, read.text))
    total.unanswered += sum(waiting.values())
