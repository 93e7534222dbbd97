"""What a budget can be about: each metric with its unit, and its samples in the facts of one trace.

A sample is something that can be opened: a number, and the frame where it began. What began and never
ended is a sample without a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

from acp_trace.analyze.facts import Cancellation, Facts
from acp_trace.analyze.findings.codes import CODES, SEVERITIES
from acp_trace.protocol.methods import PROMPT

#: `ns` takes a value with a unit of time, `number` a bare one; of `seen` there is only the count.
Unit = Literal["ns", "number", "seen"]


class Sample(NamedTuple):
    """One measured thing."""

    value: int | None  #: None where it never ended
    frame: int | None  #: where it began; None for the trace as a whole


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric; `name` is what a budget begins with."""

    name: str
    unit: Unit
    doc: str
    samples: Callable[[Facts], Iterable[Sample]] = field(compare=False)  # the name says all


def _aimed(found: Facts) -> Iterator[Cancellation]:
    """The cancels that found a request. Those that nobody asked for took no time to measure."""
    for one in found.cancellations:
        if one.kind != "internal" and one.target_frame is not None:
            yield one


def _settle(found: Facts) -> Iterator[Sample]:
    for one in _aimed(found):
        yield Sample(one.settle_ns, one.frame)


def _quiesce(found: Facts) -> Iterator[Sample]:
    for one in _aimed(found):
        if one.quiesce_ns is not None:
            yield Sample(one.quiesce_ns, one.frame)


def _updates_after(found: Facts) -> Iterator[Sample]:
    for one in _aimed(found):
        if one.target_method == PROMPT:
            yield Sample(one.updates_after_cancel, one.frame)


def _late_updates(found: Facts) -> Iterator[Sample]:
    for one in _aimed(found):
        if one.target_method == PROMPT:
            yield Sample(one.late_updates, one.frame)


def _turns(found: Facts) -> Iterator[Sample]:
    for one in found.turns:
        yield Sample(one.duration_ns, one.frame)


def _first_updates(found: Facts) -> Iterator[Sample]:
    for one in found.turns:
        if one.first_update_ns is not None or one.settled_frame is None:
            yield Sample(one.first_update_ns, one.frame)


def _first_outputs(found: Facts) -> Iterator[Sample]:
    for one in found.turns:
        if one.first_output_ns is not None or one.settled_frame is None:
            yield Sample(one.first_output_ns, one.frame)


def _waits(found: Facts) -> Iterator[Sample]:
    for one in found.permissions:
        yield Sample(one.wait_ns, one.frame)


def _tool_calls(found: Facts) -> Iterator[Sample]:
    frames: dict[tuple[str, int | None, str], int] = {}
    for step in found.tool_call_steps:
        frames.setdefault((step.session_id, step.turn, step.id), step.frame)
    for one in found.tool_calls:
        if one.turn is not None:  # replayed ones took as long as the replay
            yield Sample(one.duration_ns, frames.get((one.session_id, one.turn, one.id)))


def _trace(found: Facts) -> Iterator[Sample]:
    yield Sample(found.trace.duration_ns, None)


def _latency(sender: str, method: str, found: Facts) -> Iterator[Sample]:
    for one in found.exchanges:
        if one.sender == sender and one.method == method:
            yield Sample(one.latency_ns, one.frame)


def _findings(which: str | None, found: Facts) -> Iterator[Sample]:
    for one in found.findings:
        if which is None or which in (one.severity, one.code):
            yield Sample(one.count, one.frame)


#: The metrics that have one name each. `findings.…` and `latency …` are made by name.
METRICS: dict[str, Metric] = {
    one.name: one
    for one in (
        Metric("cancel.settle", "ns", "from a cancel until its request settled", _settle),
        Metric(
            "cancel.quiesce", "ns", "from a cancel to the last update before its prompt settled", _quiesce
        ),
        Metric("cancel.updates_after", "number", "updates between a cancel and the settling", _updates_after),
        Metric(
            "cancel.late_updates", "number", "turn updates after a cancelled prompt settled", _late_updates
        ),
        Metric("turn.duration", "ns", "from a prompt until its turn settled", _turns),
        Metric("turn.first_update", "ns", "from a prompt to the first update", _first_updates),
        Metric("turn.first_output", "ns", "to the first message, thought or tool call", _first_outputs),
        Metric("permission.wait", "ns", "from a permission request to its answer", _waits),
        Metric("tool_call.duration", "ns", "from the first mention of a tool call to its end", _tool_calls),
        Metric("trace.duration", "ns", "the length of the trace", _trace),
        Metric("findings", "seen", "findings of all kinds", partial(_findings, None)),
    )
}


def findings_of(which: str) -> Metric | None:
    """The findings of a severity or a code; None where it is neither."""
    if which not in SEVERITIES and which not in CODES:
        return None
    return Metric(f"findings.{which}", "seen", f"findings: {which}", partial(_findings, which))


def latency_of(asked: str) -> Metric:
    """The latency of a method: of the client's requests, or with `agent:` before it the agent's."""
    side, colon, method = asked.partition(":")
    if not colon or side not in ("client", "agent"):
        side, method = "client", asked
    return Metric(f"latency {asked}", "ns", f"{method} of the {side}", partial(_latency, side, method))
