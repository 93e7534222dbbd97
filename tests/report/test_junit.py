"""JUnit XML, held against what Jenkins' schema allows and what GitLab reads."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.verdict import FailOn, Verdict, fail_on, judge
from acp_trace.report.ci.check_junit import junit
from acp_trace.report.ci.junit import xml_text
from acp_trace.report.ci.places import Place
from tests.checking import facts, finding, places, turn, verdict

#: The attributes and children that junit-10.xsd of Jenkins' xunit plugin allows, of the elements we write.
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {
        "name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id",
        "package", "file", "log", "url",
    },
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "properties": set(),
    "property": {"name", "value"},
    "system-out": set(),
}  # fmt: skip
REQUIRED = {
    "testsuite": {"name", "tests", "failures", "errors"},
    "testcase": {"name"},
    "property": {"name", "value"},
}
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"properties", "testcase"},
    "testcase": {"failure", "system-out"},
    "properties": {"property"},
}
_TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def read(made: Verdict, where: list[Place] | None = None, fails: FailOn | None = None) -> ET.Element:
    """The document, once it holds what readers count on."""
    root = ET.fromstring(junit(made, where or places(len(made.traces)), fails or FailOn()))
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag], element.attrib
        assert REQUIRED.get(element.tag, set()) <= set(element.attrib)
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        assert _TIME.fullmatch(element.get("time", ""))
    suites = root.findall("testsuite")
    for suite in suites:
        cases = suite.findall("testcase")
        assert suite.get("tests") == str(len(cases))
        assert suite.get("failures") == str(sum(case.find("failure") is not None for case in cases))
        assert all(len(case.findall("failure")) <= 1 for case in cases)
    keys = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(keys)) == len(keys), "GitLab drops what has the same name"
    assert len({suite.get("name") for suite in suites}) == len(suites)
    assert root.get("tests") == str(len(keys))
    assert root.get("failures") == str(sum(int(suite.get("failures", "")) for suite in suites))
    return root


def case(root: ET.Element, name: str, at: int = 0) -> ET.Element:
    return next(one for one in root.findall("testsuite")[at].findall("testcase") if one.get("name") == name)


def test_every_code_that_could_fail_is_a_case() -> None:
    """Also in a trace without findings: what was mended shows up as a pass."""
    root = read(verdict(facts()))
    errors = [code for code, one in CODES.items() if one.severity == "error"]
    assert [one.get("name") for one in root.iter("testcase")] == errors
    assert {one.get("classname") for one in root.iter("testcase")} == {"acp-trace.a"}
    (suite,) = root.findall("testsuite")
    assert (suite.get("file"), suite.get("timestamp")) == ("a.jsonl", "2026-11-20T13:05:01")
    told = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert told == {"trace": "20261120T130501Z-7f3a9c", "agent": "opencode 1.2"}


def test_a_failure_carries_its_messages() -> None:
    """The first in the attribute, all of them in the text, with the command that shows the first."""
    found = [finding("not-json", 3, "first"), finding("not-json", 5, "second", count=4)]
    failure = case(read(verdict(facts(findings=found))), "not-json").find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.get("type")) == ("5× first", "error")
    assert failure.text == "#3 agent: first\n#5 agent: second (4×)\nacp-trace frames a.jsonl --around 3"


def test_a_code_of_two_severities_is_one_case() -> None:
    """The error fails it; the note stands below, and hides nothing."""
    found = [finding("never-answered", 3, "note", severity="note"), finding("never-answered", 5, "error")]
    failure = case(read(verdict(facts(findings=found))), "never-answered").find("failure")
    assert failure is not None
    assert (failure.get("message"), failure.get("type")) == ("error", "error")
    assert (failure.text or "").startswith("#5 agent: error\n#3 agent: note\n")


def test_thousands_of_findings_are_cut() -> None:
    """What is left out is counted."""
    found = [finding("not-json", frame) for frame in range(1, 1001)]
    failure = case(read(verdict(facts(findings=found))), "not-json").find("failure")
    assert failure is not None
    assert "#50 agent" in (failure.text or "")
    assert "#51 agent" not in (failure.text or "")
    assert "… and 950 more" in (failure.text or "")


def test_codes_in_play() -> None:
    """A code by name is one case; with `never` all codes pass and say what was found."""
    some = facts(findings=[finding("not-json"), finding("blank-line", message="an empty line")])
    rule = fail_on(["blank-line"])
    root = read(verdict(some, fails=rule), fails=rule)
    assert [one.get("name") for one in root.iter("testcase")] == ["blank-line"]
    assert root.get("failures") == "1"
    rule = fail_on(["never"])
    root = read(verdict(some, fails=rule), fails=rule)
    assert [one.get("name") for one in root.iter("testcase")] == list(CODES)
    assert root.get("failures") == "0"
    said = case(root, "blank-line").find("system-out")
    assert said is not None
    assert "an empty line" in (said.text or "")


def test_budgets_are_a_suite() -> None:
    """Each a case of its own, over all traces."""
    found = facts(turns=[turn(7, 3 * 10**9), turn(9, None)])
    texts = ("turn.duration max < 2s", "turn.duration max < 5s", "latency x max < 1s")
    root = read(verdict(facts(), found, budgets=texts))
    suite = root.findall("testsuite")[-1]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("budgets", "3", "2")
    failure = case(root, texts[0], -1).find("failure")
    assert failure is not None
    assert failure.get("message") == "turn.duration max < 2s: 3.00 s over 1 sample, 1 never ended"
    assert (failure.text or "").endswith("\nacp-trace frames b.jsonl --around 7")
    failure = case(root, texts[2], -1).find("failure")
    assert failure is not None
    assert failure.text == "latency x max < 1s: no sample"


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (Place("./t/x.1.jsonl", "t/x.1.jsonl"), "t/x_1"),
        (Place("last~2"), "last~2"),
        (Place("/abs/t.jsonl", "/abs/t.jsonl"), "abs/t"),
        (Place("budgets"), "budgets (2)"),
    ],
)
def test_names_are_those_of_the_next_run(asked: Place, name: str) -> None:
    """A trace is called what it was asked for by, and has no dot for Jenkins to cut at."""
    root = read(verdict(facts(turns=[turn(1, 1)]), budgets=("turn.duration max < 1s",)), [asked])
    assert [one.get("name") for one in root.findall("testsuite")] == [name, "budgets"]
    assert root.find("testsuite/testcase[@classname]").get("classname") == f"acp-trace.{name}"  # type: ignore[union-attr]


def test_names_that_would_be_the_same() -> None:
    """They are told apart, in the order of the command line."""
    where = [Place("a.b"), Place("a_b"), Place("a.b.jsonl", "a.b.jsonl")]
    root = read(verdict(facts(), facts(), facts()), where)
    assert [one.get("name") for one in root.findall("testsuite")] == ["a_b", "a_b (2)", "a_b (3)"]


def test_a_trace_of_which_something_is_missing() -> None:
    """The suite says so: its findings may come from that."""
    whole = facts(findings=[])
    made = judge([("x", whole, True)], FailOn(), [])
    told = {one.get("name"): one.get("value") for one in read(made, [Place("x")]).iter("property")}
    assert told["missing"] == "live"


@given(st.text(max_size=20), st.text(max_size=20))
@example("\ufffe \uffff \x00 \x1b ]]> & <", "\uffff")
def test_any_text(message: str, path: str) -> None:
    """Whatever a message or a path holds, the document is XML."""
    made = verdict(facts(findings=[finding("not-json", 3, message)]))
    root = read(made, [Place(path, path)])
    assert case(root, "not-json").find("failure") is not None


def test_a_code_that_only_a_newer_version_knows() -> None:
    """What fails is a case, whether or not it is in our table."""
    found = finding("not-json")
    newer = type(found)(
        **{**{key: getattr(found, key) for key in found.__dataclass_fields__}, "code": "brand-new"}
    )
    assert case(read(verdict(facts(findings=[newer]))), "brand-new").find("failure") is not None


@pytest.mark.parametrize("text", ["[[ATTACHMENT|/etc/passwd]]", "x[[[attachment|a]]", "[[ ATTACHMENT|a]]"])
def test_no_text_attaches_a_file(text: str) -> None:
    """Jenkins' plugin copies a file that a case names in this way, and GitLab links it."""
    assert re.search(r"\[\[\s*attachment", xml_text(text), re.IGNORECASE) is None
    assert xml_text("[[1, 2], [3]]") == "[[1, 2], [3]]"
