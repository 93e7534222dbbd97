"""What became of the recorded calls of a model in a run, from the model's sides of both traces. Pure.

A run says of each of its calls which recorded one answered it (`Served`). Only where that has another prompt
(`loose`) is there something to compare: at stricter levels, nothing differs but what varies from run to run.
A call that nothing answered is told with the recorded one that is most like it, and what differs. How often
an agent asks the same again after that says nothing: it is told once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from acp_trace.analyze.facts import Facts
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import Divergence, ModelOutcome, PlacedChange
from acp_trace.replay.settings import Settings, model_mode
from acp_trace.replay.verdict.consequences import Refusal

if TYPE_CHECKING:
    from acp_trace.model.calls import ModelCall
    from acp_trace.model.changes import ModelChange
    from acp_trace.model.prompt_diff import Normalise, PromptDiff

_MOST = 3  #: differences from the nearest call that are named
#: How calls match, strictest first; at the last level, their prompts differ.
LEVELS = ("raw", "ids", "environment", "sorted", "output", "loose")
_LOOSE = LEVELS[-1]


class ServedPair(NamedTuple):
    """A recorded call and the run's call that it answered; one of them None if the other stands alone."""

    recorded: ModelCall | None
    actual: ModelCall | None


class _Extra(NamedTuple):
    """A call that the recording does not have. `again`: it has it, but not so often."""

    call: ModelCall
    nearest: ModelCall | None
    again: bool


def outcome(
    sides: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts], settings: Settings, *, is_whole: bool
) -> ModelOutcome | None:
    """What became of the model's side of a recording in a run; None if there is nothing to say of it.

    `facts`: of both traces. `is_whole`: the run went on to its end: a call that did not come is missing.
    """
    recorded, run = sides
    mode = model_mode(settings, is_recorded=recorded.is_recorded)
    if not run.is_recorded:
        is_client_played = facts[1].trace.origin != "mock"
        return ModelOutcome(mode="off") if recorded.is_recorded and is_client_played else None
    if mode == "recorded":
        return _served(recorded, run, facts, is_whole=is_whole)
    return None


def refusals(outcome: ModelOutcome | None) -> list[Refusal]:
    """The requests that got an error, because they are not recorded: what follows may come from that.

    None has a frame of its own: each stands at the frame before it.
    """
    placed = () if outcome is None else outcome.placed
    return [Refusal(each.actual.frame, each.session_id) for each in placed if each.is_refused and each.actual]


def weighed(
    divergences: Sequence[Divergence], *, misses: Iterable[Refusal], strict: bool
) -> list[Divergence]:
    """The divergences; a call that nothing answered fails if something that fails followed from it."""
    frames = {miss.frame for miss in misses}
    failing = {each.consequence_of for each in divergences if each.severity == "error"}
    return [
        replace(each, severity="error" if strict or each.got_event.frame in failing else "note")
        if each.code == "model-call-extra"
        and each.allowed is None
        and each.got_event is not None
        and each.got_event.frame in frames
        else each
        for each in divergences
    ]


def _served(
    recorded: ModelReader,
    run: ModelReader,
    facts: tuple[Facts, Facts],
    *,
    is_whole: bool,
    normalise: Normalise | None = None,
) -> ModelOutcome:
    """What became of the calls of a run that was answered from its recording."""
    from acp_trace.model.changes import changes

    by_number = {call.call: call for call in recorded.calls}
    levels: Counter[str] = Counter()
    pairs: list[ServedPair] = []
    extra: list[_Extra] = []
    for call in run.calls:
        served = run.exchanges[call.exchange].served
        match = by_number.get(served.call or 0) if served is not None else None
        if served is None or match is None:
            extra.append(_Extra(call, by_number.get(served.nearest or 0) if served else None, again=False))
            continue
        level = served.level if served.level in LEVELS else _LOOSE
        levels[level] += 1
        if served.again:
            extra.append(_Extra(call, match, again=True))
        pairs.append(ServedPair(match, call if level == _LOOSE else None))
    differing = [pair for pair in pairs if pair.actual is not None]
    asked = {pair.recorded.call for pair in pairs if pair.recorded} | {
        each.nearest.call for each in extra if each.nearest is not None
    }
    missing = [ServedPair(call, None) for call in recorded.calls if call.call not in asked and is_whole]
    told = [*changes([*differing, *missing], normalise)]
    again, misses = ([each for each in extra if each.again is kind] for kind in (True, False))
    places = (recorded, run), facts
    at = [*placed(told, *places), *placed(_extra_changes(again, normalise), *places)]
    refused = placed(_extra_changes(misses, normalise), *places)
    others = [exchange.served for exchange in run.exchanges.values() if exchange.served is not None]
    return ModelOutcome(
        mode="recorded",
        calls=len(run.calls),
        matched={level: levels[level] for level in LEVELS if levels[level]},
        unmatched=len(misses),
        placed=[*at, *(replace(each, is_refused=True) for each in refused)],
        answered=sum(served.exchange is not None for served in others),
        refused=sum(served.is_refused for served in others),
    )


