"""Who sent a message, if a log does not say it: from methods, ids and the shape of results. Pure.

What lives here: the rules, in the order of their weight.

1. A method of ACP, MCP or LSP says who may send it. For any other method, ids decide: a side uses an id once,
   and counts up. If messages with an id show who sends a method, this also holds for messages without one.
2. A response goes to the side whose request with its id is open.
3. If each side has such a request open (both count from 0), the shape of the result decides, for this
   response or for the other one. If it tells neither, the later request is taken to be answered first:
   a side that is asked something while it works on a request mostly needs the answer for that.
4. A response to nothing that is in the log, or that does not fit what is: its shape alone.
5. If all senders found so far are on one side, notifications with an unknown method are from that side, too.

What none of them decides stays unknown, and is counted as unused: lines that are not JSON, above all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from acp_trace.formats.reading.log import Exchanged, Log, Said, Sent, Unused
from acp_trace.protocol import message
from acp_trace.protocol.message import Message, MessageKind, cancelled_id
from acp_trace.protocol.methods import BY_NAME, CANCEL_REQUESTS, INITIALIZERS
from acp_trace.protocol.other_protocols import sender_of
from acp_trace.protocol.results import ResultFit, fit, handler_of
from acp_trace.trace.entries import OTHER_SIDE, Sender

UNKNOWN = "nothing says who sent it"


def infer(log: Log) -> Log:
    """The same log with a sender for each message, and `inferred` counting those that it lacked.

    A message whose sender nothing tells is left out and counted in `unused`.
    """
    if all(not isinstance(item, Sent) or item.sender for item in log.messages):
        return log
    sent = [item for item in log.messages if isinstance(item, Sent)]
    read = [message.batch(item.data) or [message.read(item.data)] for item in sent]
    known = [item.sender for item in sent]
    learned: dict[str, Sender] = {}
    while True:
        walk = _Walk(read, known, learned)
        more = walk.learned()
        if more.keys() <= learned.keys():
            break
        learned |= more
    senders = iter(_one_sided(walk.senders, read))
    messages: list[Sent | Said | Exchanged] = []
    unused = list(log.unused)
    inferred = log.inferred
    for number, item in enumerate(log.messages, 1):
        if not isinstance(item, Sent):
            messages.append(item)
            continue
        sender = next(senders)
        if sender is None:
            unused.append(Unused(f"message {number}", UNKNOWN))
            continue
        inferred += item.sender is None
        messages.append(item._replace(sender=sender))
    return replace(log, messages=messages, unused=unused, inferred=inferred)


def _one_sided(senders: list[Sender | None], read: list[list[Message]]) -> list[Sender | None]:
    """The same, but in a log of one side alone a notification of an unknown method is that side's, too."""
    sides = set(senders) - {None}
    if len(sides) != 1:
        return senders
    return [
        next(iter(sides)) if sender is None and batch[0].kind is MessageKind.NOTIFICATION else sender
        for sender, batch in zip(senders, read, strict=True)
    ]


def callers(messages: Iterable[bytes]) -> Counter[str]:
    """How many calls there are of methods that only one of the sides sends, by that side."""
    methods = (message.read(data).method for data in messages)
    handlers = (BY_NAME[method].handler for method in methods if method in BY_NAME)
    return Counter(OTHER_SIDE[handler] for handler in handlers if handler != "both")


class _Request(NamedTuple):
    """A request that no response has answered yet."""

    sender: Sender | None
    method: str


