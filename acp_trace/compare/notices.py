"""Notifications other than updates, lines that are not messages, and responses that answer nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acp_trace.compare.codes import at_level
from acp_trace.compare.collector import Collector
from acp_trace.compare.pairing.align import align_in_steps
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.story.model import Story, TraceEvent
from acp_trace.normalize import pointers
from acp_trace.protocol import methods

_Events = Sequence[TraceEvent]
_Aims = dict[int, tuple[str, int]]  # by the frame of a cancel, session and turn
_OF_MODEL = "; it may depend on what the model says"


def notifications(collector: Collector, pairing: Pairing) -> None:
    """Compares them, session by session: the client's one by one, the agent's by whether there are any.

    An agent takes back what it asked for when it gets to it, and sends some of its own in any number.
    """
    nowhere = (None, collector.expected.notifications, collector.actual.notifications)
    groups: list[tuple[str | None, _Events, _Events]] = [nowhere]
    groups += [
        (expected.id, expected.notifications, actual.notifications) for expected, actual in pairing.sessions
    ]
    aims = _aims(collector, pairing)
    for session_id, expected_events, actual_events in groups:
        in_order = _of("client", expected_events), _of("client", actual_events)
        _in_order(collector, session_id, *in_order, aims)
        _any(collector, session_id, _of("agent", expected_events), _of("agent", actual_events))


def odd(collector: Collector) -> None:
    """Compares lines that are not messages: more of them are a divergence."""
    collector.count_compared(collector.expected.blank)
    _more(collector, "noise", collector.expected.odd, collector.actual.odd, "not a JSON-RPC message")


def strays(collector: Collector) -> None:
    """Compares answers to nothing, and second answers: more of them are a divergence."""
    _more(
        collector,
        "response-extra",
        collector.expected.strays,
        collector.actual.strays,
        "a response without a request",
    )


def _of(sender: str, events: _Events) -> list[TraceEvent]:
    return [event for event in events if event.sender == sender]


def _in_order(
    collector: Collector,
    session_id: str | None,
    expected: _Events,
    actual: _Events,
    aims: tuple[_Aims, _Aims],
) -> None:
    methods = [event.method for event in expected], [event.method for event in actual]
    expected_aims = [(event.method, aims[0].get(event.frame)) for event in expected]
    actual_aims = [(event.method, aims[1].get(event.frame)) for event in actual]
    aligned = align_in_steps((expected_aims, actual_aims), methods)
    for i, j in aligned.pairs:
        collector.pair(expected[i].frame, actual[j].frame)
    last_i, last_j = aligned.pairs[-1] if aligned.pairs else (-1, -1)
    for i in aligned.missing:
        collector.count_unmatched()
        if collector.actual.whole or i < last_i:
            message = f"{expected[i].method} is no longer sent"
            collector.report("notification-missing", session_id, message, expected[i].frame, None)
    for j in aligned.extra:
        collector.count_unmatched()
        if collector.expected.whole or j < last_j:
            message = f"an additional {actual[j].method} is sent"
            collector.report("notification-extra", session_id, message, None, actual[j].frame)


def _aims(collector: Collector, pairing: Pairing) -> tuple[_Aims, _Aims]:
    """The turn that each cancel is aimed at, by its frame, in both traces as the expected one calls it."""
    expected, actual = (
        {
            cancel.frame: (turn.session_id, turn.turn)
            for cancel in story.facts.cancellations
            if (turn := story.turns.get(cancel.target_frame or 0)) is not None
        }
        for story in (collector.expected, collector.actual)
    )
    names = {
        (pairing.bindings.actual("session", session_id), actual_turn): (session_id, turn)
        for (session_id, turn), actual_turn in pairing.turns.items()
    }
    return expected, {frame: names[turn] for frame, turn in actual.items() if turn in names}


def _any(collector: Collector, session_id: str | None, expected: _Events, actual: _Events) -> None:
    expected_counts, actual_counts = (Counter(event.method for event in side) for side in (expected, actual))
    expected_firsts, actual_firsts = (
        {event.method: event for event in reversed(side)} for side in (expected, actual)
    )
    for method, event in expected_firsts.items():
        count = expected_counts[method]
        if method in actual_firsts:
            collector.pair(event.frame, actual_firsts[method].frame, count)
            continue
        collector.count_unmatched(count)
        if collector.actual.whole:
            is_note = _may_depend_on_the_model(collector, collector.expected, event)
            message = f"{method} is no longer sent{_OF_MODEL if is_note else ''}"
            collector.report("notification-missing", session_id, message, event.frame, None,
                             count=count, severity="note" if is_note else None)  # fmt: skip
    for method, event in actual_firsts.items():
        if method in expected_firsts:
            continue
        collector.count_unmatched(actual_counts[method])
        if collector.expected.whole:
            count = actual_counts[method]
            is_note = _may_depend_on_the_model(collector, collector.actual, event)
            message = f"an additional {method} is sent{_OF_MODEL if is_note else ''}"
            collector.report("notification-extra", session_id, message, None, event.frame,
                             count=count, severity="note" if is_note else None)  # fmt: skip


def _may_depend_on_the_model(collector: Collector, story: Story, first: TraceEvent) -> bool:
    """Whether a model may have brought it about that there are such notifications, at levels for any model.

    qwen-code suggests a prompt after a turn if its model suggests one, in time. What comes before the first
    prompt does not depend on a model, nor do the protocol's own notifications.
    """
    if first.method in methods.BY_NAME or at_level("content-differs", collector.match):
        return False
    return any(prompt < first.frame for prompt in story.turns)


def _more(collector: Collector, code: str, expected: _Events, actual: _Events, what: str) -> None:
    """One divergence for each sender that has more of them: the first that has no like."""
    for sender in ("client", "agent"):
        before, after = _of(sender, expected), _of(sender, actual)
        unmatched = Counter(event.text for event in before)
        fresh = []
        for event in after:
            if unmatched[event.text]:
                unmatched[event.text] -= 1
            else:
                fresh.append(event)
        more = len(after) - len(before)
        collector.count_compared(min(len(before), len(after)))
        collector.count_unmatched(abs(more))
        if more > 0 and (collector.expected.whole or fresh[0].frame < collector.last_actual):
            text = fresh[0].text[:200].decode("utf-8", "replace")
            message, now = f"{what}: {pointers.shown(text, 60)}", pointers.shown(text, 120)
            collector.report(code, None, message, None, fresh[0].frame, now=now, count=more)
