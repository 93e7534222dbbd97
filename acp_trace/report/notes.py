"""Which notes of a comparison people are told; documents have all of them."""

from __future__ import annotations

from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report.text import model_outcome

#: Where an agent started matters only if something differs, or a file is not there.
_OF_START, _OF_FILES = "agent-outside", "files-missing"


def told(comparison: Comparison) -> list[Divergence]:
    """The notes that matter, in their order; without those that are told next to the model's counts."""
    notes = comparison.notes
    matters = bool(comparison.failing) or any(note.code == _OF_FILES for note in notes)
    return [
        note
        for note in notes
        if (note.code != _OF_START or matters) and not model_outcome.is_told(note, comparison)
    ]
