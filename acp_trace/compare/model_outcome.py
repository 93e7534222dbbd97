"""Pairs of calls of two traces -> what differs between them, and where. Pure.

Only in pairs that match loosely is there something to compare: at stricter levels nothing differs but what
each run makes anew. What tools printed is never told; nor, if the two traces had each its own model, is what
that said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from acp_trace.analyze.facts import Facts
from acp_trace.compare import model_places
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import ModelOutcome, PlacedChange

if TYPE_CHECKING:
    from acp_trace.model.calls import ModelCall
    from acp_trace.model.changes import ModelChange
    from acp_trace.model.matching.shapes import CallPair
    from acp_trace.model.prompt_diff import MessageChange, Normalise


def compared(
    readers: tuple[ModelReader, ModelReader],
    facts: tuple[Facts, Facts],
    *,
    mode: str | None = None,
    is_whole: bool = True,
) -> ModelOutcome | None:
    """What two traces told their models; None if one has no model's side.

    `is_whole`: the actual trace goes on to its end, so that a call that is not there is missing.
    """
    if not all(reader.is_recorded for reader in readers):
        return None
    from acp_trace.model.matching.levels import LEVELS
    from acp_trace.model.matching.pairing import pair_calls

    expected, actual = readers
    places = model_places.places(readers, facts)
    pairs = pair_calls(expected.calls, actual.calls, places)
    levels = Counter(pair.level for pair in pairs if pair.level is not None)
    told = changes(
        [pair for pair in pairs if is_whole or pair.actual is not None],
        model_places.normalise(places),
        is_model_other=True,
    )
    return ModelOutcome(
        mode=mode,
        calls=len(actual.calls),
        matched={level: levels[level] for level in LEVELS if levels[level]},
        unmatched=sum(pair.recorded is None for pair in pairs),
        placed=placed(told, readers, facts),
    )


def changes(
    pairs: Iterable[CallPair], normalise: Normalise, *, is_model_other: bool = False
) -> list[ModelChange]:
    """What differs in pairs of calls. `is_model_other`: what the models said may differ."""
    from acp_trace.model.changes import changes as all_changes
    from acp_trace.model.matching.levels import LEVELS

    differing = [
        pair for pair in pairs if pair.recorded is None or pair.actual is None or pair.level == LEVELS[-1]
    ]
    told = all_changes(differing, normalise)
    return [change for change in told if not _is_of_others(change, is_model_other=is_model_other)]


def placed(
    changes: Iterable[ModelChange], readers: tuple[ModelReader, ModelReader], facts: tuple[Facts, Facts]
) -> list[PlacedChange]:
    """The changes; each call that one trace alone has with the frame before it, and its session."""
    calls = [{call.call: call for call in reader.calls} for reader in readers]
    return [_placed(change, readers, calls, facts) for change in changes]


def _is_of_others(change: ModelChange, *, is_model_other: bool) -> bool:
    """Whether a change is only in what tools printed, or in what another model said."""
    messages = () if change.diff is None else change.diff.messages
    return bool(messages) and all(
        _is_output(message) or (is_model_other and message.role == "assistant") for message in messages
    )


def _is_output(change: MessageChange) -> bool:
    from acp_trace.model.shapes import ToolResult

    return bool(change.parts) and all(
        isinstance(part.expected, ToolResult) and isinstance(part.actual, ToolResult) for part in change.parts
    )


def _placed(
    change: ModelChange,
    readers: Sequence[ModelReader],
    calls: Sequence[Mapping[int, ModelCall]],
    facts: tuple[Facts, Facts],
) -> PlacedChange:
    if bool(change.expected_calls) == bool(change.actual_calls):
        return PlacedChange(change)
    at = 0 if change.expected_calls else 1
    call = calls[at][(change.expected_calls or change.actual_calls)[0]]
    frame = readers[at].frame_before(call.started_ns)
    session_id = next((each.session_id for each in facts[at].model_calls if each.call == call.call), None)
    if at:
        ids = [[session.session_id for session in each.sessions] for each in facts]
        session_id = dict(zip(ids[1], ids[0], strict=False)).get(session_id or "", session_id)
    return PlacedChange(change, session_id, None if at else frame, frame if at else None)
