"""The traces that there are, for programs: `ls --json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.listing import Listing
from acp_trace.report.statements import phrases
from acp_trace.trace.entries import IMPORTED


def as_json(rows: Sequence[Listing]) -> list[dict[str, Any]]:
    """The same for programs; sessions with id, title and turns."""
    return [
        {
            "id": row.id,
            "started_at": row.trace.started_at,
            "loaded_at": row.loaded_at,
            "state": row.state,
            "agent": {"name": row.agent[0], "version": row.agent[1]},
            "client": {"name": row.client[0], "version": row.client[1]},
            "protocol_version": row.trace.protocol_version,
            "sessions": [
                {"session_id": session.session_id, "title": session.title, "turns": session.turns}
                for session in row.sessions
            ],
            "turns": row.turns,
            "frames": row.frames,
            "duration_ns": row.trace.duration_ns,
            "argv": None if row.trace.origin == IMPORTED and not row.argv else row.argv,
            "end": _end(row),
            "labels": row.labels,
            "origin": row.trace.origin,
            "replay_of": row.trace.replay_of,
            "first_prompt": row.first_prompt,
            "models": list(row.models),
            "findings": {severity: row.findings.get(severity, 0) for severity in SEVERITIES},
        }
        for row in rows
    ]


def _end(row: Listing) -> dict[str, Any] | None:
    trace = row.trace
    if row.state != "complete":
        return None
    by_client = phrases.is_ended_by_its_client(trace)
    return {
        "exit_code": trace.exit_code,
        "signal": trace.signal,
        "aborted": trace.aborted,
        "by_client": by_client,
    }
