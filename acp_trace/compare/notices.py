"""Notifications other than updates, lines that are not messages, and responses that answer nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acp_trace.compare.codes import at_level
from acp_trace.compare.pairing.align import align_in_steps
from acp_trace.compare.pairing.frames import ComparedFrames, together
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.trace_pair import Found, TracePair
from acp_trace.normalize import pointers
from acp_trace.protocol import methods
from acp_trace.story.model import Story, TraceEvent

_Events = Sequence[TraceEvent]
_Aims = dict[int, tuple[str, int]]  # by the frame of a cancel, session and turn
_OF_MODEL = "; it may depend on what the model says"


def notifications(traces: TracePair, pairing: Pairing) -> Found:
    """Compare notifications, session by session: the client's one by one, the agent's by their presence.

    An agent withdraws its requests at some later time, and sends some notifications of its own in any number.
    """
    nowhere = (None, traces.expected.notifications, traces.actual.notifications)
    groups: list[tuple[str | None, _Events, _Events]] = [nowhere]
    groups += [
        (expected.id, expected.notifications, actual.notifications) for expected, actual in pairing.sessions
    ]
    aims = _aims(traces, pairing)
    for session_id, expected_events, actual_events in groups:
        in_order = _of("client", expected_events), _of("client", actual_events)
        yield from _in_order(traces, session_id, *in_order, aims)
        yield from _any(traces, session_id, _of("agent", expected_events), _of("agent", actual_events))


def odd(traces: TracePair, last_actual: int) -> Found:
    """Compare lines that are not messages: more of them are a divergence.

    `last_actual`: the last frame of the actual trace up to which the expected one goes.
    """
    yield ComparedFrames(frames=traces.expected.blank)
    both = traces.expected.odd, traces.actual.odd
    yield from _more(traces, "noise", *both, "not a JSON-RPC message", last_actual)


def strays(traces: TracePair, last_actual: int) -> Found:
    """Compare answers to nothing, and second answers: more of them are a divergence. Works like `odd`."""
    responses = traces.expected.strays, traces.actual.strays
    yield from _more(traces, "response-extra", *responses, "a response without a request", last_actual)


def _of(sender: str, events: _Events) -> list[TraceEvent]:
    return [event for event in events if event.sender == sender]


def _in_order(
    traces: TracePair,
    session_id: str | None,
    expected: _Events,
    actual: _Events,
    aims: tuple[_Aims, _Aims],
) -> Found:
    methods = [event.method for event in expected], [event.method for event in actual]
    expected_aims = [(event.method, aims[0].get(event.frame)) for event in expected]
    actual_aims = [(event.method, aims[1].get(event.frame)) for event in actual]
    aligned = align_in_steps((expected_aims, actual_aims), methods)
    for i, j in aligned.pairs:
        yield together(expected[i].frame, actual[j].frame)
    last_i, last_j = aligned.pairs[-1] if aligned.pairs else (-1, -1)
    for i in aligned.missing:
        yield ComparedFrames(unmatched=1)
        if traces.actual.whole or i < last_i:
            message = f"{expected[i].method} is no longer sent"
            yield traces.divergence("notification-missing", session_id, message, expected[i].frame, None)
    for j in aligned.extra:
        yield ComparedFrames(unmatched=1)
        if traces.expected.whole or j < last_j:
            message = f"an additional {actual[j].method} is sent"
            yield traces.divergence("notification-extra", session_id, message, None, actual[j].frame)


def _aims(traces: TracePair, pairing: Pairing) -> tuple[_Aims, _Aims]:
    """Return the turn that each cancel aims at, by its frame, in both traces, in the expected numbering."""
    expected, actual = (
        {
            cancel.frame: (turn.session_id, turn.turn)
            for cancel in story.facts.cancellations
            if (turn := story.turns.get(cancel.target_frame or 0)) is not None
        }
        for story in (traces.expected, traces.actual)
    )
    names = {
        (pairing.bindings.actual("session", session_id), actual_turn): (session_id, turn)
        for (session_id, turn), actual_turn in pairing.turns.items()
    }
    return expected, {frame: names[turn] for frame, turn in actual.items() if turn in names}


def _any(traces: TracePair, session_id: str | None, expected: _Events, actual: _Events) -> Found:
    expected_counts, actual_counts = (Counter(event.method for event in side) for side in (expected, actual))
    expected_firsts, actual_firsts = (
        {event.method: event for event in reversed(side)} for side in (expected, actual)
    )
    for method, event in expected_firsts.items():
        count = expected_counts[method]
        if method in actual_firsts:
            yield together(event.frame, actual_firsts[method].frame, count)
            continue
        yield ComparedFrames(unmatched=count)
        if traces.actual.whole:
            is_note = _may_depend_on_the_model(traces, traces.expected, event)
            message = f"{method} is no longer sent{_OF_MODEL if is_note else ''}"
            yield traces.divergence("notification-missing", session_id, message, event.frame, None,
                                    count=count, severity="note" if is_note else None)  # fmt: skip
    for method, event in actual_firsts.items():
        if method in expected_firsts:
            continue
        yield ComparedFrames(unmatched=actual_counts[method])
        if traces.expected.whole:
            count = actual_counts[method]
            is_note = _may_depend_on_the_model(traces, traces.actual, event)
            message = f"an additional {method} is sent{_OF_MODEL if is_note else ''}"
            yield traces.divergence("notification-extra", session_id, message, None, event.frame,
                                    count=count, severity="note" if is_note else None)  # fmt: skip


def _may_depend_on_the_model(traces: TracePair, story: Story, first: TraceEvent) -> bool:
    """Whether a model may have caused such notifications, at levels that allow any model.

    qwen-code suggests a prompt after a turn if its model suggests one, in time. Notifications before the
    first prompt do not depend on a model, nor do the protocol's own.
    """
    if first.method in methods.BY_NAME or at_level("content-differs", traces.match):
        return False
    return any(prompt < first.frame for prompt in story.turns)


def _more(
    traces: TracePair,
    code: str,
    expected: _Events,
    actual: _Events,
    what: str,
    last_actual: int,
) -> Found:
    """Yield one divergence for each sender with more of them: at the first without a match."""
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
        yield ComparedFrames(frames=min(len(before), len(after)))
        yield ComparedFrames(unmatched=abs(more))
        if more > 0 and fresh[0].frame <= last_actual:
            text = fresh[0].text[:200].decode("utf-8", "replace")
            message, now = f"{what}: {pointers.shown(text, 60)}", pointers.shown(text, 120)
            yield traces.divergence(code, None, message, None, fresh[0].frame, now=now, count=more)
