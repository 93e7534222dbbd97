"""A verdict as JUnit XML: a suite for each trace, a case for each code that could fail, a suite of budgets.

Codes that were not found are cases too, which pass: one that is found no more shows up as fixed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from junitparser import Attr, TestSuite

from acp_trace.analyze import facts
from acp_trace.analyze.verdict import Checked, FailOn, Verdict
from acp_trace.report.ci.junit import document, failed, listed, noted, passed, suite_names, xml_text
from acp_trace.report.ci.places import Place
from acp_trace.report.statements import phrases
from acp_trace.report.statements.checks import missed, missing, who

_BUDGETS = "budgets"


class _Suite(TestSuite):
    """A suite that knows its file."""

    file = Attr()


def junit(verdict: Verdict, places: Sequence[Place], fails: FailOn) -> bytes:
    """The XML document."""
    names = suite_names(places, taken=[_BUDGETS])
    suites = [
        _trace_suite(checked, place, name, fails, verdict.side)
        for checked, place, name in zip(verdict.traces, places, names, strict=True)
    ]
    if verdict.budgets:
        suites.append(_budget_suite(verdict, places))
    return document("acp-trace check", suites)


def _trace_suite(checked: Checked, place: Place, name: str, fails: FailOn, side: str | None) -> TestSuite:
    trace = checked.trace
    suite = _Suite(name)
    if place.path is not None:
        suite.file = xml_text(place.path)
    if trace.started_at and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", trace.started_at[:19]):
        suite.timestamp = trace.started_at[:19]
    suite.add_property("trace", xml_text(trace.id))
    suite.add_property("agent", xml_text(who(trace)))
    if side is not None:
        suite.add_property("side", side)
    if gone := missing(checked):
        suite.add_property("missing", gone)
    groups = {group.code: group for group in reversed(checked.groups)}  # the worst of each code
    cases = []
    unheard = [code for code, group in groups.items() if group.fails]  # of a newer version, in the store
    for code in dict.fromkeys([*fails.in_play(), *unheard]):
        group = groups.get(code)
        if group is None:
            cases.append(passed(code, name))
            continue
        findings = [finding for group in checked.groups if group.code == code for finding in group.findings]
        text = _text(findings, place, checked.name)
        if group.fails:
            times = f"{group.seen}× " if group.seen > 1 else ""
            message = f"{times}{xml_text(group.findings[0].message)}"
            cases.append(failed(code, name, text, message=message, kind=group.severity))
        else:
            cases.append(noted(code, name, text))
    suite.add_testcases(cases)
    return suite


def _budget_suite(verdict: Verdict, places: Sequence[Place]) -> TestSuite:
    suite = _Suite(_BUDGETS)
    cases = []
    for outcome in verdict.budgets:
        name = xml_text(outcome.budget.text)
        if outcome.ok:
            cases.append(passed(name, _BUDGETS))
            continue
        message, opens = xml_text(missed(outcome)), ""
        if outcome.trace is not None and outcome.frame is not None:
            opens = xml_text(places[outcome.trace].opens(verdict.traces[outcome.trace].name, outcome.frame))
        text = f"{message}\n{opens}".rstrip()
        cases.append(failed(name, _BUDGETS, text, message=message, kind="budget"))
    suite.add_testcases(cases)
    return suite


def _text(findings: Sequence[facts.Finding], place: Place, name: str) -> str:
    opens = place.opens(name, findings[0].frame)
    return "\n".join([listed(findings, _lines), *([xml_text(opens)] if opens else [])])


def _lines(finding: facts.Finding) -> list[str]:
    times = f" ({finding.count}×)" if finding.count > 1 else ""
    return [f"{phrases.address(finding)} {finding.blame}: {xml_text(finding.message)}{times}"]
