"""A verdict as JSON: what `acp-trace check --json` prints, a public interface (docs/check.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from acp_trace.analyze.budgets import Outcome
from acp_trace.analyze.verdict import Checked, Group, Verdict
from acp_trace.report.text.checks import missed

VERSION = 1


def document(verdict: Verdict) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode."""
    return {
        "acp_trace_check": VERSION,
        "ok": verdict.ok,
        "side": verdict.side,
        "traces": [_trace_json(one) for one in verdict.traces],
        "budgets": [_budget_json(one, verdict) for one in verdict.budgets],
        "failed": [
            *(_failed_json(group, one) for one in verdict.traces for group in one.groups if group.fails),
            *(_missed_json(one, verdict) for one in verdict.budgets if not one.ok),
        ],
    }


def _trace_id(verdict: Verdict, index: int | None) -> str | None:
    """The id of a trace, or its name where it has none."""
    if index is None:
        return None
    return verdict.traces[index].trace.id or verdict.traces[index].name


def _trace_json(one: Checked) -> dict[str, Any]:
    trace = one.trace
    listed = [(finding, group.fails) for group in one.groups for finding in group.findings]
    listed.sort(key=lambda pair: pair[0].frame)
    return {
        "id": trace.id,
        "name": one.name,
        "complete": trace.complete,
        "live": one.live,
        "lost_frames": trace.lost_frames,
        "damaged": trace.damaged,
        "agent": {"name": trace.agent_name, "version": trace.agent_version},
        "findings": [{**asdict(finding), "fails": fails} for finding, fails in listed],
        "left_out": one.left_out,
    }


def _budget_json(one: Outcome, verdict: Verdict) -> dict[str, Any]:
    return {
        "budget": one.budget.text,
        "ok": one.ok,
        "value_ns" if one.budget.timed else "value": one.value,
        "n": one.n,
        "open": one.open,
        "trace": _trace_id(verdict, one.trace),
        "frame": one.frame,
    }


def _failed_json(group: Group, one: Checked) -> dict[str, Any]:
    first = group.findings[0]
    return {
        "code": group.code,
        "severity": group.severity,
        "blame": group.side,
        "count": group.seen,
        "trace": one.trace.id or one.name,
        "frame": first.frame,
        "message": first.message,
    }


def _missed_json(one: Outcome, verdict: Verdict) -> dict[str, Any]:
    return {
        "budget": one.budget.text,
        "trace": _trace_id(verdict, one.trace),
        "frame": one.frame,
        "message": missed(one),
    }
