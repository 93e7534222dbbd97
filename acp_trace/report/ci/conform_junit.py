"""Conformance as JUnit XML: a suite for each tier, a case for each requirement.

What was not exercised, and what does not apply, is a case that passed with a note. A failure that does not
decide the verdict passes with a note, too: a red case is one that makes the exit code 1.
"""

from __future__ import annotations

from junitparser import TestCase, TestSuite

from acp_trace.conform.judge import Conformance, Judged
from acp_trace.conform.requirement import TIERS
from acp_trace.report.ci.junit import document, failed, listed, noted, passed, xml_text
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.conformance import who

_CLASS = "conform"


def junit(conformance: Conformance) -> bytes:
    """The XML document."""
    suites = []
    for tier in TIERS:
        suite = TestSuite(tier)
        suite.add_property(conformance.side, xml_text(who(conformance)))
        suite.add_testcases([_case(one) for one in conformance.judged if one.requirement.tier == tier])
        suites.append(suite)
    return document("acp-trace conform", suites)


def _case(one: Judged) -> TestCase:
    of, class_ = one.requirement, f"{_CLASS}.{one.requirement.tier}"
    name = of.id if of.version in (0, 1) else f"{of.id} (protocol {of.version})"
    if one.status == "pass":
        return passed(name, class_)
    if one.status != "fail":
        return noted(name, class_, f"{one.status}: {of.text}")
    first = one.failures[0]
    opens = Place(first.trace).opens(first.trace, first.frame) if first.frame else ""
    said = listed(one.failures, lambda each: [xml_text(f"#{each.frame} {each.message} ({each.trace})")])
    text = f"{of.text}\n{said}\n{xml_text(opens)}".rstrip()
    if not one.is_binding:
        return noted(name, class_, text)
    return failed(name, class_, text, message=xml_text(first.message), kind=first.code or of.id)
