"""A comparison -> the parts of a page that show it, beside those of its two traces. Pure.

| part | what it holds |
|---|---|
| `KEY/diff.json` | the document of `diff --json`; KEY is that of the actual trace |
| `KEY/alignment.json` | `comparison_document`, what is `reported_elsewhere`, and pointers of masked values |
| `KEY/alignment/N` | block N of the rows: which frames stand side by side |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_trace.compare.result import Comparison
from acp_trace.normalize.masks import Mask
from acp_trace.report.json.diff import document
from acp_trace.report.page import alignment, comparison_document
from acp_trace.report.page.documents import AlignmentDocument, PageComparison
from acp_trace.report.page.parts import Part, ShownTrace, json_part
from acp_trace.report.page.reported_elsewhere import reported_elsewhere


class ShownComparison(NamedTuple):
    """Two traces of a page, and their differences. `names`: their names."""

    expected: ShownTrace
    actual: ShownTrace
    comparison: Comparison
    names: Sequence[str]
    masks: Sequence[Mask] = ()

    def entry(self) -> PageComparison:
        """What `page.json` says of it."""
        return {
            "expected": self.expected.key,
            "actual": self.actual.key,
            "label": self.actual.label,
            "equal": self.comparison.equal,
        }


def comparison_parts(compared: ShownComparison) -> Iterator[Part]:
    """All parts of a comparison."""
    key, comparison, masks = compared.actual.key, compared.comparison, compared.masks
    sides = compared.expected, compared.actual
    rows = alignment.rows(sides[0].frames(), sides[1].frames(), comparison)
    yield json_part(f"{key}/diff.json", document(comparison, compared.names))
    hidden = [alignment.masked(side.frames(), masks) if masks else {} for side in sides]
    aligned: AlignmentDocument = {
        **comparison_document.document(rows, comparison),
        "elsewhere": reported_elsewhere([side.frames() for side in sides], rows, comparison),
        "masked": dict(zip(("expected", "actual"), hidden, strict=True)),
    }
    yield json_part(f"{key}/alignment.json", aligned)
    for number, block in enumerate(alignment.blocks(rows)):
        yield Part(f"{key}/alignment/{number}", block)
