"""The calls of the model in a line: which models, how long, the tokens, and what went wrong. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from acp_trace.analyze import facts
from acp_trace.model.calls import ModelCall
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements import tokens
from acp_trace.report.statements.status import FAILED, OPEN, Status
from acp_trace.trace.counts import counted
from acp_trace.trace.intervals import length, union

#: The most models that are named, and the most characters of a name.
_MODELS, LONGEST_MODEL = 2, 28


def is_recorded(trace_facts: facts.Facts) -> bool:
    """Whether the trace holds calls of a model: also if none of them is in this part of it."""
    return bool(trace_facts.model_calls) or any(turn.model_calls is not None for turn in trace_facts.turns)


class Conversations:
    """Finds the previous call of each conversation.

    Calls are of one conversation if they have the same session, if both or neither have tools, and if the
    agent waited for both or for neither.
    """

    def __init__(self) -> None:
        self._latest: dict[tuple[str | None, bool, bool], ModelCall] = {}

    def before(self, call: ModelCall, fact: facts.ModelCall) -> ModelCall | None:
        """Return the previous call of the conversation, None for its first. Give all calls in their order."""
        conversation = fact.session_id, fact.beside, bool(call.prompt().tools)
        before = self._latest.get(conversation)
        self._latest[conversation] = call
        return before


def is_failed(call: facts.ModelCall) -> bool:
    """Whether the provider refused, or its answer broke off."""
    return call.error is not None


def astray(trace_facts: facts.Facts) -> str:
    """How many calls belong to no session of this trace, as far as is known; empty if none does."""
    count = sum(call.session_id is None for call in trace_facts.model_calls)
    return f"{units.number(count)} of no known session" if count else ""


def summary(
    trace_facts: facts.Facts, *, live: bool = False, with_tokens: bool = True
) -> Iterator[tuple[str, Status | None]]:
    """Return the parts of the line, each with its status."""
    every = trace_facts.model_calls
    if not every:
        if is_recorded(trace_facts):
            yield "no model calls", None
        return
    for models in _models(every):
        yield models, None
    now = trace_facts.trace.duration_ns or 0
    busy = length(union((call.started_ns, _end_ns(call, now)) for call in every))
    yield f"busy {units.duration(busy)}", None
    if with_tokens and (said := tokens.of_calls(every).said()):
        yield said, None
    for count, what, stands in (
        (sum(is_failed(call) for call in every), "failed", FAILED),
        (sum(call.aborted for call in every), "aborted", OPEN),
        (sum(call.duration_ns is None for call in every), "open" if live else "never ended", OPEN),
    ):
        if count:
            yield f"{units.number(count)} {what}", stands
    if retries := sum(call.retry_of is not None for call in every):
        yield counted(retries, "retry", "retries"), None
    if strays := astray(trace_facts):
        yield strays, OPEN


def _models(every: Sequence[facts.ModelCall]) -> Iterator[str]:
    """`9 calls to M at P`, `3 to N at P`, `2 to others`."""
    counts = Counter((call.model, call.provider) for call in every).most_common()
    for at, ((model, provider), count) in enumerate(counts[:_MODELS]):
        number = units.number(count) if at else counted(count, "call")
        place = f" at {safe(provider)}" if provider else ""
        yield f"{number} to {shorten(safe(model or '?'), LONGEST_MODEL)}{place}"
    if others := sum(count for _, count in counts[_MODELS:]):
        yield f"{units.number(others)} to others"


def _end_ns(call: facts.ModelCall, now_ns: int) -> int:
    return now_ns if call.duration_ns is None else call.started_ns + call.duration_ns
