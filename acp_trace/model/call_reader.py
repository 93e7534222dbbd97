"""Entries of a trace -> its model calls, each as soon as it is over. Pure.

A finished call is handed out and not kept: a session of many hours takes no more memory than its longest
calls, apart from what requests repeat.
"""

from __future__ import annotations

import msgspec

from acp_trace.model import sockets
from acp_trace.model.calls import ModelCall, calls_of, recognised, socket_call
from acp_trace.model.exchange import ModelExchange, ModelExchanges
from acp_trace.model.recognition import Recognised
from acp_trace.model.seen_traffic import SeenTraffic
from acp_trace.trace.entries import Entry


class _Socket(msgspec.Struct):
    """An exchange that has become a WebSocket. `recognition`: None if it holds no calls."""

    recognition: Recognised | None
    messages: sockets.SocketMessages


class CallReader:
    """Feed it all entries of a trace. The calls that it returns have no number and are not linked."""

    def __init__(self) -> None:
        self._exchanges = ModelExchanges()
        self._sockets: dict[int, _Socket] = {}

    def feed(self, entry: Entry) -> list[ModelCall]:
        """Process the next entry and return the calls that are over with it."""
        exchange = self._exchanges.feed(entry)
        if exchange is None:
            return []
        over = self._messages(exchange) if exchange.messages else []
        if exchange.ended_ns is None:
            return over
        over += self._so_far(exchange)
        del self._exchanges.exchanges[exchange.number]
        self._sockets.pop(exchange.number, None)
        return over

    @property
    def seen(self) -> SeenTraffic:
        """Return what the trace has of the agent's traffic, whether it is a call or not."""
        return self._exchanges.seen

    def open(self) -> list[ModelCall]:
        """Return the calls that are not over, as far as they have come."""
        return [call for exchange in self._exchanges.exchanges.values() for call in self._so_far(exchange)]

    def _so_far(self, exchange: ModelExchange) -> list[ModelCall]:
        """Return the calls of an exchange that have not been handed out."""
        socket = self._sockets.get(exchange.number)
        if socket is None:
            return list(calls_of(exchange))
        if socket.recognition is None:
            return []
        return [socket_call(exchange, socket.recognition, asked) for asked in socket.messages.calls]

    def _messages(self, exchange: ModelExchange) -> list[ModelCall]:
        """Take new messages of a WebSocket out of its exchange; return the calls that are over with them."""
        socket = self._sockets.get(exchange.number)
        if socket is None:
            socket = self._sockets[exchange.number] = _Socket(recognised(exchange), sockets.SocketMessages())
        messages, exchange.messages = exchange.messages, []
        if socket.recognition is None:
            return []
        over = []
        for message in messages:
            asked = socket.messages.take(message.sender == "agent", message.t_ns, message.data or b"")
            if asked is None:
                continue
            call = socket_call(exchange, socket.recognition, asked)
            if call.answer.is_complete:  # if not, it ends with its exchange
                socket.messages.calls.remove(asked)
                over.append(call)
        return over
