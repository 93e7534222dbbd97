"""The result for the recorded model calls in a run, from the model's sides of both traces. Pure.

A run records which recorded call answered each of its calls (`Served`). Only a call with another prompt
(`loose`) has to be compared: at stricter levels, only what varies from run to run differs. An unanswered call
is reported with the most similar recorded call (`extra_calls`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from acp_trace.analyze.facts import Facts
from acp_trace.compare import model_places
from acp_trace.compare.codes import Match, at_level
from acp_trace.compare.model_outcome import by_level, compared, placed, placed_at
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import Divergence, ModelOutcome, PlacedChange
from acp_trace.replay.incidents import Incident
from acp_trace.replay.settings import Settings, model_mode
from acp_trace.replay.verdict import extra_calls, model_losses
from acp_trace.replay.verdict.consequences import Refusal
from acp_trace.replay.verdict.extra_calls import Extra
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import Entry

if TYPE_CHECKING:
    from acp_trace.model.changes import ModelChange
    from acp_trace.model.matching.shapes import CallPair

#: Codes that report an unanswered call.
_UNSERVED = ("model-call-extra", *model_losses.CODES.values())
#: Levels at which tools' results, or anything, may differ. At stricter levels, all is the same.
_UNLIKE = ("output", "loose")


def is_served(sides: tuple[ModelReader, ModelReader], settings: Settings) -> bool:
    """Whether the recording answered as the model in a run: then even the model's words are the same."""
    recorded, run = sides
    mode = model_mode(settings, is_recorded=recorded.is_recorded)
    return mode == "recorded" and run.is_recorded and bool(recorded.calls)


def outcome(
    sides: tuple[ModelReader, ModelReader],
    facts: tuple[Facts, Facts],
    settings: Settings,
    match: Match,
    entries: tuple[Sequence[Entry], Sequence[Entry]],
    *,
    is_whole: bool,
) -> ModelOutcome | None:
    """Return the result for the model's side of a recording in a run; None if there is nothing to report.

    `facts`, `entries`: of both traces. `is_whole`: the run went on to its end, so that absent calls are
    missing.
    """
    recorded, run = sides
    mode = model_mode(settings, is_recorded=recorded.is_recorded)
    if not run.is_recorded:
        is_client_played = facts[1].trace.origin != "mock"
        return ModelOutcome(mode="off") if recorded.is_recorded and is_client_played else None
    is_of_this = facts[1].trace.replay_of in (None, facts[0].trace.id)  # the recording may be an alternative
    if mode == "recorded" and is_of_this:
        is_closer = at_level("model-result-lost", match)
        return _served(sides, facts, entries if is_closer else None, is_whole=is_whole)
    outcome = compared(sides, facts, mode=mode, is_whole=is_whole)
    return outcome or ModelOutcome(mode=mode, calls=len(run.calls))


def unserved(
    sides: tuple[ModelReader, ModelReader], run: Facts, outcome: ModelOutcome | None
) -> Incident | None:
    """Return the incident that the recording answered no call although prompts were sent; None otherwise.

    `run`: its facts.
    """
    if outcome is None or not outcome.serves_nothing or not run.turns:
        return None
    recorded = sides[0]
    if not recorded.calls:
        return Incident("model-unserved", f"of the recording: {recorded.seen}")
    if not outcome.calls:
        count = counted(len(recorded.calls), "call")
        return Incident("model-unserved", f"the agent made no model calls; the recording has {count}")
    return Incident("model-unserved", f"none of the run's {outcome.calls} model calls is in the recording")


def refusals(outcome: ModelOutcome | None) -> list[Refusal]:
    """Return the requests that got an error because they are not recorded, as possible causes.

    They have no frames of their own: each is placed at the frame before it.
    """
    placed = () if outcome is None else outcome.placed
    return [
        Refusal(frame, session_id, each.actual.frame)
        for each in placed
        if each.actual
        for frame, session_id in each.refused
    ]


def weighed(
    divergences: Sequence[Divergence], *, misses: Iterable[Refusal], strict: bool
) -> list[Divergence]:
    """Return the divergences; an unanswered call fails if something that fails followed from it.

    Then the missing answers are not reported separately.
    """
    frames = {miss.cause for miss in misses}
    failing = {each.consequence_of for each in divergences if each.severity == "error"}
    found = [
        replace(each, severity="error" if strict or each.got_event.frame in failing else "note")
        if each.code == "model-call-extra"
        and each.allowed is None
        and each.got_event is not None
        and each.got_event.frame in frames
        else each
        for each in divergences
    ]
    is_reported = any(
        each.severity == "error"
        and each.got_event
        and each.got_event.frame in frames
        and each.code in _UNSERVED
        for each in found
    )
    return [each for each in found if not (is_reported and each.code == "model-unserved")]


