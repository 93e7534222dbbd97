"""What a budget can be about: each metric with its unit, and its samples in the facts of one trace.

A sample can be opened: it is a number, and the frame at which it began. What began and never ended is a
sample without a value; of a span, it is known how long it was open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

from acp_trace.analyze.facts import Cancellation, Facts
from acp_trace.analyze.findings.codes import CODES, SEVERITIES
from acp_trace.analyze.tool_span import has_unknown_time
from acp_trace.protocol.methods import PROMPT

#: `ns` takes a value with a unit of time, `number` a bare number; `seen` only allows the count.
Unit = Literal["ns", "number", "seen"]


class Sample(NamedTuple):
    """One measured thing."""

    value: int | None  #: None if it never ended
    frame: int | None  #: the frame at which it began; None for the trace as a whole
    open_ns: int | None = None  #: without a value: how long it had been open when the trace ended


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; `name` is the first word of a budget."""

    name: str
    unit: Unit
    doc: str
    measured: Callable[[Facts], Iterable[Sample]] = field(compare=False)  # the name identifies a metric

    def samples(self, facts: Facts) -> Iterable[Sample]:
        """Return its samples in a trace; a time has no samples if the trace has no times."""
        return self.measured(facts) if facts.trace.has_times or self.unit != "ns" else ()


def _span(facts: Facts, took_ns: int | None, frame: int | None, began_ns: int | None) -> Sample:
    if took_ns is not None or began_ns is None:
        return Sample(took_ns, frame)
    end = max(facts.trace.duration_ns or 0, facts.trace.last_frame_ns or 0)
    return Sample(None, frame, max(end - began_ns, 0))


def _aimed(facts: Facts) -> Iterator[Cancellation]:
    """Yield the cancels that found a request. Internal cancels, which no side requested, took no time."""
    for cancellation in facts.cancellations:
        if cancellation.kind != "internal" and cancellation.target_frame is not None:
            yield cancellation


def _settle(facts: Facts) -> Iterator[Sample]:
    for cancellation in _aimed(facts):
        yield _span(facts, cancellation.settle_ns, cancellation.frame, cancellation.t_ns)


def _quiesce(facts: Facts) -> Iterator[Sample]:
    for cancellation in _aimed(facts):
        if cancellation.quiesce_ns is not None:
            yield Sample(cancellation.quiesce_ns, cancellation.frame)


def _updates_after(facts: Facts) -> Iterator[Sample]:
    for cancellation in _aimed(facts):
        if cancellation.target_method == PROMPT:
            yield Sample(cancellation.updates_after_cancel, cancellation.frame)


def _late_updates(facts: Facts) -> Iterator[Sample]:
    for cancellation in _aimed(facts):
        if cancellation.target_method == PROMPT:
            yield Sample(cancellation.late_updates, cancellation.frame)


def _turns(facts: Facts) -> Iterator[Sample]:
    for turn in facts.turns:
        yield _span(facts, turn.duration_ns, turn.frame, turn.t_ns)


def _silences(facts: Facts) -> Iterator[Sample]:
    for turn in facts.turns:
        yield Sample(turn.silence_ns, turn.silence_frame)


def _first_updates(facts: Facts) -> Iterator[Sample]:
    for turn in facts.turns:
        if turn.first_update_ns is not None or turn.settled_frame is None:
            yield _span(facts, turn.first_update_ns, turn.frame, turn.t_ns)


def _first_outputs(facts: Facts) -> Iterator[Sample]:
    for turn in facts.turns:
        if turn.first_output_ns is not None or turn.settled_frame is None:
            yield _span(facts, turn.first_output_ns, turn.frame, turn.t_ns)


def _waits(facts: Facts) -> Iterator[Sample]:
    for permission in facts.permissions:
        yield _span(facts, permission.wait_ns, permission.frame, permission.t_ns)


def _tool_calls(facts: Facts) -> Iterator[Sample]:
    frames: dict[tuple[str, int | None, str], int] = {}
    for step in facts.tool_call_steps:
        frames.setdefault((step.session_id, step.turn, step.id), step.frame)
    for call in facts.tool_calls:
        # History calls took as long as the replay, and the duration of some calls is unknown.
        if call.turn is not None and not has_unknown_time(call):
            yield Sample(call.duration_ns, frames.get((call.session_id, call.turn, call.id)))


def _part(name: str, facts: Facts) -> Iterator[Sample]:
    """Yield a part of each turn's time, for a trace with model calls."""
    for turn in facts.turns:
        if turn.model_calls is not None:
            yield Sample(getattr(turn, name), turn.frame)


def _model_calls(facts: Facts) -> Iterator[Sample]:
    for turn in facts.turns:
        if turn.model_calls is not None and turn.settled_frame is not None:
            yield Sample(turn.model_calls, turn.frame)