def placed(
    changes: Iterable[ModelChange], sides: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts]
) -> list[PlacedChange]:
    """The changes; each call that one trace alone has with the frame before it, and its session."""
    calls = [{call.call: call for call in side.calls} for side in sides]
    return [_placed(change, sides, calls, facts) for change in changes]


def _placed(
    change: ModelChange,
    sides: Sequence[ModelReader],
    calls: Sequence[Mapping[int, ModelCall]],
    facts: tuple[Facts, Facts],
) -> PlacedChange:
    if bool(change.expected_calls) == bool(change.actual_calls):
        return PlacedChange(change)
    at = 0 if change.expected_calls else 1
    call = calls[at][(change.expected_calls or change.actual_calls)[0]]
    frame = sides[at].frame_before(call.started_ns)
    session_id = _session(call, facts[at])
    if at:
        ids = [[session.session_id for session in each.sessions] for each in facts]
        session_id = dict(zip(ids[1], ids[0], strict=False)).get(session_id or "", session_id)
    return PlacedChange(change, session_id, None if at else frame, frame if at else None)


def _session(call: ModelCall, facts: Facts) -> str | None:
    """The session that a call belongs to; None if nobody can say."""
    from acp_trace.model.join import JoinKeys, SessionSpan, TurnTimes, join

    keys = JoinKeys(headers=call.headers, body=call.body, prompt=call.prompt(), started_ns=call.started_ns)
    sessions = [SessionSpan(each.session_id, each.cwd) for each in facts.sessions]
    turns = [
        TurnTimes(
            each.session_id,
            each.turn,
            each.t_ns,
            None if each.duration_ns is None else each.t_ns + each.duration_ns,
            each.prompt or "",
        )
        for each in facts.turns
    ]
    return join(keys, sessions, turns).session_id


def _extra_changes(extra: Iterable[_Extra], normalise: Normalise | None) -> Iterator[ModelChange]:
    """A change for each call that the recording does not have; for those that say the same, one."""
    from acp_trace.model.changes import ModelChange

    told: dict[str, tuple[list[int], PromptDiff | None]] = {}
    for each in extra:
        message, diff = _extra_words(each, normalise)
        told.setdefault(message, ([], diff))[0].append(each.call.call)
    for message, (numbers, diff) in told.items():
        yield ModelChange(
            code="model-call-extra",
            message=message,
            expected_calls=(),
            actual_calls=tuple(numbers),
            diff=diff,
        )


def _extra_words(extra: _Extra, normalise: Normalise | None) -> tuple[str, PromptDiff | None]:
    from acp_trace.model import change_words
    from acp_trace.model.changes import taken_apart
    from acp_trace.model.prompt_diff import difference

    if extra.again and extra.nearest is not None:
        return f"asks the same again as call {extra.nearest.call} of the recording", None
    if extra.nearest is None:
        return f"not in the recording: {change_words.call(extra.call.prompt())}", None
    diff = difference(extra.nearest.prompt(), extra.call.prompt(), normalise)
    differences = [change.message for change in taken_apart(diff)]
    named = "; ".join(differences[:_MOST]) or "the same words in another form"
    more = f"; and {len(differences) - _MOST} more" if len(differences) > _MOST else ""
    return f"not in the recording; most like call {extra.nearest.call}, but for {named}{more}", diff
