"""A comparison as JUnit XML: one suite, a case for each code that was looked for.

Codes that were not found are cases too, which pass: one that is found no more shows up as fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from junitparser import TestSuite

from acp_trace.compare.codes import CODES, DivergenceCode, at_level
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report.ci.junit import document, failed, listed, noted, passed, xml_text
from acp_trace.report.ci.places import Place
from acp_trace.report.text.differences import counts
from acp_trace.report.text.divergences import event


def junit(comparison: Comparison, names: Sequence[str], places: Sequence[Place]) -> bytes:
    """The XML document."""
    name = " vs ".join(place.path or place.asked for place in places)
    return document("acp-trace diff", [suite(comparison, names, name)])


def suite(
    comparison: Comparison, names: Sequence[str], name: str, more: Mapping[str, DivergenceCode] | None = None
) -> TestSuite:
    """One comparison as a suite. `more`: codes that may stand in it beside the comparison's own."""
    name = xml_text(_plain(name))
    made = TestSuite(name)
    for key, value in (
        ("expected", names[0]),
        ("got", names[1]),
        ("match", comparison.match),
        ("counts", counts(comparison.counts)),
    ):
        made.add_property(key, xml_text(value))
    cases = []
    for code in [
        *(more or {}).values(),
        *(code for code in CODES.values() if at_level(code.code, comparison.match)),
    ]:
        divergences = [divergence for divergence in comparison.divergences if divergence.code == code.code]
        text = listed(divergences, _lines)
        if not divergences:
            cases.append(passed(code.code, name))
        elif code.severity == "error":
            message = xml_text(divergences[0].message)
            cases.append(failed(code.code, name, text, message=message, kind=code.code))
        else:
            cases.append(noted(code.code, name, text))
    made.add_testcases(cases)
    return made


def _plain(name: str) -> str:
    """A name in which no reader takes a dot for the end of a package."""
    return name.replace(".jsonl", "").strip("/").replace(".", "_")


def _lines(divergence: Divergence) -> Iterator[str]:
    times = f" (× {divergence.count})" if divergence.count > 1 else ""
    yield xml_text(f"{divergence.message}{times}")
    if divergence.common_expected is not None:
        yield xml_text(f"  after     {event(divergence.common_expected, None)}")
    yield xml_text(f"  expected  {event(divergence.expected_event, divergence.expected)}")
    yield xml_text(f"  actual    {event(divergence.got_event, divergence.got)}")
    if divergence.mask or divergence.refused:
        yield xml_text(f"  {divergence.refused or f'hide it with --mask {divergence.mask}'}")
