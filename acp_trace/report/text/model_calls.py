"""The calls of the model: a section of `show`, with a row a call, and one line of its overview.

A trace can hold hundreds. Those that failed, were aborted or never ended, and then the longest, are shown;
the others are counted. What a call told the model is not shown here: `acp-trace model` does that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.safe import safe, shorten
from acp_trace.report.text import words
from acp_trace.report.text.columns import GLUE, Cell, Column, fitted, paragraph
from acp_trace.trace.intervals import length, union

#: Calls shown, unless all are asked for.
_MOST = 20
#: Models that the overview names.
_MODELS = 2
_LONGEST_MODEL, _LONGEST_ERROR = 28, 300
#: What the last column needs, at least.
_LEAST = 16

#: With the rank of each: where there is little room, those of a high rank are left out.
_COLUMNS = (
    (Column("call", right=True), 0),
    (Column("session"), 3),
    (Column("turn", right=True), 1),
    (Column("at", right=True), 8),
    (Column("model"), 2),
    (Column("first token", right=True), 6),
    (Column("took", right=True), 0),
    (Column("tokens in", right=True), 5),
    (Column("cached", right=True), 7),
    (Column("out", right=True), 4),
    (Column("how"), 0),
    (Column("asked for", flexible=True, wraps=True), 0),
)


def is_recorded(trace_facts: facts.Facts) -> bool:
    """Whether the trace holds calls of a model: also if none of them is in this part of it."""
    return bool(trace_facts.model_calls) or any(turn.model_calls is not None for turn in trace_facts.turns)


def calls(trace_facts: facts.Facts, width: int, *, all_: bool, live: bool = False) -> Text:
    """One row a call, in their order; and how their sessions were found."""
    every = trace_facts.model_calls
    shown = every if all_ or len(every) <= _MOST + 1 else _weightiest(every)
    several = len({call.session_id for call in every} - {None}) > 1
    one_model = len({call.model for call in every}) == 1
    rows = [_row(call, with_session=several, with_model=not one_model, live=live) for call in shown]
    text = fitted(_COLUMNS, rows, width, _LEAST, indent=1)
    if left := len(every) - len(shown):
        text.append(f" … and {units.number(left)} more: show --section model --all\n", words.FAINT)
    if joined := _joined(every):
        text.append_text(paragraph(Text(f" {joined}", words.FAINT), width)).append("\n")
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
    now = trace_facts.trace.duration_ns
    busy = length(union((call.started_ns, _end_ns(call, now)) for call in every))
    yield Text(f"busy {units.duration(busy)}")
    if tokens := _tokens(every):
        yield Text(tokens)
    for count, what, style in (
        (sum(is_failed(call) for call in every), "failed", words.ERROR),
        (sum(call.aborted for call in every), "aborted", words.OPEN),
        (sum(call.duration_ns is None for call in every), "open" if live else "never ended", words.OPEN),
    ):
        if count:
            yield Text(f"{units.number(count)} {what}", style)
    if retries := sum(call.retry_of is not None for call in every):
        yield Text(f"{units.number(retries)} {'retry' if retries == 1 else 'retries'}")
    if strays := astray(trace_facts):
        yield Text(strays, words.OPEN)


def is_failed(call: facts.ModelCall) -> bool:
    """Whether the provider refused, or its answer broke off."""
    return call.error is not None


def how(call: facts.ModelCall, *, live: bool = False) -> tuple[str, str | None]:
    """How a call ended, and in what colour."""
    if call.aborted:
        return "aborted", words.OPEN
    if call.error is not None:
        status = call.status is not None and call.status >= 400
        return f"error {call.status}" if status else "error", words.ERROR
    if call.duration_ns is None:
        return ("open" if live else "never ended"), words.OPEN
    if call.stop_reason is None:
        return f"status {call.status}" if call.status is not None else "no answer", words.OPEN
    return safe(call.stop_reason), None


def asked_for(call: facts.ModelCall) -> list[str]:
    """The tools that the model asked for, each once, with how often: `read × 3`."""
    names = Counter(map(safe, msgspec.json.decode(call.tools, type=list[str]) if call.tools else ()))
    return [name if count == 1 else f"{name} × {count}" for name, count in names.items()]


def _models(every: Sequence[facts.ModelCall]) -> Iterator[str]:
    """`9 calls to M at P`, `3 to N at P`, `2 to others`."""
    counts = Counter((call.model, call.provider) for call in every).most_common()
    for at, ((model, provider), count) in enumerate(counts[:_MODELS]):
        number = units.number(count) if at else words.count(count, "call")
        place = f" at {safe(provider)}" if provider else ""
        yield f"{number} to {shorten(safe(model or '?'), _LONGEST_MODEL)}{place}"
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


def _row(call: facts.ModelCall, *, with_session: bool, with_model: bool, live: bool) -> list[list[Cell]]:
    session = words.short_id(call.session_id) if call.session_id is not None else "–"
    return [
        [Cell(str(call.call))],
        [Cell(session if with_session else "")],
        [Cell("–" if call.turn is None else str(call.turn))],
        [Cell(units.since_start(call.started_ns))],
        [Cell(shorten(safe(call.model or "?"), _LONGEST_MODEL) if with_model else "")],
        [_time(call.first_token_ns)],
        [_time(call.duration_ns)],
        *(
            [_number(count)]
            for count in (call.input_tokens_total, call.cached_tokens or None, call.output_tokens_total)
        ),
        [Cell(*how(call, live=live))],
        asked_and_trouble(call),
    ]


def asked_and_trouble(call: facts.ModelCall) -> list[Cell]:
    """The tools; whether nobody waited for it; of which call it is a retry; why it failed."""
    cells = [Cell(", ".join(asked_for(call)))]
    if call.beside:
        cells.append(Cell("beside", words.FAINT))
    if call.retry_of is not None:
        cells.append(Cell(f"retry of {call.retry_of}".replace(" ", GLUE), words.FAINT))
    if call.error is not None and not call.aborted:
        cells.append(Cell(shorten(safe(" ".join(call.error.split())), _LONGEST_ERROR), words.ERROR))
    told = [cell for cell in cells if cell.text]
    return [piece for cell in told for piece in (Cell(" · ", words.FAINT), cell)][1:]


def _time(ns: int | None) -> Cell:
    return Cell("" if ns is None else units.duration(ns))


def _number(count: int | None) -> Cell:
    return Cell("" if count is None else units.number(count))
