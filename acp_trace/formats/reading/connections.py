"""A log of several connections, one after the other or at the same time → a log for each. Pure.

The logs do not say where a connection ends: a new one begins with `initialize`. A client that repeats
`initialize` on the same connection (with another version of the protocol) counts its ids on: that is not a
new connection.

From then on, a response belongs to the only connection that waits for it (if several do, for one of its
shape), a client's request to the only one whose ids it continues, and whatever that leaves open to the last
one on which its session was opened or named by the client. Everything else belongs to the newest connection.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from acp_trace.formats.reading.log import Exchanged, Log, Said, Sent
from acp_trace.protocol import message
from acp_trace.protocol.message import Message, MessageKind
from acp_trace.protocol.methods import BY_NAME, INITIALIZERS, OPENERS
from acp_trace.protocol.payloads import ResultView
from acp_trace.protocol.results import fit


def split(log: Log) -> list[Log]:
    """The connections of a log, in the order in which they began; none if it has no messages.

    Their times begin at 0. What is unused stays with the first one.
    """
    connections: list[_Connection] = []
    current: _Connection | None = None
    for item in log.messages:
        if not isinstance(item, Sent):
            if current is None:
                current = _Connection()
                connections.append(current)
        else:
            read = message.read(item.data)
            by_client = item.sender == "client" or (item.sender is None and _is_of_client(read))
            if current is None or (by_client and _begins(read, current)):
                if current is None or any(isinstance(one, Sent) for one in current.messages):
                    connections.append(_Connection())
                current = connections[-1]
            current = _home(connections, read, by_client=by_client)
            current.take(read, by_client=by_client)
        current.messages.append(item)
    logs = [connection.messages for connection in connections if connection.messages]
    return [_log(log, messages, is_first=not number) for number, messages in enumerate(logs)]


def continues(log: Log, before: Log) -> bool:
    """Whether a log goes on where another ends: without a beginning, but with its sessions or ids."""
    whole = _Connection()
    for item in before.messages:
        if isinstance(item, Sent):
            whole.take(message.read(item.data), by_client=item.sender == "client")
    read = [(item.sender, message.read(item.data)) for item in log.messages if isinstance(item, Sent)]
    if any(one.method in INITIALIZERS for _, one in read):
        return False
    return any(
        one.session_id in whole.sessions
        or (one.kind is MessageKind.RESPONSE and one.id in whole.waiting)
        or (one.kind is MessageKind.REQUEST and sender == "client" and whole.continues(one.id))
        for sender, one in read
    )


@dataclass(slots=True, eq=False)
class _Connection:
    messages: list[Sent | Said | Exchanged] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    waiting: dict[str, str] = field(default_factory=dict)  #: methods of requests without a response, by id
    last_id: int | None = None  #: of the client's last request, if that is a number

    def take(self, read: Message, *, by_client: bool) -> None:
        """Note what a message shows about its connection."""
        if read.kind is MessageKind.RESPONSE and read.id is not None:
            self.waiting.pop(read.id, None)
            if b'"sessionId"' in read.text and (session := ResultView(read.part("result")).session_id):
                self.sessions.add(session)
        elif read.kind is MessageKind.REQUEST and read.id is not None:
            self.waiting[read.id] = read.method or ""
            if by_client:
                self.last_id = _number(read.id)
        if read.session_id and by_client:
            self.sessions.add(read.session_id)

    def continues(self, id_: str | None) -> bool:
        """Whether the client's next request has this id."""
        return self.last_id is not None and id_ == str(self.last_id + 1)


def _home(connections: list[_Connection], read: Message, *, by_client: bool) -> _Connection:
    """The connection that a message belongs to."""
    newest = connections[-1]
    if len(connections) == 1 or read.method in INITIALIZERS:
        return newest
    fitting: list[_Connection] = []
    if read.kind is MessageKind.RESPONSE:
        fitting = _waiting(connections, read)
    elif read.kind is MessageKind.REQUEST and by_client:
        fitting = [one for one in connections if one.continues(read.id)]
    if len(fitting) != 1 and read.session_id and read.method not in OPENERS:
        fitting = [one for one in connections if read.session_id in one.sessions][-1:]
    return fitting[0] if len(fitting) == 1 else newest


def _waiting(connections: list[_Connection], response: Message) -> list[_Connection]:
    """The connections with a request that this response may answer: of several, those that it fits best."""
    id_ = response.id or ""
    waiting = [one for one in connections if id_ in one.waiting]
    if len(waiting) < 2 or response.is_error:
        return waiting
    members = response.part("result").keys()
    fits = [fit(one.waiting[id_], members) for one in waiting]
    return [one for one, how in zip(waiting, fits, strict=True) if how is max(fits)]


def _begins(read: Message, current: _Connection) -> bool:
    return read.kind is MessageKind.REQUEST and read.method in INITIALIZERS and not current.continues(read.id)


def _is_of_client(read: Message) -> bool:
    row = BY_NAME.get(read.method or "")
    return read.method in INITIALIZERS or (row is not None and row.handler == "agent")


def _number(id_: str) -> int | None:
    return int(id_) if id_.isascii() and id_.isdecimal() and len(id_) < 19 else None


def _log(log: Log, messages: list[Sent | Said | Exchanged], *, is_first: bool) -> Log:
    first = messages[0].t
    started = log.started_ns
    if first and not is_first:
        messages = [item._replace(t=max((item.t or 0) - first, 0)) for item in messages]
        started = None if started is None else started + first
    return replace(log, messages=messages, unused=log.unused if is_first else [], started_ns=started)
