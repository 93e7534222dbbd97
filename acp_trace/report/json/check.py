"""A verdict as JSON: what `acp-trace check --json` prints, a public interface (docs/check.md)."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from acp_trace.analyze.budgets.grammar import Outcome
from acp_trace.analyze.verdict import Checked, Group, Verdict
from acp_trace.report.model import FindingReport
from acp_trace.report.statements.checks import missed

VERSION = 1


def document(verdict: Verdict) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode."""
    return {
        "acp_trace_check": VERSION,
        "ok": verdict.ok,
        "side": verdict.side,
        "traces": [_trace_json(checked) for checked in verdict.traces],
        "budgets": [_budget_json(outcome, verdict) for outcome in verdict.budgets],
        "failed": [
            *(
                _failed_json(group, checked)
                for checked in verdict.traces
                for group in checked.groups
                if group.fails
            ),
            *(_missed_json(outcome, verdict) for outcome in verdict.budgets if not outcome.ok),
        ],
    }


def _trace_id(verdict: Verdict, index: int | None) -> str | None:
    """The id of a trace, or its name if it has no id."""
    if index is None:
        return None
    return verdict.traces[index].trace.id or verdict.traces[index].name


def _trace_json(checked: Checked) -> dict[str, Any]:
    trace = checked.trace
    listed = [(finding, group.fails) for group in checked.groups for finding in group.findings]
    listed += [(finding, False) for finding in checked.consequences]
    listed.sort(key=lambda pair: pair[0].frame)
    return {
        "id": trace.id,
        "name": checked.name,
        "complete": trace.complete,
        "live": checked.live,
        "lost_frames": trace.lost_frames,
        "damaged": trace.damaged,
        "agent": {"name": trace.agent_name, "version": trace.agent_version},
        "findings": [{**to_builtins(FindingReport.of(finding)), "fails": fails} for finding, fails in listed],
        "left_out": checked.left_out,
    }


def _budget_json(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    return {
        "budget": outcome.budget.text,
        "ok": outcome.ok,
        "value_ns" if outcome.budget.timed else "value": outcome.value,
        "n": outcome.n,
        "open": outcome.open,
        "without_times": outcome.without_times,
        "trace": _trace_id(verdict, outcome.trace),
        "frame": outcome.frame,
    }


def _failed_json(group: Group, checked: Checked) -> dict[str, Any]:
    first = group.findings[0]
    return {
        "code": group.code,
        "severity": group.severity,
        "blame": group.side,
        "count": group.seen,
        "trace": checked.trace.id or checked.name,
        "frame": first.frame,
        "message": first.message,
    }


def _missed_json(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    return {
        "budget": outcome.budget.text,
        "trace": _trace_id(verdict, outcome.trace),
        "frame": outcome.frame,
        "message": missed(outcome),
    }
