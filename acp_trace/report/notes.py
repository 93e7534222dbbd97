"""The notes of a comparison that people see; documents have all of them."""

from __future__ import annotations

from acp_trace.compare.codes import CODES
from acp_trace.compare.result import Comparison, Divergence

#: Where an agent started matters only if something differs, or a file is not there.
_OF_START, _OF_FILES = "agent-outside", "files-missing"


def shown(comparison: Comparison) -> list[Divergence]:
    """The notes that matter, in their order, without those that are shown next to the model's counts."""
    notes = comparison.notes
    matters = bool(comparison.failing) or any(note.code == _OF_FILES for note in notes)
    return [
        note for note in notes if (note.code != _OF_START or matters) and not _is_of_model(note, comparison)
    ]


def _is_of_model(note: Divergence, comparison: Comparison) -> bool:
    """Whether a note is shown next to the counts of the model's calls."""
    code = CODES.get(note.code)
    return comparison.model is not None and code is not None and code.may_fail
