"""A comparison as JSON: what `acp-trace diff --json` prints, a public interface (docs/diff.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from acp_trace.analyze import facts
from acp_trace.compare.result import Comparison, Divergence

VERSION = 1


def document(found: Comparison, names: Sequence[str]) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode. `names`: what the two traces are called."""
    return {
        "acp_trace_diff": VERSION,
        "equal": found.equal,
        "match": found.match,
        "expected": _trace(found.expected, names[0]),
        "got": _trace(found.got, names[1]),
        "environment": [asdict(one) for one in found.environment],
        "divergences": [_divergence(one) for one in found.divergences],
        "counts": asdict(found.counts),
        "masks": [asdict(one) for one in found.masks],
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


def _divergence(one: Divergence) -> dict[str, Any]:
    common = None
    if one.common_expected is not None and one.common_got is not None:
        common = {
            "expected_frame": one.common_expected.frame,
            "got_frame": one.common_got.frame,
            "sender": one.common_expected.sender,
            "what": one.common_expected.what,
        }
    return {
        "code": one.code,
        "severity": one.severity,
        "count": one.count,
        "session_id": one.session_id,
        "message": one.message,
        "expected": one.expected,
        "got": one.got,
        "expected_frame": one.expected_event.frame if one.expected_event else None,
        "got_frame": one.got_event.frame if one.got_event else None,
        "last_common": common,
        "pointer": one.pointer,
        "mask": one.mask,
        "refused": one.refused,
    }
