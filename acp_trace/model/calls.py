"""Recorded exchanges -> the model calls among them, in the order in which they began.

An exchange is usually one call; an exchange that has become a WebSocket holds many calls, or none. A call
with the same request as an earlier failed call is its retry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Protocol

import msgspec

from acp_trace.model import sockets
from acp_trace.model.exchange import ModelExchange
from acp_trace.model.problems import Headers
from acp_trace.model.reading import read_answer, read_messages, read_prompt
from acp_trace.model.recognition import Recognised, recognise
from acp_trace.model.shapes import Answer, Prompt
from acp_trace.trace import jsontext
from acp_trace.trace.intervals import Interval

_CONTINUES = b"previous_response_id"  #: in a request that continues an earlier response


class ModelCall(msgspec.Struct, kw_only=True):
    """One call of a model. Times are ns since the trace began."""

    call: int  #: its number, from 1
    exchange: int  #: the number of its exchange
    recognised: Recognised
    path: str = ""  #: of the request, with its query
    headers: Headers  #: of the request
    body: bytes  #: of the request
    started_ns: int
    ended_ns: int | None
    status: int | None
    #: The agent ended it before the answer was complete.
    is_aborted: bool
    #: The number of the failed call with the same request.
    retry_of: int | None = None
    answer: Answer = Answer()
    #: The call that it continues, if the provider keeps conversations.
    earlier: ModelCall | None = None
    answered_ns: int | None = None  #: when the head of the response came
    broken_by: str | None = None  #: `agent` or `provider`, if one of them ended its exchange early
    restored: Prompt | None = None  #: its prompt, kept for the next call of the same row

    @property
    def is_failed(self) -> bool:
        """Whether it ended without a whole answer and the agent did not abort it: the agent may ask again."""
        is_broken_off = self.ended_ns is not None and self.answer.is_broken_off
        return self.answer.error is not None or (is_broken_off and not self.is_aborted)

    def prompt(self) -> Prompt:
        """Return what the call sent to the model, including what an earlier call had sent.

        Reads the body each time. In a chain of calls, the last prompt that was asked for is kept, so that the
        next call need not read the whole chain again.
        """
        chain: list[ModelCall] = [self]
        while chain[-1].restored is None and (earlier := chain[-1].earlier) is not None:
            chain.append(earlier)
        prompt = chain[-1].restored or read_prompt(chain[-1].recognised, chain[-1].body)
        for before, call in pairwise(reversed(chain)):
            prompt = sockets.continued(read_prompt(call.recognised, call.body), prompt, before.answer)
            before.restored = None
        if self.earlier is not None:
            self.restored = prompt
        return prompt


class Timed(Protocol):
    """What is known of a call's time."""

    @property
    def call(self) -> int:
        """Its number."""

    @property
    def started_ns(self) -> int:
        """When it began."""

    @property
    def ended_ns(self) -> int | None:
        """When it ended."""

    @property
    def retry_of(self) -> int | None:
        """The failed call with the same request."""


class Retries:
    """Finds the calls that are retries. Feed it calls in the order in which they began."""

    def __init__(self) -> None:
        self._failed: dict[bytes, int] = {}

    def take(self, number: int, request: Callable[[], bytes], *, is_failed: bool) -> int | None:
        """Add a call; return the number of the failed call that it retries. `request` is called if needed."""
        if not (self._failed or is_failed):
            return None
        words = request()
        before = self._failed.pop(words, None)
        if is_failed:
            self._failed[words] = number
        return before


def model_calls(exchanges: Iterable[ModelExchange]) -> list[ModelCall]:
    """Return the calls in exchanges, in the order in which they began."""
    found = sorted((call for each in exchanges for call in calls_of(each)), key=lambda call: call.started_ns)
    by_answer: dict[str, ModelCall] = {}
    retries = Retries()
    for number, call in enumerate(found, 1):
        call.call = number
        if _CONTINUES in call.body:
            call.earlier = by_answer.get(read_prompt(call.recognised, call.body).continues or "")
        call.retry_of = retries.take(number, partial(comparable_request, call), is_failed=call.is_failed)
        if call.answer.id is not None:
            by_answer[call.answer.id] = call
    return found


def waiting(calls: Iterable[Timed], now_ns: int) -> list[Interval]:
    """Return when an agent waited for its model, ns: from each request until its answer ended, or until now.

    The time from a failed call until its retry counts too: the provider asked the agent to wait, or failed.
    """
    ended: dict[int, int] = {}
    intervals: list[Interval] = []
    for call in calls:
        ended[call.call] = now_ns if call.ended_ns is None else call.ended_ns
        since = ended.get(call.retry_of, call.started_ns) if call.retry_of is not None else call.started_ns
        intervals.append((min(since, call.started_ns), ended[call.call]))
    return intervals


def comparable_request(call: ModelCall) -> bytes:
    """Return what a call sends to the model, without what names the call: equal for equal requests."""
    prompt = msgspec.structs.replace(read_prompt(call.recognised, call.body), labels={})
    return jsontext.text(msgspec.to_builtins(prompt))


def recognised(exchange: ModelExchange) -> Recognised | None:
    """Return what call an exchange is; None if it is not a call, or its request has not come yet."""
    body = exchange.request_body or b""
    return recognise(exchange.method, exchange.host, exchange.path, exchange.request_headers, body)


def calls_of(exchange: ModelExchange) -> Iterator[ModelCall]:
    """Return the calls of one exchange, as far as they have come, without a number."""
    recognition = recognised(exchange)
    if recognition is None:
        return
    if not recognition.is_socket:
        pieces = ((chunk.t_ns, chunk.data) for chunk in exchange.chunks)
        answer = read_answer(recognition.form, pieces, exchange.status, exchange.response_headers)
        body = exchange.request_body or b""
        yield _call(exchange, recognition, body, answer, exchange.started_ns, exchange.ended_ns)
        return
    messages = ((each.sender == "agent", each.t_ns, each.data or b"") for each in exchange.messages)
    for asked in sockets.calls(messages):
        yield socket_call(exchange, recognition, asked)


def socket_call(exchange: ModelExchange, recognition: Recognised, asked: sockets.SocketCall) -> ModelCall:
    """Return a call of an exchange that has become a WebSocket, as far as it has come."""
    answer = read_messages(recognition.form, asked.answer)
    ended = asked.answer[-1][0] if answer.is_complete else exchange.ended_ns
    return _call(exchange, recognition, asked.request, answer, asked.started_ns, ended)


def _call(
    exchange: ModelExchange,
    recognition: Recognised,
    body: bytes,
    answer: Answer,
    started: int,
    ended: int | None,
) -> ModelCall:
    return ModelCall(
        call=0,
        exchange=exchange.number,
        recognised=recognition,
        path=exchange.path,
        headers=exchange.request_headers,
        body=body,
        started_ns=started,
        ended_ns=ended,
        status=exchange.status,
        is_aborted=answer.is_broken_off and exchange.broken_by == "agent",
        answer=answer,
        answered_ns=exchange.answered_ns,
        broken_by=exchange.broken_by,
    )
