"""JUnit XML of a comparison, held against the same schema as that of `check`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_trace.compare.codes import MATCHES, Match
from acp_trace.compare.result import Comparison, FrameCounts
from acp_trace.report.ci.comparison_junit import junit
from acp_trace.report.ci.places import Place
from tests.compare.conversation import base, both, changed, chunk, compared, drop, file, instead, put
from tests.reading.talk import stop
from tests.report.test_junit import ATTRIBUTES, CHILDREN, REQUIRED

_NAMES = ["a.jsonl", "b.jsonl"]


def _read(found: Comparison, *asked: str) -> ET.Element:
    """The document, once it holds what readers count on."""
    names = list(asked) or _NAMES
    root = ET.fromstring(junit(found, names, [Place(name, name) for name in names]))
    assert root.tag == "testsuites"
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag], element.attrib
        assert REQUIRED.get(element.tag, set()) <= set(element.attrib)
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
    (suite,) = root.findall("testsuite")
    cases = suite.findall("testcase")
    failures = sum(one.find("failure") is not None for one in cases)
    for element in (root, suite):
        assert (element.get("tests"), element.get("failures")) == (str(len(cases)), str(failures))
    assert all(len(one.findall("failure")) <= 1 for one in cases)
    assert len({(one.get("classname"), one.get("name")) for one in cases}) == len(cases)
    return root


def _failure(root: ET.Element) -> ET.Element:
    (case,) = root.iter("testcase")
    failure = case.find("failure")
    assert failure is not None
    return failure


@pytest.mark.parametrize("match", MATCHES)
def test_the_comparison_is_one_case(match: Match) -> None:
    """Which passes where nothing differs; the suite says what was compared."""
    root = _read(changed(lambda named: named, match))
    (case,) = root.iter("testcase")
    assert (case.get("classname"), case.get("name"), list(case)) == ("acp-trace.diff", "a vs b", [])
    assert root.get("failures") == "0"
    told = {one.get("name"): one.get("value") for one in root.iter("property")}
    assert (told["expected"], told["got"], told["match"]) == ("a.jsonl", "b.jsonl", match)
    assert (told["counts"] or "").startswith("48 frames recorded · ")


def test_a_failure_carries_its_divergences() -> None:
    """The heaviest in the attribute, all of them in the text, with what came before."""
    edit = both(instead("stop 1", stop(3, "refusal")), instead("stop 3", stop(5, "refusal")))
    root = _read(changed(both(edit, drop("title"))))
    failure = _failure(root)
    message = "stop-reason: turn 0: stopReason end_turn → refusal (and 1 more)"
    assert (failure.get("message"), failure.get("type")) == (message, "stop-reason")
    lines = (failure.text or "").splitlines()
    assert lines[:5] == [
        "stop-reason: turn 0: stopReason end_turn → refusal",
        "  after     #26 ◂ session/update usage_update",
        "  expected  #27 ◂ answer to session/prompt: end_turn",
        "  actual    #26 ◂ answer to session/prompt: refusal",
        "also stop-reason: turn 2: stopReason end_turn → refusal",
    ]
    assert "title-never-set: title is never sent; in the expected trace, it is set" in lines
    assert (
        "follows from it: metadata-never-set: updatedAt is never sent; in the expected trace, it is set"
        in lines
    )
    assert root.get("failures") == "1"


def test_a_note_passes_and_is_said() -> None:
    """A trace without an end is no failure; where nothing was compared, that is one."""
    root = _read(compared(file(base()), file(base(), end=False)))
    (said,) = root.iter("system-out")
    assert "note truncated: the actual trace has no end" in (said.text or "")
    assert root.get("failures") == "0"
    nothing = replace(changed(lambda named: named), counts=FrameCounts(48, 0, 0, 48))
    assert _failure(_read(nothing)).get("message") == "nothing was compared"


def test_thousands_of_divergences_are_cut() -> None:
    """What is left out is counted."""
    failing = changed(instead("stop 1", stop(3, "refusal")))
    many = [failing.failing[0]] * 1000
    found = Comparison(failing.match, failing.expected, failing.got, [], many, failing.counts, failing.masks)
    failure = _failure(_read(found))
    assert (failure.text or "").count("expected") == 50
    assert (failure.text or "").endswith("… and 950 more")


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (("t/x.1.jsonl", "last~2"), "t/x_1 vs last~2"),
        (("/abs/t.jsonl", "-"), "abs/t vs -"),
    ],
)
def test_names_are_those_of_the_next_run(asked: tuple[str, str], name: str) -> None:
    """The traces are called what they were asked for by, and have no dot for Jenkins to cut at."""
    root = _read(changed(lambda named: named), *asked)
    assert [one.get("name") for one in root.findall("testsuite")] == [name]


@pytest.mark.slow
@given(st.text(max_size=20), st.text(max_size=20))
@example("\ufffe \uffff \x00 \x1b ]]> & <", "\uffff")
def test_any_text(text: str, path: str) -> None:
    """Whatever a trace or a path holds, the document is XML."""
    noise = put("found", ("agent", f"{text}!"))
    edit = both(noise, instead("bye", chunk(text, messageId="m1")), instead("stop 1", stop(3, text)))
    root = _read(changed(edit, "exact"), path, path)
    assert "noise" in (_failure(root).text or "")