def _served(
    sides: tuple[ModelReader, ModelReader],
    facts: tuple[Facts, Facts],
    entries: tuple[Sequence[Entry], Sequence[Entry]] | None,
    *,
    is_whole: bool,
) -> ModelOutcome:
    """Return the result for the calls of a run that was answered from its recording.

    `entries`: of both traces; None if losses of recorded requests do not matter.
    """
    from acp_trace.model.comparison import changes_in, normal_forms
    from acp_trace.model.matching.levels import LEVELS
    from acp_trace.model.matching.shapes import CallPair

    recorded, run = sides
    by_number = {call.call: call for call in recorded.calls}
    pairs: list[CallPair] = []
    extra: list[Extra] = []
    answers = {number: iter(exchange.all_served) for number, exchange in run.exchanges.items()}
    for call in run.calls:
        served = next(answers[call.exchange], None)
        match = by_number.get(served.call or 0) if served is not None else None
        if served is None or match is None:
            extra.append(Extra(call, by_number.get(served.nearest or 0) if served else None, again=False))
            continue
        if served.again:
            extra.append(Extra(call, match, again=True))
        level = next((level for level in LEVELS if level == served.level), LEVELS[-1])
        pairs.append(CallPair(match, call, level))
    matched = by_level(pairs)
    asked = {pair.recorded.call for pair in pairs if pair.recorded} | {
        each.nearest.call for each in extra if each.nearest is not None
    }
    pairs += [CallPair(call, None, None) for call in recorded.calls if call.call not in asked and is_whole]
    forms = normal_forms(model_places.places(sides, facts))
    again, misses = ([each for each in extra if each.again is kind] for kind in (True, False))
    differing = [pair for pair in pairs if pair.actual is None or pair.level == LEVELS[-1]]
    # `unserved` reports once if no model is called at all.
    of_model = [*changes_in(differing, forms)[0], *extra_calls.repeated(again, facts[1])] if run.calls else []
    lost: list[ModelChange] = []
    if entries is not None:
        unlike = (pair for pair in pairs if pair.level in _UNLIKE)
        sessions = model_places.call_sessions(facts[0]), model_places.call_sessions(facts[1])
        instead = _instead(misses, pairs, sides, sessions) if misses else ()
        lost = model_losses.losses(unlike, instead, forms, entries, recorded.calls, sessions[1])
    lacking = {number for change in lost for number in change.actual_calls}
    others = (each for each in misses if each.call.call not in lacking)
    as_placed = partial(_placed, missed={each.call.call for each in misses}, sides=sides, facts=facts)
    answers_of_hosts = [served for exchange in run.exchanges.values() for served in exchange.all_served]
    return ModelOutcome(
        mode="recorded",
        calls=len(run.calls),
        matched=matched,
        unmatched=len(misses),
        placed=[
            *map(as_placed, lost),
            *placed(of_model, sides, facts),
            *map(as_placed, extra_calls.unmatched(others, forms)),
        ],
        answered=sum(served.exchange is not None for served in answers_of_hosts),
        refused=sum(served.is_refused for served in answers_of_hosts),
    )


def _instead(
    misses: Iterable[Extra],
    pairs: Iterable[CallPair],
    sides: tuple[ModelReader, ModelReader],
    sessions: tuple[Mapping[int, int], Mapping[int, int]],
) -> Iterator[CallPair]:
    """Yield the unanswered calls, each with the recorded call that it replaces, if known.

    That call has the same position among the calls of its session (`sessions`: of both sides), and answered
    no other call. If calls offer tools, those without tools do not count: an agent asks for a title at any
    time, and in varying words.
    """
    from acp_trace.model.matching.shapes import CallPair

    asked = {pair.recorded.call for pair in pairs if pair.recorded and pair.actual}
    offering = {session for call, session in sessions[0].items() if sides[0].calls[call - 1].prompt().tools}
    numbers: tuple[dict[int, tuple[int, int]], ...] = ({}, {})
    for numbered, reader, session_of in zip(numbers, sides, sessions, strict=True):
        counts: Counter[int] = Counter()
        for call in reader.calls:
            session = session_of.get(call.call)
            if session is not None and (session not in offering or call.prompt().tools):
                numbered[call.call] = session, counts[session]
                counts[session] += 1
    recorded = {numbers[0][call.call]: call for call in sides[0].calls if call.call in numbers[0]}
    for each in misses:
        place = numbers[1].get(each.call.call)
        other = None if place is None else recorded.get(place)
        yield CallPair(None if other is None or other.call in asked else other, each.call, None)


def _placed(
    change: ModelChange,
    missed: Collection[int],
    sides: tuple[ModelReader, ModelReader],
    facts: tuple[Facts, Facts],
) -> PlacedChange:
    """Return a change, placed at the first of its calls. `missed`: the calls that got an error."""
    first = change.actual_calls[0]
    placed = {
        number: placed_at(msgspec.structs.replace(change, actual_calls=(number,)), 1, sides, facts)
        for number in change.actual_calls
        if number == first or number in missed
    }
    frames = {
        each.actual.frame: each.session_id
        for number, each in placed.items()
        if number in missed and each.actual is not None
    }
    return replace(placed[first], change=change, refused=tuple(frames.items()))
