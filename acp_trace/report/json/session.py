"""A session over several traces -> JSON: parts of the report of each trace, with the trace that has them.

The document is a public interface (docs/report.md): keys are only added.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from msgspec import UNSET

from acp_trace.analyze.session_over_traces import SessionOverTraces, SessionPart
from acp_trace.report import model
from acp_trace.report.json.report import document as report_of

VERSION = 1


def document(session: SessionOverTraces) -> dict[str, Any]:
    """The session; ready for msgspec.json.encode."""
    parts = [(part, report_of(part.facts, live=part.live)) for part in session.parts]
    last = parts[-1][1].trace
    mine = [(report.trace.id, report.sessions[0]) for _, report in parts]
    turns = [
        {**_traced(report.trace.id, turn), "number": part.first_turn + turn.turn}
        for part, report in parts
        for turn in report.sessions[0].turns
    ]
    return {
        "acp_trace_session": VERSION,
        "session_id": session.session_id,
        "title": session.title,
        "cwd": session.cwd,
        "agent": last.agent,
        "client": last.client,
        "traces": [_trace(part, report) for part, report in parts],
        "turns": turns,
        "metadata": {
            "timeline": _all((id_, one.metadata.timeline) for id_, one in mine),
            "final": _final(one.metadata.final for _, one in mine),
        },
        "config": {
            "timeline": _all((id_, one.config.timeline) for id_, one in mine),
            "final": next((one.config.final for _, one in reversed(mine) if one.config.timeline), {}),
            "mode": next((one.config.mode for _, one in reversed(mine) if one.config.mode is not None), None),
        },
        "cancellations": _all((id_, one.cancellations) for id_, one in mine),
        "findings": [_traced(id_, model.FindingReport.of(finding)) for id_, finding in session.findings()],
    }


def _trace(part: SessionPart, report: model.Report) -> dict[str, Any]:
    """One trace, and what it has of the session in numbers."""
    trace, session = report.trace, report.sessions[0]
    return {
        "trace_id": trace.id,
        "started_at": trace.started_at,
        "duration_ns": trace.duration_ns,
        "complete": trace.complete,
        "live": trace.live,
        "opened_by": session.opened_by,
        "ended_by": session.ended_by,
        "turns": len(session.turns),
        "findings": len(part.facts.findings),
        "frames": trace.frames,
        "labels": trace.labels,
        "end": trace.end,
    }


def _all(lists: Iterable[tuple[str, Iterable[Any]]]) -> list[dict[str, Any]]:
    return [_traced(trace_id, item) for trace_id, items in lists for item in items]


def _traced(trace_id: str, item: Any) -> dict[str, Any]:
    """An object of the report, with its trace."""
    return {"trace_id": trace_id, **_known(item)}


def _known(item: Any) -> dict[str, Any]:
    named = {field.name: getattr(item, field.name) for field in fields(item)}
    return {name: value for name, value in named.items() if value is not UNSET}


def _final(finals: Iterable[model.MetadataFinal]) -> dict[str, Any]:
    """What the traces knew at their ends, the later ones first."""
    merged: dict[str, Any] = {}
    for final in finals:
        merged |= _known(final)
    return merged
