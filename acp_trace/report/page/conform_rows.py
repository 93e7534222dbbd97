"""Conformance as rows for the page: failed requirements first, then passed ones. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.conform.judge import Conformance, Judged
from acp_trace.report.page.documents import CheckDocument, CheckRow
from acp_trace.report.page.parts import ShownTrace
from acp_trace.report.safe import safe
from acp_trace.report.statements.conformance import summary, who

_MARKS = {"fail": "✕ failed", "pass": "✓ passed"}
_ORDER = ("fail", "pass", "not-exercised", "not-applicable")


def conform_rows(conformance: Conformance, traces: Sequence[ShownTrace]) -> CheckDocument:
    """The same as `check_rows`, of requirements."""
    ordered = sorted(conformance.judged, key=lambda one: _ORDER.index(one.status))
    mark = "✓" if conformance.ok else "✕"
    return {
        "heading": f"{mark} {safe(who(conformance))}: {summary(conformance)}",
        "mood": "good" if conformance.ok else "bad",
        "names": "Requirement",
        "rows": [row for one in ordered for row in _rows(one, traces)],
    }


def _rows(one: Judged, traces: Sequence[ShownTrace]) -> list[CheckRow]:
    of = one.requirement
    name = f"{of.id} · {of.tier}"
    if not one.failures:
        return [CheckRow(_MARKS.get(one.status, one.status), name, safe(of.text), None, None)]
    keys = {trace.label: trace.key for trace in traces}
    return [
        CheckRow(
            _MARKS[one.status],
            name,
            safe(f"{of.text}: {each.message}"),
            keys.get(each.trace),
            each.frame,
        )
        for each in one.failures[:3]
    ]
