"""The matching parts of sessions, each with its tool calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from acp_trace.compare.pairing import calls
from acp_trace.compare.pairing.calls import MatchedCalls
from acp_trace.compare.pairing.frames import ComparedFrames, together
from acp_trace.compare.pairing.pairs import Pairing, SectionPair
from acp_trace.compare.pairing.tolerance import Tolerances
from acp_trace.compare.trace_pair import TracePair
from acp_trace.story.model import BEFORE, Section, SessionPhase, SessionStory


def paired_sections(traces: TracePair, pairing: Pairing, tolerances: Tolerances) -> Iterator[SectionPair]:
    """Yield the parts of each session in order, except a history that one trace lacks entirely."""
    normalizers = traces.expected_uncounted, traces.actual_uncounted
    for sessions in pairing.sessions:
        expected, actual = sessions
        for where in _sections(expected, actual):
            actual_where = pairing.where(sessions, where)
            if actual_where is None or (where.part == "replay" and expected.id in pairing.reopened):
                continue
            section = expected.sections.get(where, Section(where))
            actual_section = actual.sections.get(actual_where, Section(actual_where))
            if where.part == "after":  # how much of it is in the trace is chance
                matched = MatchedCalls(list(zip(section.calls, actual_section.calls, strict=False)), [], [])
            else:
                matched = calls.match(section.calls, actual_section.calls, normalizers)
            tolerance = tolerances.of(expected, actual, where, actual_where)
            yield SectionPair(sessions, where, actual_where, section, actual_section, tolerance, matched)


def compared_calls(sections: Iterable[SectionPair]) -> Iterator[ComparedFrames]:
    """Yield the frames of the tool calls in these sections."""
    for section in sections:
        if section.where.part == "after":
            continue
        calls = section.calls
        for call, actual_call in calls.pairs:
            yield together(call.frame, actual_call.frame, call.count)
        yield ComparedFrames(unmatched=sum(call.count for call in (*calls.missing, *calls.extra)))


def _sections(expected: SessionStory, actual: SessionStory) -> Iterable[SessionPhase]:
    turns = [
        SessionPhase(part, number) for number in range(len(expected.turns)) for part in ("turn", "after")
    ]
    replays = [where for where in (*expected.sections, *actual.sections) if where.part == "replay"]
    return dict.fromkeys([BEFORE, *turns, *replays])
