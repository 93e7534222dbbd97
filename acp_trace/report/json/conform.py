"""What `acp-trace conform --json` prints, a public interface (docs/conform.md)."""

from __future__ import annotations

from typing import Any

from acp_trace.conform.beside import counts
from acp_trace.conform.judge import Conformance, Judged
from acp_trace.report.statements.kit import KitBeside

VERSION = 1
#: Failures of one requirement that are listed with their messages.
_MOST = 20


def document(conformance: Conformance, kit: KitBeside | None = None) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode. `kit`: a report of acp-tck, which `--tck` names."""
    return {
        "acp_trace_conform": VERSION,
        "ok": conformance.ok,
        conformance.side: {"name": conformance.name, "version": conformance.version},
        "requirements": [_requirement(one) for one in conformance.judged],
        "counts": conformance.counts(),
        "notes": list(conformance.notes),
        **({} if kit is None else {"tck": _kit(kit)}),
    }


def _kit(kit: KitBeside) -> dict[str, Any]:
    return {
        "version": kit.tck_version,
        "protocol": kit.protocol,
        "agent": kit.agent or None,
        "conformant": kit.is_conformant,
        "counts": counts(kit.rows),
        "requirements": [
            {
                "id": row.id,
                "tck": row.tck,
                "conform": row.conform,
                "relation": row.relation,
                "why": row.why or None,
            }
            for row in kit.rows
        ],
    }


def _requirement(one: Judged) -> dict[str, Any]:
    return {
        "id": one.requirement.id,
        "protocol": one.requirement.version or None,
        "tier": one.requirement.tier,
        "status": one.status,
        "findings": one.codes,
        "trace": one.trace,
        "frame": one.frame,
        "text": one.requirement.text,
        "failures": [
            {"trace": each.trace, "frame": each.frame, "code": each.code or None, "message": each.message}
            for each in one.failures[:_MOST]
        ],
    }
