"""A check as rows for the page: failures first, then the budgets that hold. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acp_trace.analyze.verdict import Verdict
from acp_trace.report import units
from acp_trace.report.json.check import document
from acp_trace.report.page.documents import CheckDocument, CheckRow
from acp_trace.report.page.parts import ShownTrace
from acp_trace.report.safe import safe
from acp_trace.report.statements.checks import failing


def check_rows(verdict: Verdict, traces: Sequence[ShownTrace]) -> CheckDocument:
    """What failed, and what held. Rows name their traces if there are several."""
    check = document(verdict)
    held = [each for each in check["budgets"] if each["ok"]]
    rows = [_row("✕ failed", each, each["message"], traces) for each in check["failed"]]
    rows += [_row("✓ passed", each, _held(each), traces) for each in held]
    heading = "✓ The check passed" if check["ok"] else f"✕ The check failed: {failing(verdict)}"
    return {"heading": heading, "mood": "good" if check["ok"] else "bad", "rows": rows}


def _row(outcome: str, each: Mapping[str, Any], said: str, traces: Sequence[ShownTrace]) -> CheckRow:
    named = (shown for shown in traces if each.get("trace") in (shown.facts.trace.id, shown.label))
    shown = next(named, None)
    key = shown.key if shown and each.get("frame") else None
    name = safe(each.get("budget") or each.get("code") or "")
    where = safe(shown.label) if shown and len(traces) > 1 else None
    return CheckRow(outcome, name, safe(said), key, each.get("frame"), where)


def _held(budget: Mapping[str, Any]) -> str:
    value = units.duration(budget["value_ns"]) if "value_ns" in budget else units.number(budget["value"])
    return f"{value} in {units.number(budget['n'])} samples"
