"""The calls of the model: a section of `show`, with a row a call, and one line of its overview.

A trace can hold hundreds. Those that failed, were aborted or never ended, and then the longest, are shown;
the others are counted. `call_list` is the table; `acp-trace model` shows what a call sent to the model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.model.seen_traffic import SeenTraffic
from acp_trace.report import units
from acp_trace.report.safe import safe
from acp_trace.report.session_names import names_of
from acp_trace.report.statements.model_calls import is_failed, is_recorded, summary
from acp_trace.report.text import styles
from acp_trace.report.text.call_list import call_list, have_several_sessions
from acp_trace.report.text.columns import GLUE, paragraph

#: Calls shown, unless all are asked for.
_MOST = 20


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
    text = call_list(
        shown,
        width,
        with_session=several,
        with_model=not one_model,
        live=live,
        names=names_of(trace_facts),
    )
    if len(shown) < len(every):  # from anywhere between them
        of = f"{len(shown)} of {units.number(len(every))} calls, which failed or took longest"
        text.append_text(paragraph(Text(f" {of}; all: show --section model --all", styles.FAINT), width))
        text.append("\n")
    if joined := _joined(every):
        text.append_text(paragraph(Text(f" {joined}", styles.FAINT), width)).append("\n")
    return text


def overview(trace_facts: facts.Facts, *, live: bool = False, with_tokens: bool = True) -> Iterator[Text]:
    """Which models were called how often, how long that took, the tokens, and what went wrong."""
    for words, stands in summary(trace_facts, live=live, with_tokens=with_tokens):
        yield Text(words, styles.of(stands) or "")


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
