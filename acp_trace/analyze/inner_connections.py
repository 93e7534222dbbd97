"""Facts of the connections inside envelopes: their sessions, turns, tool calls, requests. No findings.

Each finding would blame a side of a connection other than the recorded one; a recording of that connection
has them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from acp_trace.analyze.exchanges import Exchanges, Open
from acp_trace.analyze.facts import ROWS, Exchange, Fact, Facts, Session
from acp_trace.analyze.inner_messages import INSIDE, InnerMessages, inner_session
from acp_trace.analyze.session_names import States
from acp_trace.analyze.trace_totals import TraceTotals
from acp_trace.protocol.envelopes import INNER_SENDER, InnerConnection
from acp_trace.protocol.message import Message, MessageKind, cancelled_id
from acp_trace.protocol.methods import CANCEL_REQUESTS


class SuccessorAnalyzer(Protocol):
    """The part of an `Analyzer` that is needed here."""

    totals: TraceTotals

    def take(self, number: int, t: int, sender: str, message: Message) -> Open | None:
        """Process a message; return the request that a response answers."""

    def facts(self, *, over: bool = True) -> Facts:
        """Return the facts of the messages so far."""

    def fresh(self, session_id: str | None) -> Facts:
        """Return what the messages have added to a session."""

    def session_states(self) -> Iterator[States]:
        """Yield the sessions of each connection, with the prefix of their ids."""


class InnerConnections:
    """Processes the messages of the outer connection. `make`: makes an analyser for a successor's."""

    def __init__(self, make: Callable[[], SuccessorAnalyzer]) -> None:
        self._messages = InnerMessages()
        self._make = make
        self._successor: SuccessorAnalyzer | None = None
        self._mcp = Exchanges()
        self._asked: set[tuple[str, str | None]] = set()  #: senders and ids of envelopes
        self._named: dict[str, None] = {}  #: sessions of the successor since `fresh` was called

    def call(self, frame: int, t: int, sender: str, message: Message) -> None:
        """Process a request or a notification."""
        carried = self._messages.call(frame, message)
        if carried is None:
            # Cancelling the envelope cancels the message inside (RFD request-cancellation: hop by hop).
            if message.method in CANCEL_REQUESTS and (sender, cancelled_id(message)) in self._asked:
                self._take(frame, t, sender, message)
            return
        if carried.connection is InnerConnection.SUCCESSOR:
            if message.kind is MessageKind.REQUEST:
                self._asked.add((sender, message.id))
            self._take(frame, t, sender, carried.message)
        elif carried.message.kind is MessageKind.REQUEST:
            exchange = self._mcp.request(frame, t, INNER_SENDER[sender], carried.message)
            exchange.session_id = carried.session_id

    def response(self, frame: int, t: int, sender: str, message: Message, answered: Open) -> None:
        """Process the response to a request of the outer connection."""
        carried = self._messages.response(answered.frame, message, answered.session_id)
        if carried is None:
            return
        if carried.connection is InnerConnection.SUCCESSOR:
            self._take(frame, t, sender, carried.message)
        else:
            self._mcp.response(frame, t, INNER_SENDER[sender], carried.message)

    def _take(self, frame: int, t: int, sender: str, message: Message) -> None:
        if self._successor is None:
            self._successor = self._make()
        self._successor.totals.latest = t
        answered = self._successor.take(frame, t, INNER_SENDER[sender], message)
        named = message.session_id if answered is None else answered.session_id
        if named is not None:
            self._named[named] = None

    def rows(self, latest: int) -> Iterator[Fact]:
        """Yield the facts so far, with the sessions' outer names. `latest`: the latest time (ns)."""
        for exchange in self._mcp.all:
            yield _named(exchange.fact(), InnerConnection.MCP, exchange.session_id)
        if self._successor is not None:
            self._successor.totals.latest = latest
            yield from _renamed(self._successor.facts(over=False))

    def session_states(self) -> Iterator[States]:
        """Yield the sessions of a successor, with the prefix of their ids in the outer facts."""
        if self._successor is not None:
            for prefix, sessions in self._successor.session_states():
                yield f"{INSIDE}{prefix}", sessions

    def fresh(self) -> Iterator[Fact]:
        """Yield what was added to the sessions of a successor since the last call."""
        named, self._named = self._named, {}
        for session_id in named:
            if self._successor is not None:
                yield from _renamed(self._successor.fresh(session_id))


def _renamed(facts: Facts) -> Iterator[Any]:
    for name in ROWS:
        if name != "findings":
            for row in getattr(facts, name):
                yield _named(row, InnerConnection.SUCCESSOR, inner_session(row.session_id))


def _named(row: Any, connection: InnerConnection, session_id: str | None) -> Any:
    """Return the fact for the outer trace, with a session and method that no outer one can equal."""
    if isinstance(row, Exchange):
        return dataclasses.replace(row, session_id=session_id, method=f"{connection}:{row.method}")
    if isinstance(row, Session):
        parent = inner_session(row.parent_session_id)
        return dataclasses.replace(row, session_id=session_id or "", parent_session_id=parent)
    return dataclasses.replace(row, session_id=session_id)
