"""The calls of the model: a section of `show`, with a row a call, and one line of its overview.

A trace can hold hundreds. Those that failed, were aborted or never ended, and then the longest, are shown;
the others are counted. `call_list` is the table; what a call told the model, `acp-trace model` shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.model.seen_traffic import SeenTraffic
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements import phrases
from acp_trace.report.text import styles
from acp_trace.report.text.call_list import LONGEST_MODEL, call_list, have_several_sessions
from acp_trace.report.text.columns import GLUE, paragraph
from acp_trace.trace.intervals import length, union

#: Calls shown, unless all are asked for.
_MOST = 20
#: Models that the overview names.
_MODELS = 2


def is_recorded(trace_facts: facts.Facts) -> bool:
    """Whether the trace holds calls of a model: also if none of them is in this part of it."""
    return bool(trace_facts.model_calls) or any(turn.model_calls is not None for turn in trace_facts.turns)


def unseen(trace_facts: facts.Facts) -> str:
    """What was seen of the model's side, if it was recorded, prompts were sent, and no call is among it."""
    trace = trace_facts.trace
    if trace.model_requests is None or not trace_facts.turns or is_recorded(trace_facts):
        return ""
    return str(SeenTraffic(trace.model_requests, trace.model_refused or 0))


def calls(trace_facts: facts.Facts, width: int, *, all_: bool, live: bool = False) -> Text:
    """One row a call, in their order; and how their sessions were found."""
    every = trace_facts.model_calls
    shown = every if all_ or len(every) <= _MOST + 1 else _weightiest(every)
    several = have_several_sessions(every)
    one_model = len({call.model for call in every}) == 1
    text = call_list(shown, width, with_session=several, with_model=not one_model, live=live)
    if left := len(every) - len(shown):
        text.append(f" … and {units.number(left)} more: show --section model --all\n", styles.FAINT)
    if joined := _joined(every):
        text.append_text(paragraph(Text(f" {joined}", styles.FAINT), width)).append("\n")
    return text


def astray(trace_facts: facts.Facts) -> str:
    """How many calls belong to no session of this trace, as far as anybody can say; empty if none does."""
    count = sum(call.session_id is None for call in trace_facts.model_calls)
    return f"{units.number(count)} of no known session" if count else ""


def overview(trace_facts: facts.Facts, *, live: bool = False) -> Iterator[Text]:
    """Which models were called how often, how long that took, the tokens, and what went wrong."""
    every = trace_facts.model_calls
    if not every:
        if is_recorded(trace_facts):
            yield Text("no model calls")
        return
    yield from map(Text, _models(every))
    now = trace_facts.trace.duration_ns or 0
    busy = length(union((call.started_ns, _end_ns(call, now)) for call in every))
    yield Text(f"busy {units.duration(busy)}")
    if tokens := _tokens(every):
        yield Text(tokens)
    for count, what, style in (
        (sum(is_failed(call) for call in every), "failed", styles.ERROR),
        (sum(call.aborted for call in every), "aborted", styles.OPEN),
        (sum(call.duration_ns is None for call in every), "open" if live else "never ended", styles.OPEN),
    ):
        if count:
            yield Text(f"{units.number(count)} {what}", style)
    if retries := sum(call.retry_of is not None for call in every):
        yield Text(f"{units.number(retries)} {'retry' if retries == 1 else 'retries'}")
    if strays := astray(trace_facts):
        yield Text(strays, styles.OPEN)


def is_failed(call: facts.ModelCall) -> bool:
    """Whether the provider refused, or its answer broke off."""
    return call.error is not None


def _models(every: Sequence[facts.ModelCall]) -> Iterator[str]:
    """`9 calls to M at P`, `3 to N at P`, `2 to others`."""
    counts = Counter((call.model, call.provider) for call in every).most_common()
    for at, ((model, provider), count) in enumerate(counts[:_MODELS]):
        number = units.number(count) if at else phrases.count(count, "call")
        place = f" at {safe(provider)}" if provider else ""
        yield f"{number} to {shorten(safe(model or '?'), LONGEST_MODEL)}{place}"
    if others := sum(count for _, count in counts[_MODELS:]):
        yield f"{units.number(others)} to others"


def _tokens(every: Sequence[facts.ModelCall]) -> str:
    """`12 400 tokens in (9 000 cached), 450 out`: as far as the providers said."""
    read, cached, written = (
        sum(getattr(call, name) or 0 for call in every)
        for name in ("input_tokens_total", "cached_tokens", "output_tokens_total")
    )
    if not read and not written:
        return ""
    of_cache = f" ({units.number(cached)} cached)" if cached else ""
    return f"{units.number(read)} tokens in{of_cache}, {units.number(written)} out"


def _end_ns(call: facts.ModelCall, now_ns: int) -> int:
    return now_ns if call.duration_ns is None else call.started_ns + call.duration_ns


def _weightiest(every: Sequence[facts.ModelCall]) -> list[facts.ModelCall]:
    def is_urgent(call: facts.ModelCall) -> bool:
        return is_failed(call) or call.aborted or call.duration_ns is None

    by_weight = sorted(every, key=lambda call: (not is_urgent(call), -(call.duration_ns or 0), call.call))
    return sorted(by_weight[:_MOST], key=lambda call: call.call)


def _joined(every: Sequence[facts.ModelCall]) -> str:
    """`session found by header X (12), time (2)`: how it is known which session a call belongs to."""
    counts = Counter(call.joined_by for call in every if call.joined_by is not None).most_common()
    if len(counts) == 1:
        return f"session found by {safe(counts[0][0])}"
    ways = (f"{safe(how).replace(' ', GLUE)}{GLUE}({units.number(count)})" for how, count in counts)
    return f"session found by {', '.join(ways)}" if counts else ""
