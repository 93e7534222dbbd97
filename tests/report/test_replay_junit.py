"""JUnit XML of replays, held against the schema that `check` is held against, and what GitLab drops."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from acp_trace.compare.codes import CODES
from acp_trace.compare.result import Comparison
from acp_trace.replay.incidents import RUN_CODES
from acp_trace.report.ci.comparison_junit import replays_junit as junit
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.replays import Replayed, ShownFault
from tests.compare.conversation import changed, instead
from tests.reading.talk import stop
from tests.report.test_junit import ATTRIBUTES, CHILDREN, REQUIRED

#: Copies of junit-10.xsd that test frameworks carry take three digits behind the point and no more;
#: Jenkins' own takes any.
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?")
#: Rails, which GitLab reads with, turns the text of an element with such a `type` into something else.
TYPES = {
    "array", "base64Binary", "boolean", "date", "dateTime", "datetime", "decimal", "double", "duration",
    "file", "float", "hexBinary", "integer", "string", "symbol", "yaml",
}  # fmt: skip

SAME = changed(lambda named: named)
OTHER = changed(instead("stop 1", stop(3, "refusal")))


def _replayed(name: str, found: Comparison = SAME, took_ns: int = 1_234_567_891) -> Replayed:
    return Replayed(name, found, found.equal, died=False, steps=3, sent=3, took_ns=took_ns)


def _read(*some: Replayed, paths: bool = True) -> ET.Element:
    """The document, once it holds what readers count on."""
    places = [[Place(one.name, one.name if paths else None), Place("live")] for one in some]
    root = ET.fromstring(junit(list(zip(some, places, strict=True))))
    for element in root.iter():
        assert set(element.attrib) <= ATTRIBUTES[element.tag], element.attrib
        assert REQUIRED.get(element.tag, set()) <= set(element.attrib)
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
        assert TIME.fullmatch(element.get("time", "")), element.attrib
    keys = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(keys)) == len(keys), "GitLab drops what has the same name"
    assert root.get("tests") == str(len(keys))
    assert root.get("failures") == str(len(list(root.iter("failure"))))
    return root


def test_one_case_for_each_recording() -> None:
    """What differs is the text of the case: one change is one failure."""
    root = _read(_replayed("traces/a.jsonl"), _replayed("traces/b.jsonl", OTHER))
    cases = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert cases == [("acp-trace.replay", "traces/a"), ("acp-trace.replay", "traces/b")]
    assert [suite.get("failures") for suite in root] == ["0", "1"]
    (failure,) = root.iter("failure")
    assert failure.get("type") == "stop-reason"


@pytest.mark.parametrize("found", [SAME, OTHER])
def test_faults_on_purpose_are_in_the_text(found: Comparison) -> None:
    """For `mock`, it may be the only report that anyone sees: some clients hide the agent's stderr."""
    replayed = replace(
        _replayed("a.jsonl", found), faults=[ShownFault("late-chunk on session/prompt", 15, "went\x1b on")]
    )
    text = "".join(next(_read(replayed).iter("testcase")).itertext())
    assert "fault late-chunk on session/prompt (#15): went" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("took_ns", "told"),
    [(1_234_567_891, "1.235"), (66_000_123_456, "66.0"), (20_000, "0.0"), (4_000_000_000_000, "4000.0")],
)
def test_times_have_three_digits_behind_the_point(took_ns: int, told: str) -> None:
    """Which is what every copy of the schema takes."""
    root = _read(_replayed("a.jsonl", took_ns=took_ns))
    assert [suite.get("time") for suite in root] == [told]
    assert root.get("time") == told


def test_names_that_would_be_the_same_are_told_apart() -> None:
    """A trace that is replayed twice, and names that differ in their dots."""
    names = ["a.jsonl", "a.jsonl", "b.c.jsonl", "b_c.jsonl"]
    root = _read(*(_replayed(name) for name in names))
    assert [suite.get("name") for suite in root] == ["a", "a (2)", "b_c", "b_c (2)"]
    root = _read(_replayed("last"), _replayed("last"), paths=False)
    assert [suite.get("name") for suite in root] == ["last", "last (2)"]


def test_no_type_means_something_to_gitlab() -> None:
    """The type of a failure is a code, and no code is a type of Rails'."""
    assert TYPES.isdisjoint([*CODES, *RUN_CODES, "error", "warning", "note", "budget"])
