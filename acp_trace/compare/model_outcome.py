"""The calls of two traces -> their differences and places. Pure.

Tool output and model answers are never reported: the agent does not choose them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from acp_trace.analyze.facts import Facts
from acp_trace.compare import model_places
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import ModelOutcome, PlacedChange
from acp_trace.protocol import methods
from acp_trace.story.frame_event import FrameEvent

#: In place of a level, for a pair that is alike without matching.
ALIKE = "alike"

if TYPE_CHECKING:
    from acp_trace.model.changes import ModelChange
    from acp_trace.model.matching.shapes import CallPair


def compared(
    readers: tuple[ModelReader, ModelReader],
    facts: tuple[Facts, Facts],
    *,
    mode: str | None = None,
    is_whole: bool = True,
) -> ModelOutcome | None:
    """Compare what two traces sent their models; None if one has no model's side.

    `is_whole`: the actual trace goes on to its end, so that an absent call is missing.
    """
    if not all(reader.is_recorded for reader in readers):
        return None
    from acp_trace.model.comparison import compare_calls

    expected, actual = readers
    found = compare_calls(
        expected.calls,
        actual.calls,
        model_places.places(readers, facts),
        sessions=(model_places.call_sessions(facts[0]), model_places.call_sessions(facts[1])),
    )
    both = [pair for pair in found.pairs if pair.recorded is not None and pair.actual is not None]
    kept = [change for change in found.changes if is_whole or change.code != "model-call-missing"]
    return ModelOutcome(
        mode=mode,
        calls=len(actual.calls),
        matched=by_level(both),
        unmatched=sum(pair.recorded is None for pair in found.pairs),
        placed=placed(kept, readers, facts),
    )


def by_level(pairs: Iterable[CallPair]) -> dict[str, int]:
    """Return how many match at each level, the strictest first."""
    from acp_trace.model.matching.levels import LEVELS

    levels = Counter(pair.level or ALIKE for pair in pairs)
    return {level: levels[level] for level in (*LEVELS, ALIKE) if levels[level]}


def placed(
    changes: Iterable[ModelChange], readers: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts]
) -> list[PlacedChange]:
    """Place the changes; a call in one trace alone is placed with its prompt, or the frame before it."""
    return [
        PlacedChange(change)
        if bool(change.expected_calls) == bool(change.actual_calls)
        else placed_at(change, 0 if change.expected_calls else 1, readers, facts)
        for change in changes
    ]


def placed_at(
    change: ModelChange, at: int, readers: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts]
) -> PlacedChange:
    """Return a change at its first call in the expected trace (`at` 0) or the actual one (1)."""
    number = (change.actual_calls if at else change.expected_calls)[0]
    fact = next((each for each in facts[at].model_calls if each.call == number), None)
    session_id = None if fact is None else fact.session_id
    # The records of a call come through a pipe: under load, after frames that the call caused.
    turns = (
        each for each in facts[at].turns if fact and (each.session_id, each.turn) == (session_id, fact.turn)
    )
    prompt = next((FrameEvent(turn.frame, "client", methods.PROMPT) for turn in turns), None)
    frame = prompt or readers[at].frame_before(readers[at].calls[number - 1].started_ns)
    if at:
        ids = [[session.session_id for session in each.sessions] for each in facts]
        session_id = dict(zip(ids[1], ids[0], strict=False)).get(session_id or "", session_id)
    return PlacedChange(change, session_id, None if at else frame, frame if at else None)
