"""The calls of the model as the rows of a table. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.documents import CallRow
from acp_trace.report.safe import safe
from acp_trace.report.session_names import names_of


def call_rows(trace_facts: facts.Facts) -> list[CallRow]:
    """The calls, in their order.

    The texts of each: provider, model, start (s), first token, duration, tokens in, cached and out, the tools
    that it asked for, status, and how it ended, which may be odd.
    """
    ordinals, names = turn_numbers(trace_facts.turns), names_of(trace_facts)
    numbers = {(turn.session_id, turn.turn): ordinals[turn.frame] for turn in trace_facts.turns}
    return [
        CallRow(
            call.call,
            numbers.get((call.session_id or "", -1 if call.turn is None else call.turn), 0),
            f"{names.heading(call.session_id or '', call.turn or 0)}{' beside' if call.beside else ''}",
            [safe(text) for text in _texts(call)],
            call.aborted or call.error is not None,
        )
        for call in trace_facts.model_calls
    ]


def _texts(call: facts.ModelCall) -> Iterator[str]:
    yield call.provider
    yield call.model or "?"
    yield units.since_start(call.started_ns).strip()
    for ns in (call.first_token_ns, call.duration_ns):
        yield "–" if ns is None else units.duration(ns)
    for tokens in (call.input_tokens_total, call.cached_tokens, call.output_tokens_total):
        yield "–" if tokens is None else units.number(tokens)
    yield ", ".join(json.loads(call.tools))
    yield "–" if call.status is None else str(call.status)
    open_ = "never ended" if call.duration_ns is None else call.stop_reason or ""
    ended = "aborted" if call.aborted else "error" if call.error is not None else open_
    yield ended if call.retry_of is None else f"{ended} · retry of {call.retry_of}"
