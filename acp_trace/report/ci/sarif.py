"""A verdict as SARIF 2.1.0: every code is a rule, every finding a result, every missed budget one too.

What `--fail-on` says plays no part: code scanning has thresholds of its own. It tells results apart by
file, rule and `primaryLocationLineHash`, so that holds nothing which changes from run to run: the
code, who is to blame, and which of its kind it is.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from acp_trace import __version__
from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import CODES, FindingCode
from acp_trace.analyze.verdict import Checked, Verdict
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.statements.checks import missed

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BUDGET = FindingCode(
    "budget",
    "either",
    "error",
    "budget",
    "A number that exceeds its budget.",
    "Budgets are given to `check`.",
    "check",
)
_RULES = [*CODES.values(), _BUDGET]
_INDEX = {one.code: at for at, one in enumerate(_RULES)}


def sarif(verdict: Verdict, places: Sequence[Place]) -> dict[str, Any]:
    """The document, ready for msgspec.json.encode."""
    driver = {"name": "acp-trace", "semanticVersion": __version__, "rules": [_rule(one) for one in _RULES]}
    results = [
        result for one, place in zip(verdict.traces, places, strict=True) for result in _findings(one, place)
    ]
    results += _budgets(verdict, places)
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: FindingCode) -> dict[str, Any]:
    return {
        "id": code.code,
        "shortDescription": {"text": code.meaning},
        "fullDescription": {"text": f"{code.meaning} {code.rule}"},
        "help": {"text": f"{code.meaning}\n\nThe rule: {code.rule}\nSource: {code.source}"},
        "defaultConfiguration": {"level": code.severity},
        "properties": {"tags": ["acp", code.group]},
    }


def _findings(checked: Checked, place: Place) -> Iterator[dict[str, Any]]:
    nth: dict[tuple[str, str], int] = {}
    for group in checked.groups:
        for finding in group.findings:
            key = group.code, finding.blame
            nth[key] = nth.get(key, 0) + 1
            more = f" ({finding.count}×)" if finding.count > 1 else ""
            yield {
                **_result(group.code, finding.severity, f"{finding.message}{more}"),
                "locations": [_location(checked.trace, place, finding.frame)],
                "partialFingerprints": _fingerprint(f"{group.code} {finding.blame}", nth[key]),
                "properties": {
                    "trace": checked.trace.id,
                    "frame": finding.frame,
                    "session_id": finding.session_id,
                    "blame": finding.blame,
                    "count": finding.count,
                },
            }


def _budgets(verdict: Verdict, places: Sequence[Place]) -> Iterator[dict[str, Any]]:
    for outcome in verdict.budgets:
        if outcome.ok:
            continue
        at = outcome.trace or 0  # without a sample, the first trace: a result needs a file
        yield {
            **_result(_BUDGET.code, _BUDGET.severity, missed(outcome)),
            "locations": [_location(verdict.traces[at].trace, places[at], outcome.frame)],
            "partialFingerprints": _fingerprint(outcome.budget.text, 1),
            "properties": {"trace": verdict.traces[at].trace.id, "frame": outcome.frame, "n": outcome.n},
        }


def _result(code: str, level: str, message: str) -> dict[str, Any]:
    result: dict[str, Any] = {"ruleId": code}
    if code in _INDEX:  # not where a newer version stored it
        result["ruleIndex"] = _INDEX[code]
    # `[text](target)` would be a link, and the text comes from the traffic.
    return {**result, "level": level, "message": {"text": safe(message).replace("](", "] (")}}


def _location(trace: facts.Trace, place: Place, frame: int | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": place.uri(trace.id)}}
    if frame is None:
        return {"physicalLocation": physical}
    if frame in place.lines:
        line = place.lines[frame]
        physical["region"] = {"startLine": line, "startColumn": 1, "endLine": line}
    whole = f"{safe(trace.id or place.asked)}#{frame}"
    logical = {"name": f"frame {frame}", "fullyQualifiedName": whole, "kind": "element"}
    return {"physicalLocation": physical, "logicalLocations": [logical]}


def _fingerprint(what: str, nth: int) -> dict[str, str]:
    return {"primaryLocationLineHash": f"{hashlib.sha256(what.encode()).hexdigest()[:16]}:{nth}"}
