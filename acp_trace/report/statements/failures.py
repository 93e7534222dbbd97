"""Requests that failed or were never answered: each with its error, and the cause in the error's data."""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.statements.status import FAILED, OPEN, Status

_KEPT = 200  #: characters that the facts keep of each text of an error
_LARGE = 64 * 1024  #: bytes of a request that some readers refuse


class FailedRequest(NamedTuple):
    """A request that failed. `answer`: its outcome; `said`: the words of its error, made safe."""

    exchange: facts.Exchange
    answer: str
    status: Status
    said: str


def failures(trace_facts: facts.Facts, *, live: bool) -> list[FailedRequest]:
    """All of them, in the order in which they were sent."""
    trace = trace_facts.trace
    open_ = phrases.unanswered(trace)[0]
    if live or trace.aborted:
        open_ = "not answered yet" if live else "open at the end"
    return [_failure(one, open_) for one in trace_facts.exchanges if one.outcome != "result"]


def error_words(message: str | None, data: str | None) -> str:
    """An error's message, and the cause that agents put into its data: as they came."""
    message = message or ""
    if not data or data in message:
        return message
    return f"{message}: {data}" if message else data


def error_of(exchange: facts.Exchange) -> str:
    """What the error of an exchange says, made safe; empty without one."""
    return safe(error_words(_whole(exchange.error_message), _whole(exchange.error_data)))


def _whole(text: str | None) -> str | None:
    """A text of an error, with `…` if the facts do not have all of it."""
    return f"{text}…" if text is not None and len(text) >= _KEPT else text


def _failure(exchange: facts.Exchange, open_: str) -> FailedRequest:
    parts = [error_of(exchange)]
    if exchange.outcome == "open":
        return FailedRequest(exchange, open_, OPEN, parts[0])
    if exchange.request_bytes > _LARGE:
        parts.append(f"the request has {units.size(exchange.request_bytes)}")
    code = "" if exchange.error_code is None else f" {exchange.error_code}"
    return FailedRequest(exchange, f"error{code}", FAILED, "; ".join(filter(None, parts)))
