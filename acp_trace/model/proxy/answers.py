"""What a request gets in a replay: the recorded answer of the call that it matches. No I/O, no connections.

`model.matching` decides which recorded call a request matches, and `model.serving` what is rewritten in its
answer. This module builds the served answer: head, pieces with their times, and how it ended. A request to a
host that is not a model gets the recorded status of its host and path; as a rule, no more is known of that
answer. A request for which nothing was recorded is refused. Nothing ever goes to a provider.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, Literal

from acp_trace.model import sockets
from acp_trace.model.calls import ModelCall
from acp_trace.model.exchange import ModelExchange
from acp_trace.model.journal import RECORDER_ENDED
from acp_trace.model.matching.matcher import Matcher
from acp_trace.model.matching.shapes import MatchedCall, MissedCall, ModelRequest
from acp_trace.model.problems import Headers
from acp_trace.model.proxy.other_hosts import OtherHosts
from acp_trace.model.proxy.settings import CancelledCall
from acp_trace.model.recognition import recognise
from acp_trace.model.serving.refusals import miss_message, refusal, socket_refusal
from acp_trace.redact import secret_names
from acp_trace.trace.jsontext import text

#: How an answer ends: normally; never, until the agent leaves; by cutting off its connection.
Ending = Literal["whole", "open", "cut"]
#: Names and values of headers.
Pairs = tuple[tuple[str, str], ...]

#: Headers of the recorded connection, or of a coding that was removed: they no longer apply.
_FRAMING = secret_names.words(
    "alt-svc connection content-encoding content-length keep-alive proxy-connection sec-websocket-accept "
    "sec-websocket-extensions te trailer transfer-encoding upgrade"
)
_NOT_RECORDED = "acp-trace: the recording has no such request"
_JSON: Pairs = (("content-type", "application/json"),)


#: Recorded pieces -> the same number of pieces to serve.
Rewrite = Callable[[Sequence[bytes]], Sequence[bytes]]


def is_upgrade(headers: Headers) -> bool:
    """Whether a request wants its connection to become a WebSocket."""
    return any(name == "upgrade" and (value or "").lower() == "websocket" for name, value in headers)


@dataclass(frozen=True, slots=True)
class TimedPiece:
    """A piece of a body, or a message of a WebSocket. `after_ns`: since the request was complete.

    `cancels`: how many cancels the client had sent before it, the last of them to this call's turn, which
    continued; `since_cancel_ns`: the time since that cancel.
    """

    after_ns: int
    data: bytes
    is_text: bool = True
    cancels: int = 0
    since_cancel_ns: int = 0


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """An answer as it is to be sent. `status` is None if only its ending came.

    `served`: what the trace records of it (`exchange.Served`); empty if each of its messages has its own.
    `has_length`: its head states its length. `cut_ns`: when it was cut off, since the request was complete.
    """

    served: dict[str, Any]
    status: int | None
    headers: Pairs = ()
    pieces: Sequence[TimedPiece] = ()
    ending: Ending = "whole"
    has_length: bool = True
    after_ns: int = 0  #: when its head came
    cut_ns: int | None = None
    is_nameless: bool = False  #: HTTP/2 has no reason phrase
    is_http_1_0: bool = False
    slow_ns: int = 0  #: a pause before each piece, as a fault on purpose


class Answers:
    """Answers from a recording. `calls`: those in its `exchanges`, which `matcher` knows.

    `cancels`: for each call, by number, that was open at the cancel of its turn: the time of that cancel, and
    its position among all cancels.
    """

    def __init__(
        self,
        exchanges: Sequence[ModelExchange],
        calls: Sequence[ModelCall],
        matcher: Matcher,
        cancels: Mapping[int, CancelledCall] | None = None,
    ) -> None:
        self._cancels = cancels or {}
        self._exchanges = {exchange.number: exchange for exchange in exchanges}
        asked = {call.exchange for call in calls}
        self._matcher = matcher
        sockets_ = [exchange for exchange in exchanges if is_upgrade(exchange.request_headers)]
        of_sockets = {exchange.number for exchange in sockets_}
        self._others = OtherHosts(each for each in exchanges if each.number not in asked | of_sockets)
        self._sockets = OtherHosts(sockets_)

    def answer(self, request: ModelRequest) -> ServedAnswer:
        """Return the answer to a complete request."""
        recognised = recognise(*request)
        if recognised is None:
            return _of_other(self._others, request)
        found = self._matcher.match(request)
        if isinstance(found, MatchedCall):
            exchange = self._exchanges[found.call.exchange]
            if not (found.call.recognised.is_socket or exchange.omitted):
                cancel = self._cancels.get(found.call.call)
                return _recorded(exchange, _served(found), found.rewrite, cancel)
        served, message = _missed(found)
        refused = refusal(recognised.form.name, message)
        return ServedAnswer(served, refused.status, refused.headers, _piece(refused.body))

    def upgrade(self, request: ModelRequest) -> ServedAnswer:
        """Return the answer to a request that opens a WebSocket; `message` answers the messages on it."""
        answer = _of_other(self._sockets, request)
        is_of_model = answer.status == HTTPStatus.SWITCHING_PROTOCOLS and recognise(*request) is not None
        return replace(answer, served={}) if is_of_model else answer

    def asks(self, request: ModelRequest) -> bool:
        """Whether a message of a WebSocket asks the model for something."""
        return bool(sockets.calls([(True, 0, request.body)]))

    def message(self, request: ModelRequest) -> ServedAnswer | None:
        """Return the answer to a WebSocket message, the body of `request`; None if it asks for nothing."""
        if not self.asks(request):
            return None
        found = self._matcher.match(request)
        if isinstance(found, MatchedCall) and found.call.recognised.is_socket:
            cancel = self._cancels.get(found.call.call)
            return _of_socket(self._exchanges[found.call.exchange], found, cancel)
        served, message = _missed(found)
        return ServedAnswer(served, HTTPStatus.OK, pieces=_piece(socket_refusal(message)))


def _of_other(hosts: OtherHosts, request: ModelRequest) -> ServedAnswer:
    exchange, is_again = hosts.find(request)
    if exchange is None:
        body = text({"error": {"message": _NOT_RECORDED}})
        return ServedAnswer({"refused": True}, HTTPStatus.BAD_GATEWAY, _JSON, _piece(body))
    served: dict[str, Any] = {"exchange": exchange.number, **({"again": True} if is_again else {})}
    return _recorded(exchange, served, list)


def _recorded(
    exchange: ModelExchange, served: dict[str, Any], rewrite: Rewrite, cancel: CancelledCall | None = None
) -> ServedAnswer:
    """Return a recorded exchange as an answer."""
    since = exchange.started_ns if exchange.sent_ns is None else exchange.sent_ns
    ending = _ending(exchange)
    data = rewrite([chunk.data for chunk in exchange.chunks])
    headers = tuple((name, value) for name, value in exchange.response_headers if value is not None)
    return ServedAnswer(
        served,
        exchange.status,
        tuple(pair for pair in headers if pair[0] not in _FRAMING),
        [
            _timed(chunk.t_ns, since, piece, cancel)
            for chunk, piece in zip(exchange.chunks, data, strict=True)
        ],
        ending,
        has_length=not exchange.chunks
        or exchange.is_http_1_0  # which has no chunks
        or any(name == "content-length" for name, _ in headers),
        after_ns=max((exchange.answered_ns or 0) - since, 0),
        cut_ns=(exchange.ended_ns or since) - since if ending == "cut" else None,
        is_nameless=exchange.protocol == "h2",
        is_http_1_0=exchange.is_http_1_0,
    )


def _of_socket(exchange: ModelExchange, found: MatchedCall, cancel: CancelledCall | None) -> ServedAnswer:
    """Return the messages that answered a recorded message."""
    messages = ((each.sender == "agent", each.t_ns, each.data or b"") for each in exchange.messages)
    asked = next(each for each in sockets.calls(messages) if each.started_ns == found.call.started_ns)
    data = found.rewrite([message for _, message in asked.answer])
    are_text = {(each.t_ns, each.data): each.is_text for each in exchange.messages}
    return ServedAnswer(
        _served(found),
        HTTPStatus.OK,
        pieces=[
            replace(_timed(t_ns, asked.started_ns, piece, cancel), is_text=are_text[t_ns, message])
            for (t_ns, message), piece in zip(asked.answer, data, strict=True)
        ],
        ending=_ending(exchange) if found.call.answer.is_broken_off else "whole",
    )


def _timed(t_ns: int, since_ns: int, data: bytes, cancel: CancelledCall | None) -> TimedPiece:
    after = max(t_ns - since_ns, 0)
    if cancel is None or t_ns < cancel.t_ns:
        return TimedPiece(after, data)
    return TimedPiece(after, data, cancels=cancel.number, since_cancel_ns=t_ns - cancel.t_ns)


def _ending(exchange: ModelExchange) -> Ending:
    if exchange.broken_by == "provider":
        return "cut"
    if exchange.broken_by == "agent" or exchange.ended_ns is None or exchange.unreadable == RECORDER_ENDED:
        return "open"
    return "cut" if exchange.unreadable or exchange.damaged else "whole"


def _served(found: MatchedCall) -> dict[str, Any]:
    return {
        "call": found.call.call,
        "level": found.level,
        **({"again": True} if found.again else {}),
    }


def _missed(found: MatchedCall | MissedCall) -> tuple[dict[str, Any], str]:
    """Return what the trace records of a request without an answer, and the message for its agent."""
    if isinstance(found, MatchedCall):  # the answer of that call cannot be given here
        found = MissedCall(found.call, None)
    nearest = None if found.nearest is None else found.nearest.call
    return {"call": None, "nearest": nearest}, miss_message(found.nearest, found.difference)


def _piece(data: bytes) -> list[TimedPiece]:
    return [TimedPiece(0, data)]
