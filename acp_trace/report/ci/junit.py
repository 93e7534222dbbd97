"""A verdict as JUnit XML: a suite for each trace, a case for each code that could fail, a suite of budgets.

Codes that were not found are cases too, which pass: one that is found no more shows up as mended. What
is in the file is what both readers take: Jenkins' schema (xunit plugin, junit-10) has no `file` on a
case and no `skipped` on the root, and its tree ends a package at a dot; GitLab tells cases apart by
classname and name, and shows the text of a failure, not its message.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

from junitparser import Attr, Failure, JUnitXml, SystemOut, TestCase, TestSuite

from acp_trace.analyze import facts
from acp_trace.analyze.verdict import Checked, FailOn, Verdict
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.text.checks import missed, missing, who

_BUDGETS = "budgets"
#: Of thousands of findings the first tell what is wrong, and GitLab takes no file over 30 MB.
_MOST = 50
_NO_XML = re.compile("[\ufffe\uffff]")


class _Suite(TestSuite):
    """A suite that knows its file."""

    file = Attr()


def junit(verdict: Verdict, places: Sequence[Place], fails: FailOn) -> bytes:
    """The XML document."""
    names = class_names(places)
    suites = [
        _trace_suite(one, place, name, fails)
        for one, place, name in zip(verdict.traces, places, names, strict=True)
    ]
    if verdict.budgets:
        suites.append(_budget_suite(verdict, places))
    return document("acp-trace check", suites)


def document(name: str, suites: Sequence[TestSuite], *, time_ns: int | None = None) -> bytes:
    """Some suites as one XML document. `time_ns`: what they took together."""
    root = JUnitXml(name)
    for suite in suites:
        root.add_testsuite(suite)
    root.tests = sum(suite.tests for suite in suites)
    root.failures = sum(suite.failures for suite in suites)
    root.errors = 0
    if time_ns is not None:
        root.time = seconds(time_ns)
    written = io.BytesIO()
    root.write(written, pretty=True)
    return written.getvalue()


def _trace_suite(one: Checked, place: Place, name: str, fails: FailOn) -> TestSuite:
    trace = one.trace
    suite = _Suite(name)
    if place.path is not None:
        suite.file = xml_text(place.path)
    if trace.started_at and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", trace.started_at[:19]):
        suite.timestamp = trace.started_at[:19]
    suite.add_property("trace", xml_text(trace.id))
    suite.add_property("agent", xml_text(who(trace)))
    if gone := missing(one):
        suite.add_property("missing", gone)
    groups = {group.code: group for group in one.groups}
    cases = []
    unheard = [code for code, group in groups.items() if group.fails]  # of a newer version, in the store
    for code in dict.fromkeys([*fails.in_play(), *unheard]):
        case = TestCase(code, f"acp-trace.{name}")
        if group := groups.get(code):
            told = "\n".join(_lines(group.findings, place, one.name))
            if group.fails:
                times = f"{group.seen}× " if group.seen > 1 else ""
                failed(case, f"{times}{xml_text(group.findings[0].message)}", group.severity, told)
            else:
                case.append(SystemOut(told))  # type: ignore[no-untyped-call]
        cases.append(case)
    suite.add_testcases(cases)
    return suite


def _budget_suite(verdict: Verdict, places: Sequence[Place]) -> TestSuite:
    suite = _Suite(_BUDGETS)
    cases = []
    for one in verdict.budgets:
        case = TestCase(xml_text(one.budget.text), f"acp-trace.{_BUDGETS}")
        if not one.ok:
            told = xml_text(missed(one))
            opens = ""
            if one.trace is not None and one.frame is not None:
                opens = xml_text(places[one.trace].opens(verdict.traces[one.trace].name, one.frame))
            failed(case, told, "budget", f"{told}\n{opens}".rstrip())
        cases.append(case)
    suite.add_testcases(cases)
    return suite


def failed(case: TestCase, message: str, kind: str, told: str) -> None:
    """Makes a case one that failed."""
    failure = Failure(message, kind)
    failure.text = told
    case.result = [failure]


def _lines(findings: Sequence[facts.Finding], place: Place, name: str) -> Iterable[str]:
    for one in findings[:_MOST]:
        times = f" ({one.count}×)" if one.count > 1 else ""
        yield f"#{one.frame} {one.blame}: {xml_text(one.message)}{times}"
    if len(findings) > _MOST:
        yield f"… and {len(findings) - _MOST} more"
    if opens := place.opens(name, findings[0].frame):
        yield xml_text(opens)


def class_names(places: Iterable[Place]) -> list[str]:
    """A name for each trace that the next run gives again, all different and without a dot."""
    taken = {_BUDGETS}
    names = []
    for place in places:
        plain = (place.path or place.asked).removesuffix(".jsonl").strip("/").replace(".", "_")
        name, number = xml_text(plain), 1
        while name in taken:
            number += 1
            name = f"{xml_text(plain)} ({number})"
        taken.add(name)
        names.append(name)
    return names


def seconds(ns: int) -> float:
    """A time with three digits behind the point: some copies of the schema take no more."""
    return round(ns / 1e9, 3)


def xml_text(text: str) -> str:
    """Text that XML can hold and a terminal obeys nothing of."""
    return _NO_XML.sub("\ufffd", safe(text))
