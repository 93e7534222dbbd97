"""The part of a comparison that the page reads first: its verdict, causes and rows of divergences. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_trace.compare.causes import Cause, causes, repeats
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.model.changes import ModelChange
from acp_trace.normalize.bindings import INVENTED
from acp_trace.report import units
from acp_trace.report.page.alignment import BLOCK, SideBySide
from acp_trace.report.page.documents import ComparedCause, ComparisonDocument
from acp_trace.report.statements.comparisons import counts, verdict

_PROMPT = "prompt-differs"
#: What is not compared, by level.
_LEVELS = {
    "outcome": "This level compares the outcomes of requests and turns, not ids and texts.",
    "semantic": "This level compares what happened, not ids, texts and times.",
    "content": "This level compares what happened and what was said, not ids and times.",
    "exact": "This level compares every value except ids.",
}


def document(rows: Sequence[SideBySide], comparison: Comparison) -> ComparisonDocument:
    """Causes and notes as indices of divergences, the row of each, and which one comes first in the trace.

    `prompts` are the notes that prompts differ: what the agent was asked may be why all else does. `calls`:
    of a divergence about the model, by its index, the numbers of the calls that have it, of both traces.
    """
    index = {id(divergence): at for at, divergence in enumerate(comparison.divergences)}
    at_expected = {row.expected: at for at, row in enumerate(rows) if row.expected}
    at_actual = {row.actual: at for at, row in enumerate(rows) if row.actual}

    def place(divergence: Divergence) -> int:
        """The row of a divergence; -1 if it has none."""
        if divergence.expected_event is not None:
            return at_expected.get(divergence.expected_event.frame, -1)
        return at_actual.get(divergence.got_event.frame, -1) if divergence.got_event is not None else -1

    def cause(of: Cause) -> ComparedCause:
        return {
            "first": index[id(of.first)],
            "count": of.count,
            "repeats": [index[id(each)] for each in of.repeats],
            "consequences": [index[id(each)] for each in of.consequences],
        }

    places = [place(divergence) for divergence in comparison.divergences]
    failing = [
        (at, number)
        for number, at in enumerate(places)
        if at >= 0 and comparison.divergences[number].severity == "error"
    ]
    notes = repeats(comparison.notes)
    return {
        "rows": len(rows),
        "ids": list(INVENTED),
        "block": BLOCK,
        "first": min(failing)[1] if failing else None,
        "verdict": verdict(comparison),
        "about": list(_about(comparison)),
        "facts": [" · ".join(_facts(divergence)) for divergence in comparison.divergences],
        "places": places,
        "calls": _calls(comparison),
        "causes": [cause(each) for each in causes(comparison.failing)],
        "prompts": [cause(each) for each in notes if each.first.code == _PROMPT],
        "notes": [cause(each) for each in notes if each.first.code != _PROMPT],
    }


def _calls(comparison: Comparison) -> dict[str, list[list[int]]]:
    placed = comparison.model.placed if comparison.model else []
    changes: dict[tuple[str, str], ModelChange] = {
        (each.change.code, each.message): each.change for each in placed
    }
    return {
        str(at): [list(change.expected_calls), list(change.actual_calls)]
        for at, divergence in enumerate(comparison.divergences)
        if (change := changes.get((divergence.code, divergence.message)))
    }


def _about(comparison: Comparison) -> Iterator[str]:
    """The data of the whole comparison."""
    yield f"{counts(comparison.counts)} · compared at {comparison.match}"
    yield f"{_LEVELS[comparison.match]} Unmatched frames have no counterpart in the other trace."
    for change in comparison.environment:
        yield f"{change.what}: {change.expected or 'nothing'} → {change.got or 'nothing'}"
    for mask in comparison.masks:
        yield f"mask {mask.mask} hid {units.number(mask.uses)} values"


def _facts(divergence: Divergence) -> Iterator[str]:
    """The data of a divergence besides its code and its message."""
    for trace, frame in reversed(divergence.frames):
        yield f"{trace} #{frame}"
    if divergence.allowed:
        yield "allowed"
    if divergence.obeys:
        yield f"the {divergence.obeys} trace obeys the protocol"
    if divergence.refused:
        yield divergence.refused
    if divergence.mask:
        yield f"hidden by --mask {divergence.mask}"
