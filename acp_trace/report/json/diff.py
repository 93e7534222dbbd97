"""A comparison as JSON: what `acp-trace diff --json` prints, a public interface (docs/diff.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from acp_trace.analyze import facts
from acp_trace.compare.codes import WEIGHTS
from acp_trace.compare.result import Comparison, Divergence, ModelOutcome
from acp_trace.model.changes import ModelChange

VERSION = 1


def document(comparison: Comparison, names: Sequence[str]) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode. `names`: what the two traces are called."""
    return {
        "acp_trace_diff": VERSION,
        "equal": comparison.equal,
        "match": comparison.match,
        "expected": _trace(comparison.expected, names[0]),
        "got": _trace(comparison.got, names[1]),
        "environment": [asdict(one) for one in comparison.environment],
        "divergences": [_divergence(one, comparison.session_names) for one in comparison.divergences],
        "shared_findings": [asdict(one) for one in comparison.shared],
        "counts": asdict(comparison.counts),
        "masks": [asdict(mask) for mask in comparison.masks],
        "allowances": [asdict(allowance) for allowance in comparison.allowances],
        "model": model(comparison.model),
    }


def _trace(trace: facts.Trace, name: str) -> dict[str, Any]:
    return {
        "id": trace.id,
        "name": name,
        "complete": trace.complete,
        "lost_frames": trace.lost_frames,
        "frames": trace.frames_client + trace.frames_agent,
        "agent": {"name": trace.agent_name, "version": trace.agent_version},
        "client": {"name": trace.client_name, "version": trace.client_version},
    }


def _divergence(divergence: Divergence, names: Mapping[str, str]) -> dict[str, Any]:
    common = None
    if divergence.common_expected is not None and divergence.common_got is not None:
        common = {
            "expected_frame": divergence.common_expected.frame,
            "got_frame": divergence.common_got.frame,
            "sender": divergence.common_expected.sender,
            "what": divergence.common_expected.what,
        }
    return {
        "code": divergence.code,
        "severity": divergence.severity,
        "count": divergence.count,
        "session_id": divergence.session_id,
        "session": names.get(divergence.session_id or ""),
        "message": divergence.message,
        "expected": divergence.expected,
        "got": divergence.got,
        "expected_frame": divergence.expected_event.frame if divergence.expected_event else None,
        "got_frame": divergence.got_event.frame if divergence.got_event else None,
        "last_common": common,
        "pointer": divergence.pointer,
        "mask": divergence.mask,
        "refused": divergence.refused,
        "rank": divergence.rank,
        "weight": WEIGHTS[divergence.rank - 1],
        "consequence_of": divergence.consequence_of,
        "consequence_of_expected": divergence.consequence_of_expected,
        "obeys": divergence.obeys,
        "findings": list(divergence.findings),
        "allowed": divergence.allowed,
    }


def model(outcome: ModelOutcome | None) -> dict[str, Any] | None:
    """The object under `model`, also of a replay; None if there is nothing to say of a model."""
    if outcome is None:
        return None
    return {
        "mode": outcome.mode,
        "calls": outcome.calls,
        "matched": dict(outcome.matched),
        "unmatched": outcome.unmatched,
        "changes": [_change(change) for change in outcome.changes],
        "other_hosts": {"answered": outcome.answered, "refused": outcome.refused},
    }


def _change(change: ModelChange) -> dict[str, Any]:
    return {
        "code": change.code,
        "call": next(iter(change.expected_calls or change.actual_calls), None),
        "message": change.message,
        "expected_calls": list(change.expected_calls),
        "got_calls": list(change.actual_calls),
    }
