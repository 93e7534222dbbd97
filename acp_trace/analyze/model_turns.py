"""What the calls of a model show about turns: how long each waited, and what continued after a cancel.

Rules: docs/report.md, Model calls. Loaded with `model_calls` only.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from acp_trace.analyze import facts
from acp_trace.analyze.cancellation.cancellations import Cancel
from acp_trace.analyze.model_calls import CallState
from acp_trace.model.calls import waiting
from acp_trace.model.turn_time import TurnParts, parts
from acp_trace.trace import jsontext
from acp_trace.trace.intervals import Interval, union

_Turn = tuple[str, int]


class _CallsOfTurn(msgspec.Struct):
    """The calls of one turn, and when the agent waited for each."""

    calls: list[CallState] = []
    waited: list[Interval] = []


class TurnCalls:
    """The calls of a trace, by turn. `now`: the end of what is open, ns."""

    def __init__(self, calls: Sequence[CallState], cancels: Iterable[Cancel], now: int) -> None:
        self._calls = calls
        self._turns: dict[_Turn, _CallsOfTurn] = {}
        self._cancels: dict[int, list[Cancel]] = {}
        self._beside: set[int] = set()
        cancelled: dict[_Turn, int] = {}
        for cancel in cancels:
            if cancel.turn is None or cancel.session_id is None:
                continue
            cancelled.setdefault((cancel.session_id, cancel.turn.index), cancel.t)
            if cancel.kind != "internal":
                self._cancels.setdefault(cancel.frame, []).append(cancel)
        for call, interval in zip(calls, waiting(calls, now), strict=True):
            if (key := _turn(call)) is not None:
                turn = self._turns.setdefault(key, _CallsOfTurn())
                turn.calls.append(call)
                turn.waited.append(interval)
        for key, turn in self._turns.items():
            self._beside.update(_beside(turn))
            if key in cancelled:
                _wait_until(cancelled[key], turn)

    def count(self, session_id: str, turn: int) -> int:
        """Return how many calls began in a turn."""
        found = self._turns.get((session_id, turn))
        return 0 if found is None else len(found.calls)

    def parts(
        self,
        session_id: str,
        turn: int,
        span: Interval,
        client: Iterable[Interval],
        tools: Iterable[Interval],
        unknown: Iterable[Interval],
    ) -> TurnParts:
        """Return where the time of a turn went: `span` is from its prompt until it settled.

        `unknown`: intervals in which tools may have run that were only announced when they ended.
        """
        calls = self._turns.get((session_id, turn), _CallsOfTurn())
        waited = [
            interval
            for call, interval in zip(calls.calls, calls.waited, strict=True)
            if call.call not in self._beside
        ]
        return parts(span, client=client, model=waited, tools=tools, unknown=unknown)

    def rows(self) -> Iterator[facts.ModelCall]:
        """Yield all calls as facts."""
        for call in self._calls:
            yield self._fact(call)

    def _fact(self, call: CallState) -> facts.ModelCall:
        cancel = self._cancel(call)
        after = None if cancel is None else call.after.get(cancel.frame)
        to_end = None if cancel is None or call.ended_ns is None else call.ended_ns - cancel.t
        tokens, joined = call.tokens, call.joined
        return facts.ModelCall(
            call=call.call,
            exchange=call.exchange,
            provider=call.provider,
            model=call.model,
            session_id=joined.session_id,
            turn=joined.turn,
            joined_by=joined.how,
            started_ns=call.started_ns,
            first_byte_ns=_since(call, call.first_byte_ns),
            first_token_ns=_since(call, call.first_token_ns),
            duration_ns=_since(call, call.ended_ns),
            status=call.status,
            stop_reason=call.stop_reason,
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cached_tokens=tokens.cached,
            reasoning_tokens=tokens.reasoning,
            input_tokens_total=tokens.input_total,
            output_tokens_total=tokens.output_total,
            tools=jsontext.string(call.tools),
            aborted=call.is_aborted,
            beside=call.call in self._beside,
            retry_of=call.retry_of,
            error=call.error,
            cancel_frame=None if cancel is None else cancel.frame,
            cancel_to_end_ns=to_end,
            output_after_cancel=after,
            tokens_after_cancel=_tokens(call, after),
        )

    def _cancel(self, call: CallState) -> Cancel | None:
        """Return the first cancel of the call's turn that came while the call was open."""
        for frame in sorted(call.after):
            for cancel in self._cancels.get(frame, ()):
                if cancel.turn is not None and (cancel.session_id, cancel.turn.index) == _turn(call):
                    return cancel
        return None


def _turn(call: CallState) -> _Turn | None:
    session_id, turn = call.joined.session_id, call.joined.turn
    return None if session_id is None or turn is None else (session_id, turn)


def _beside(turn: _CallsOfTurn) -> Iterator[int]:
    """Yield the calls of a turn that the agent does not wait for: without tools, beside one with tools.

    A conversation offers the model its tools. A title or a summary does not; made while the conversation
    continues, it delays nothing. If it is alone, the turn waits for it.
    """
    pairs = list(zip(turn.calls, turn.waited, strict=True))
    conversation = union(interval for call, interval in pairs if call.has_tools)
    begins = [since for since, _ in conversation]
    for call, (since, until) in pairs:
        if not call.has_tools:
            at = bisect_right(begins, until) - 1
            if at >= 0 and conversation[at][1] > since:
                yield call.call


def _wait_until(cancel_ns: int, turn: _CallsOfTurn) -> None:
    """Let a turn whose last call had failed wait until its cancel: the agent would have tried again."""
    last = max(range(len(turn.calls)), key=lambda at: turn.waited[at][1])
    since, until = turn.waited[last]
    if turn.calls[last].is_failed:
        turn.waited[last] = since, max(until, cancel_ns)


def _since(call: CallState, moment: int | None) -> int | None:
    return None if moment is None else max(moment - call.started_ns, 0)


def _tokens(call: CallState, after: int | None) -> int | None:
    """Return the share of the tokens that came after a cancel; None if the answer is incomplete."""
    total = call.tokens.output_total
    if after is None or total is None or not call.is_complete or call.is_failed or not call.characters:
        return None
    return round(total * after / call.characters)