def _of_calls(name: str, facts: Facts, *, may_be_open: bool = True) -> Iterator[Sample]:
    """Yield the field `name` of each model call, without finished calls that lack it."""
    prompts = {(turn.session_id, turn.turn): turn.frame for turn in facts.turns}
    for call in facts.model_calls:
        value = getattr(call, name)
        if value is not None or (may_be_open and call.duration_ns is None):
            turn = None if call.session_id is None or call.turn is None else (call.session_id, call.turn)
            yield Sample(value, None if turn is None else prompts.get(turn))


def _calls_at_cancels(facts: Facts) -> Iterator[Sample]:
    for call in facts.model_calls:
        if call.cancel_frame is not None:
            yield Sample(call.cancel_to_end_ns, call.cancel_frame)


def _trace(facts: Facts) -> Iterator[Sample]:
    yield Sample(facts.trace.duration_ns, None)


def _latency(sender: str, method: str, facts: Facts) -> Iterator[Sample]:
    for exchange in facts.exchanges:
        if exchange.sender == sender and exchange.method == method:
            yield _span(facts, exchange.latency_ns, exchange.frame, exchange.t_ns)


def _findings(which: str | None, facts: Facts) -> Iterator[Sample]:
    for finding in facts.findings:
        if which is None or which in (finding.severity, finding.code):
            yield Sample(finding.count, finding.frame)


#: The metrics with a fixed name each. The names of `findings.…` and `latency …` are composed.
METRICS: dict[str, Metric] = {
    one.name: one
    for one in (
        Metric("cancel.settle", "ns", "from a cancel of a request until that request settled", _settle),
        Metric(
            "cancel.quiesce",
            "ns",
            "from a cancel of a request to the last update before that request settled",
            _quiesce,
        ),
        Metric(
            "cancel.updates_after",
            "number",
            "updates between a cancel and the end of the cancelled prompt",
            _updates_after,
        ),
        Metric(
            "cancel.late_updates",
            "number",
            "updates of a cancelled turn after its end and before the next prompt",
            _late_updates,
        ),
        Metric("turn.duration", "ns", "from a prompt until its turn settled", _turns),
        Metric("turn.first_update", "ns", "from a prompt to the first update", _first_updates),
        Metric(
            "turn.first_output",
            "ns",
            "from a prompt to the first message, thought or tool call",
            _first_outputs,
        ),
        Metric("turn.silence", "ns", "the longest time in a turn in which nothing was sent", _silences),
        Metric(
            "turn.model", "ns", "the time in which a turn waited for the model", partial(_part, "model_ns")
        ),
        Metric(
            "turn.tool",
            "ns",
            "the part of a turn in which tools ran and the model did not",
            partial(_part, "tool_ns"),
        ),
        Metric(
            "turn.client", "ns", "the time in which a turn waited for the client", partial(_part, "client_ns")
        ),
        Metric("turn.own", "ns", "the part of a turn that is the agent's own work", partial(_part, "own_ns")),
        Metric(
            "turn.unknown",
            "ns",
            "the part of a turn that may be own work or a tool",
            partial(_part, "unknown_ns"),
        ),
        Metric("model.calls", "number", "calls of the model that began in a turn", _model_calls),
        Metric(
            "model.first_token",
            "ns",
            "from a model call to its first words, thoughts or tool call",
            partial(_of_calls, "first_token_ns"),
        ),
        Metric(
            "model.duration",
            "ns",
            "from a model call until it ended or was broken off",
            partial(_of_calls, "duration_ns"),
        ),
        Metric(
            "model.tokens_in",
            "number",
            "tokens of a model call's prompt, including those read from a cache",
            partial(_of_calls, "input_tokens_total", may_be_open=False),
        ),
        Metric(
            "model.tokens_out",
            "number",
            "tokens of a model call's answer",
            partial(_of_calls, "output_tokens_total", may_be_open=False),
        ),
        Metric(
            "model.cancel",
            "ns",
            "from the cancel of a turn until its open model call ended",
            _calls_at_cancels,
        ),
        Metric("permission.wait", "ns", "from a permission request to its answer", _waits),
        Metric(
            "tool_call.duration",
            "ns",
            "the duration of a tool call, as in the table `tool_calls`",
            _tool_calls,
        ),
        Metric("trace.duration", "ns", "the length of the trace", _trace),
        Metric("findings", "seen", "findings of all kinds", partial(_findings, None)),
    )
}


def findings_of(which: str) -> Metric | None:
    """Return the metric for the findings of a severity or a code; None if it is neither."""
    if which not in SEVERITIES and which not in CODES:
        return None
    return Metric(f"findings.{which}", "seen", f"findings: {which}", partial(_findings, which))


def latency_of(qualified: str) -> Metric:
    """Return the metric for a method's latency: of the client's requests, or with `agent:` the agent's."""
    side, colon, method = qualified.partition(":")
    if not colon or side not in ("client", "agent"):
        side, method = "client", qualified
    return Metric(f"latency {qualified}", "ns", f"{method} of the {side}", partial(_latency, side, method))