class _Walk:
    """One way through the messages, first to last. `senders` holds one for each of them, or None."""

    def __init__(
        self, messages: list[list[Message]], known: list[Sender | None], learned: dict[str, Sender]
    ) -> None:
        self.senders = list(known)
        self._learned = learned
        self._senders: dict[str, set[Sender]] = {}
        self._open: dict[str, list[_Request]] = {}
        self._answered: dict[str, set[Sender]] = {}
        self._ids: dict[Sender, _Ids] = {"client": _Ids(), "agent": _Ids()}
        self._undecided: dict[str, int] = {}
        for at, batch in enumerate(messages):
            for one in batch:
                if one.kind is MessageKind.RESPONSE:
                    self._response(at, one)
                elif one.kind in (MessageKind.REQUEST, MessageKind.NOTIFICATION):
                    self._call(at, one)
        for id_ in list(self._undecided):
            self._decide(id_)

    def learned(self) -> dict[str, Sender]:
        """Who sends the methods that ACP does not have, if all messages with an id agree."""
        return {method: next(iter(senders)) for method, senders in self._senders.items() if len(senders) == 1}

    def _call(self, at: int, call: Message) -> None:
        method = call.method or ""
        recorded = self.senders[at]
        by_id = None if recorded else self._by_id(call)
        if self.senders[at] is None:
            self.senders[at] = self._by_method(method) or self._learned.get(method) or by_id
        sender = self.senders[at]
        if method not in BY_NAME and (side := recorded or by_id):
            self._senders.setdefault(method, set()).add(side)
        if call.kind is not MessageKind.REQUEST or call.id is None:
            return
        if call.id in self._undecided:
            self._decide(call.id)
        if method in INITIALIZERS and sender == "client":
            self._open.clear()  # another connection
        if sender:
            self._ids[sender].add(call.id)
        still = (one for one in self._open.get(call.id, ()) if one.sender != sender)
        self._open[call.id] = [*still, _Request(sender, method)]

    def _by_method(self, method: str) -> Sender | None:
        if method not in BY_NAME:
            return sender_of(method)
        handler = BY_NAME[method].handler
        return None if handler == "both" else OTHER_SIDE[handler]

    def _by_id(self, call: Message) -> Sender | None:
        """Who sends what a method does not decide: the side that can have this id, if the other cannot."""
        if call.method in CANCEL_REQUESTS:
            return self._asker(cancelled_id(call))
        if call.id is None:
            return None
        senders: list[Sender] = [side for side in self._ids if self._may_ask(side, call.id)]
        return senders[0] if len(senders) == 1 else None

    def _may_ask(self, side: Sender, id_: str) -> bool:
        if any(one.sender == side for one in self._open.get(id_, ())):
            return False
        return self._ids[side].may_be_next(id_, self._ids[OTHER_SIDE[side]])

    def _asker(self, id_: str | None) -> Sender | None:
        """The only side that has asked with this id: of those without an answer, or else of all."""
        if id_ is None:
            return None
        waiting = {one.sender for one in self._open.get(id_, ()) if one.sender}
        sides = waiting or self._answered.get(id_, set())
        return next(iter(sides)) if len(sides) == 1 else None

    def _response(self, at: int, response: Message) -> None:
        members = None if response.is_error else response.part("result").keys()
        id_ = self._spelling(response.id)
        requests = self._open.get(id_, []) if id_ is not None else []
        sender = self.senders[at]
        if sender:
            requests = [one for one in requests if one.sender in (None, OTHER_SIDE[sender])]
        if not requests or id_ is None:
            if sender is None:
                asker = self._asker(id_)
                self.senders[at] = OTHER_SIDE[asker] if asker else _by_shape(members)
            return
        fits = [ResultFit.PERHAPS if members is None else fit(one.method, members) for one in requests]
        best = max(fits)
        shaped = None if sender or best is not ResultFit.NOT else _by_shape(members)
        if shaped and all(one.sender == shaped for one in requests):  # the other side's responses alone
            self.senders[at] = shaped
            return
        if fits.count(best) == 1 or sender:
            self._answer(at, id_, requests[fits.index(best)], members)
            if id_ in self._undecided:
                self._decide(id_)
        elif id_ in self._undecided:
            self._decide(id_)
            self._response(at, response)
        else:
            self._undecided[id_] = at

    def _spelling(self, id_: str | None) -> str | None:
        """The id of an open request; some agents answer `1` with `"1"`."""
        if id_ is None or self._open.get(id_):
            return id_
        loose = id_[1:-1] if id_.startswith('"') else f'"{id_}"'
        return loose if self._open.get(loose) else id_

    def _decide(self, id_: str) -> None:
        """The response that was left open answers the later one of the requests that still are."""
        at = self._undecided.pop(id_)
        if requests := self._open.get(id_):
            self._answer(at, id_, requests[-1], None)

    def _answer(self, at: int, id_: str, request: _Request, members: Collection[str] | None) -> None:
        self._open[id_].remove(request)
        if request.sender:
            self._answered.setdefault(id_, set()).add(request.sender)
            self.senders[at] = self.senders[at] or OTHER_SIDE[request.sender]
        elif self.senders[at] is None:
            self.senders[at] = _by_shape(members)


def _by_shape(members: Collection[str] | None) -> Sender | None:
    handler = handler_of(members) if members is not None else None
    return None if handler == "both" else handler


class _Ids:
    """The ids of one side's requests so far."""

    def __init__(self) -> None:
        self._last: int | None = None
        self._strings = False

    def add(self, id_: str) -> None:
        if (number := _integer(id_)) is not None:
            self._last = number
        elif id_.startswith('"'):
            self._strings = True

    def may_be_next(self, id_: str, others: _Ids) -> bool:
        """Whether this side may use an id now: numbers count up by one, from 0 or 1; strings stay strings."""
        number = _integer(id_)
        if number is None:
            return self._strings or (self._last is None and not others._strings)
        if self._last is None:
            return not self._strings and number in (0, 1)
        return number == self._last + 1


def _integer(id_: str) -> int | None:
    return int(id_) if id_.isascii() and id_.isdecimal() and len(id_) < 20 else None
