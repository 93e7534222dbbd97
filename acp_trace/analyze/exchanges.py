"""Pairs requests with responses. The two directions are separate (docs/report.md, Pairing).

Both sides count their ids from 0, so the same id is regularly open in both directions at once. An id may be
used again after its answer; if a sender uses it earlier, it gets its answers in the order in which it sent
the requests.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

import msgspec

from acp_trace.analyze.facts import Exchange
from acp_trace.protocol import methods, outcomes
from acp_trace.protocol.message import Message

_NEVER = 2**63
_FEW = 50  #: open requests of a side, beyond which the only open request is not looked for
_Key = tuple[str, str]  #: the sender of the request, and the id


class Open(msgspec.Struct, gc=False):
    """A request and its outcome."""

    frame: int
    t: int
    sender: str
    method: str
    id: str
    session_id: str | None
    response_frame: int | None = None
    latency_ns: int | None = None
    outcome: str = "open"
    error_code: int | None = None
    error_message: str | None = None
    error_data: str | None = None
    size: int = 0  #: bytes of the request
    said_cancelled: bool = False  #: its result says so (stop reason, outcome of a permission)
    answered_cancelled: bool = False  #: for a prompt whose turn ended before: its own result says so
    lost_to: int | None = None  #: the frame whose fault lost its answer
    #: For a prompt of version 2: the frame of the response that ends its turn, as in version 1.
    ended_early: int | None = None
    out_of_band: bool = False  #: its user continues elsewhere after the answer (elicitation by URL)
    in_cascade: bool = False  #: it was open at a cancel in its session, or came before that settled

    @property
    def answerer(self) -> str:
        """The side that owes the response."""
        return "agent" if self.sender == "client" else "client"

    def fact(self) -> Exchange:
        """Return the exchange in its present state."""
        return Exchange(
            frame=self.frame,
            t_ns=self.t,
            response_frame=self.response_frame,
            sender=self.sender,
            method=self.method,
            id=self.id,
            session_id=self.session_id,
            latency_ns=self.latency_ns,
            outcome=self.outcome,
            error_code=self.error_code,
            error_message=self.error_message,
            error_data=self.error_data,
            request_bytes=self.size,
        )


class Exchanges:
    """All requests of a trace, in the order in which they were sent."""

    def __init__(self) -> None:
        self.all: list[Open] = []
        self.loose: list[Open] = []  #: requests of the agent that name no session, and may belong to any turn
        #: False if another tool's log lacks the answers: then the open requests of the agent are unknown.
        self.has_client_responses = True
        self.fastest: dict[str, int] = {}  #: the shortest time in which a side has answered so far, ns
        self._open: dict[_Key, deque[Open]] = {}
        self._answered: dict[_Key, int] = {}  #: the frame of the last request with this id

    def request(self, frame: int, t: int, sender: str, message: Message) -> Open:
        """Process a request, sent at `t` (ns); return its state, which its response will change."""
        exchange = Open(frame, t, sender, message.method or "", message.id or "null", message.session_id)
        exchange.size = len(message.text)
        if sender == "agent" and exchange.session_id is None:
            self.loose.append(exchange)
        self.all.append(exchange)
        if message.flaw is not None and not message.flaw.is_discouraged:
            exchange.lost_to = frame
        waiting = self._open.setdefault((sender, exchange.id), deque())
        if waiting and methods.is_answered(exchange.method):
            # An answer to this id may belong to either request.
            waiting[0].lost_to = exchange.lost_to = frame
        waiting.append(exchange)
        return exchange

    def open(self, sender: str, id_: str) -> Open | None:
        """Return the oldest open request of a side with this id."""
        waiting = self._open.get((sender, id_))
        return waiting[0] if waiting else None

    def only_open(self, sender: str) -> Open | None:
        """Return the open request of a side, if it has exactly one."""
        keys = [key for key in islice(self._open, _FEW) if key[0] == sender]
        return self.open(*keys[0]) if len(keys) == 1 and len(self._open) < _FEW else None

    def answered(self, sender: str, id_: str) -> int | None:
        """Return the frame of a side's request that had this id and was answered."""
        return self._answered.get((sender, id_))

    def response(self, frame: int, t: int, sender: str, message: Message) -> Open | None:
        """Process a response; return the request that it answers, or None if it answers nothing."""
        if message.id is None:
            return None
        key = ("agent" if sender == "client" else "client", message.id)
        waiting = self._open.get(key)
        if not waiting:
            return None
        exchange = waiting.popleft()
        if not waiting:
            del self._open[key]
        self._answered[key] = exchange.frame
        exchange.response_frame = frame
        exchange.latency_ns = took = t - exchange.t
        if took < self.fastest.get(exchange.answerer, _NEVER):
            self.fastest[exchange.answerer] = took
        exchange.outcome = "error" if message.is_error else "result"
        if message.is_error:
            error = message.part("error")
            code, text = error.get("code"), error.get("message")
            whole = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**63
            exchange.error_code = code if whole else None
            exchange.error_message = text[:200] if isinstance(text, str) else None
            data = outcomes.details(error.get("data"))
            exchange.error_data = None if data is None else data[:200]
        return exchange
