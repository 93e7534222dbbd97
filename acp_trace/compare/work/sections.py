"""An agent's work, section by section: messages, plans and other work, and what comes after the end.

Chunks of one kind between two barriers are one message; their number is not compared. `shown` compares their
content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from acp_trace.compare.content import differ, shown
from acp_trace.compare.pairing.align import NO_BARRIERS, Barriers
from acp_trace.compare.pairing.frames import ComparedFrames, together
from acp_trace.compare.pairing.pairs import Pairing, SectionPair
from acp_trace.compare.pairing.request_keys import POLLS
from acp_trace.compare.pairing.tolerance import ON_TIME, Late, Tolerance, between
from acp_trace.compare.result import Divergences
from acp_trace.compare.trace_pair import Found, TracePair
from acp_trace.compare.work import after_cancel, cut_history, tool_calls
from acp_trace.compare.work.interleaving import carried_over, cut_by_chance
from acp_trace.protocol import updates
from acp_trace.story.joined_text import JoinedText
from acp_trace.story.model import BEFORE, Section, SessionPhase, SessionStory, Story, UpdateRun

#: Updates that the ledgers of configuration and metadata cover.
_LEDGERS = frozenset({updates.CONFIG, updates.MODE, updates.SESSION_INFO})


def compare(traces: TracePair, pairing: Pairing) -> Found:
    """Compare all sections of all sessions."""
    barriers = _barriers(pairing)
    #: The expected trace may have had later updates too.
    last_frame = traces.actual.frames if traces.expected.whole else pairing.last_actual
    is_by_chance = _goes_on_after_most_stops(traces.expected)
    is_beside = is_by_chance or _goes_on_after_most_stops(traces.actual)
    for pair in pairing.sections:
        (expected, actual), where, actual_where, section, actual_section, tolerance, _ = pair
        if where.part == "after":
            yield from _late(traces, pair, 0 if is_by_chance else last_frame)
            continue
        compared, between_requests, late = pair, NO_BARRIERS, ON_TIME
        if where == BEFORE:
            yield from _before(traces, pair)
        else:
            between_requests = barriers.get((expected.id, where), NO_BARRIERS)
            late = _after(expected, where, actual, actual_where)
            if is_beside and where.part == "turn":
                late = late._replace(beside=((expected, where), (actual, actual_where)))
                compared = pair._replace(tolerance=tolerance._replace(waited=False))
            yield from _messages(traces, compared, between_requests, late)
            others = section.others, actual_section.others
            yield from _any(traces, expected.id, *others, tolerance, f"in {where}", late)
            if not tolerance.open_end:
                for kind in others[0].keys() & others[1].keys():
                    yield from differ.turn(traces, expected.id, others[0][kind], others[1][kind])
        yield from tool_calls.compare(traces, compared, between_requests, late)
    for expected, actual in pairing.sessions:
        states, actual_states = (
            {kind: run for kind, run in session.states.items() if kind not in _LEDGERS}
            for session in (expected, actual)
        )
        yield ComparedFrames(
            frames=sum(run.count for kind, run in expected.states.items() if kind in _LEDGERS)
        )
        tolerance = between(traces.expected, traces.actual)
        yield from _any(traces, expected.id, states, actual_states, tolerance, "in the session")
    yield from differ.sessions(traces, pairing.sessions)


def _barriers(pairing: Pairing) -> dict[tuple[str, SessionPhase], Barriers]:
    """Return the barriers of each turn, by session and turn of the expected trace: requests of the agent.

    Between two barriers the agent's streams (each kind of message, each tool call) may change order. Messages
    of the client are not barriers: their order among the agent's messages is chance. Nor is a request that
    moved to another turn.
    """
    frames: dict[tuple[str, SessionPhase], list[tuple[int, int]]] = {}
    for sessions, (expected, actual) in pairing.requests:
        is_agent = expected.sender == "agent" and expected.method not in POLLS
        if sessions is None or expected.where is None or not is_agent:
            continue
        if actual.where == pairing.where(sessions, expected.where):
            frames.setdefault((sessions[0].id, expected.where), []).append((expected.frame, actual.frame))
    return {key: Barriers(pairs) for key, pairs in frames.items()}


def _after(
    expected: SessionStory, where: SessionPhase, actual: SessionStory, actual_where: SessionPhase
) -> Late:
    """Return what each trace has after a turn. Nothing belongs to the time after a replay of history."""
    if where.part != "turn":
        return ON_TIME
    return Late(_kinds_after(expected, where), _kinds_after(actual, actual_where))


def _kinds_after(session: SessionStory, turn: SessionPhase) -> frozenset[str]:
    return _kinds(session.sections.get(SessionPhase("after", turn.number)))


def _kinds(section: Section | None) -> frozenset[str]:
    """Return the kinds of work in a section."""
    return frozenset() if section is None else frozenset((*section.messages, *section.others))


def _messages(traces: TracePair, section: SectionPair, barriers: Barriers, late: Late) -> Found:
    session_id, expected, actual = section.session_id, section.expected, section.actual
    for kind in dict.fromkeys([*expected.messages, *actual.messages]):
        tolerance = _of_message(traces, section, kind)
        cancels = tolerance.cancels or (None, None)
        if tolerance.cancels is not None:
            texts = expected.messages.get(kind, ()), actual.messages.get(kind, ())
            yield from after_cancel.compare(traces, session_id, kind, *texts, tolerance.cancels)
        runs = _by_segment(expected.messages.get(kind, ()), barriers.expected, cancels[0])
        actual_runs = _by_segment(actual.messages.get(kind, ()), barriers.actual, cancels[1])
        new = (run.frame for segment, run in actual_runs.items() if segment not in runs)
        if not any(map(tolerance.is_decision, new)) and _is_cut_elsewhere(traces, runs, actual_runs):
            first = actual_runs[min(actual_runs)]
            for segment, whole in runs.items():
                yield together(whole.frame, actual_runs.get(segment, first).frame, whole.count)
            continue
        is_cut_alike = runs.keys() == actual_runs.keys()
        by_chance = set[int]() if is_cut_alike else cut_by_chance(expected, actual, kind, barriers)
        for segment in sorted(runs.keys() | actual_runs.keys()):
            run, actual_run = runs.get(segment), actual_runs.get(segment)
            if run is not None and actual_run is not None:
                yield together(run.frame, actual_run.frame, run.count)
                open_end = tolerance.open_end or late.may_go_on(kind)
                begins = ("", "")
                if late.beside and segment == min(runs) == min(actual_runs):
                    begins = carried_over(traces, kind, shown.TEXT, *late.beside)
                found = _shown(traces, session_id, kind, run, actual_run, begins, open_end=open_end)
                yield from cut_history.judged(traces, kind, expected.where, (run, actual_run), found)
            elif run is not None:
                yield ComparedFrames(unmatched=run.count)
                if not (tolerance.may_miss(run.frame) or kind in late.actual or segment in by_chance):
                    message = f"{kind} is missing in {expected.where}{barriers.place(segment)}"
                    yield traces.divergence("message-missing", session_id, message, run.frame, None, was=kind)
            elif actual_run is not None:
                yield ComparedFrames(unmatched=actual_run.count)
                if not (tolerance.may_add(actual_run.frame) or kind in late.expected or segment in by_chance):
                    message = f"an additional {kind} in {expected.where}{barriers.place(segment)}"
                    yield traces.divergence(
                        "message-extra", session_id, message, None, actual_run.frame, now=kind
                    )


def _of_message(traces: TracePair, section: SectionPair, kind: str) -> Tolerance:
    """Return the tolerance for messages of a kind: the rest of one that was on its way is no decision."""
    tolerance = section.tolerance
    if not tolerance.waited or tolerance.cancels is None:
        return tolerance
    expected, actual = (side.messages.get(kind, ()) for side in (section.expected, section.actual))
    is_rest = after_cancel.is_rest(traces, expected, actual, tolerance.cancels[1])
    return tolerance._replace(waited=not is_rest)


def _is_cut_elsewhere(
    traces: TracePair, expected: Mapping[int, UpdateRun], actual: Mapping[int, UpdateRun]
) -> bool:
    """Whether both show the same text, which the agent's requests cut at other places.

    Some agents stream a message while their tools already begin: which comes first is chance.
    """
    if min(expected, default=None) != min(actual, default=None) or max(len(expected), len(actual)) < 2:
        return False
    pairs = ((expected[segment].shown, actual[segment].shown) for segment in expected.keys() & actual.keys())
    if expected.keys() == actual.keys() and not any(
        was and now and shown.may_differ(traces, was, now) for was, now in pairs
    ):
        return False  # nothing would be reported: searching long texts would cost most of a comparison
    was = traces.expected_uncounted.shown(_text(expected), shown.TEXT)
    return bool(was) and bool(was == traces.actual_uncounted.shown(_text(actual), shown.TEXT))


def _text(runs: Mapping[int, UpdateRun]) -> str:
    """Return the content of messages, one after the other."""
    shown = (runs[segment].shown for segment in sorted(runs))
    return "".join(each.text for each in shown if each is not None)


def _by_segment(
    runs: Iterable[UpdateRun], segment: Callable[[int], int], cancel: int | None = None
) -> dict[int, UpdateRun]:
    """Return one message for each gap between barriers, without content after the frame of a cancel."""
    messages: dict[int, UpdateRun] = {}
    for run in runs:
        message = messages.setdefault(segment(run.frame), UpdateRun(run.frame, 0, JoinedText()))
        message.count += run.count
        if message.shown is not None and run.shown is not None and (cancel is None or run.frame < cancel):
            message.shown.include(run.shown, run.frame)
    return messages


def _shown(
    traces: TracePair,
    session_id: str,
    kind: str,
    run: UpdateRun,
    actual_run: UpdateRun,
    begins: tuple[str, str] = ("", ""),
    *,
    open_end: bool,
) -> Divergences:
    if run.shown is not None and actual_run.shown is not None:
        expected, actual = (run.frame, run.shown), (actual_run.frame, actual_run.shown)
        yield from shown.message(traces, session_id, kind, expected, actual, begins, open_end=open_end)


def _any(
    traces: TracePair,
    session_id: str,
    expected: Mapping[str, UpdateRun],
    actual: Mapping[str, UpdateRun],
    tolerance: Tolerance,
    place: str,
    late: Late = ON_TIME,
) -> Found:
    """Compare which kinds of updates there are."""
    for kind in dict.fromkeys([*expected, *actual]):
        run, actual_run = expected.get(kind), actual.get(kind)
        if run is not None and actual_run is not None:
            yield together(run.frame, actual_run.frame, run.count)
        elif run is not None:
            yield ComparedFrames(unmatched=run.count)
            if not (tolerance.may_miss(run.frame) or kind in late.actual):
                message, frames = f"{kind} is no longer sent {place}", (run.frame, None)
                yield traces.divergence(
                    "update-missing", session_id, message, *frames, was=kind, count=run.count
                )
        elif actual_run is not None:
            yield ComparedFrames(unmatched=actual_run.count)
            if not (tolerance.extra or kind in late.expected):
                message, count = f"an additional kind of update {place}: {kind}", actual_run.count
                yield traces.divergence(
                    "update-extra", session_id, message, None, actual_run.frame, now=kind, count=count
                )


def _goes_on_after_most_stops(story: Story) -> bool:
    """Whether an agent answers its prompts in parallel to their updates, so that their order is chance.

    opencode 1.2.27 does: its answer overtakes its stream, in another turn and at another place each time.
    """
    ends = [
        bool(_firsts(session.sections.get(SessionPhase("after", number), Section(BEFORE))))
        for session in story.sessions.values()
        for number in range(len(session.turns))
    ]
    return sum(ends) * 2 > len(ends)


def _late(traces: TracePair, section: SectionPair, last_frame: int) -> Found:
    """Compare what comes after a turn, up to a frame of the actual trace; 0: nothing is reported.

    In draft 2 work continues in the background (v2/prompt-lifecycle).
    """
    firsts, actual_firsts = _firsts(section.expected), _firsts(section.actual)
    for kind, run in firsts.items():
        if kind in actual_firsts:
            yield together(run.frame, actual_firsts[kind].frame, run.count)
    new = {kind: run for kind, run in actual_firsts.items() if kind not in firsts}
    count = sum(run.count for run in new.values())
    yield ComparedFrames(unmatched=count)
    first = min((run.frame for run in new.values()), default=last_frame + 1)
    if first <= last_frame and traces.actual.facts.trace.protocol_version != 2:
        message = f"{', '.join(new)} is sent after the end of turn {section.where.number}"
        yield traces.divergence("update-after-stop", section.session_id, message, None, first, count=count)


def _before(traces: TracePair, section: SectionPair) -> Found:
    """Compare what comes before the first prompt, or just after it, if the client is quick."""
    firsts, actual_firsts = _firsts(section.expected), _firsts(section.actual)
    in_turn, in_actual_turn = (
        _kinds(session.sections.get(SessionPhase("turn", 0))) for session in section.sessions
    )
    tolerance = between(traces.expected, traces.actual)
    session_id = section.session_id
    for kind in dict.fromkeys([*firsts, *actual_firsts]):
        run, actual_run = firsts.get(kind), actual_firsts.get(kind)
        if run is not None and actual_run is not None:
            yield together(run.frame, actual_run.frame, run.count)
            yield from _shown(traces, session_id, kind, run, actual_run, open_end=tolerance.open_end)
        elif run is not None and kind not in in_actual_turn and not tolerance.may_miss(run.frame):
            message = f"{kind} is missing before the first turn"
            yield traces.divergence("message-missing", session_id, message, run.frame, None, was=kind)
        elif actual_run is not None and kind not in in_turn and not tolerance.extra:
            message = f"an additional {kind} before the first turn"
            yield traces.divergence("message-extra", session_id, message, None, actual_run.frame, now=kind)


def _firsts(section: Section) -> dict[str, UpdateRun]:
    """Return the work in a section: for each kind, the first of it, and the number of frames."""
    messages = {kind: _by_segment(runs, lambda _: 0)[0] for kind, runs in section.messages.items()}
    return messages | section.others
