"""A comparison as JUnit XML: one suite, a case for each code that was looked for.

Codes that were not told are cases that pass, so that one which is mended shows up as such. What CI
readers take stands in `junit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from junitparser import SystemOut, TestCase, TestSuite

from acp_trace.compare.codes import CODES, DivergenceCode, at_level
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report.ci.junit import document, failed, xml_text
from acp_trace.report.ci.places import Place
from acp_trace.report.text.differences import counts, event

_MOST = 50


def junit(found: Comparison, names: Sequence[str], places: Sequence[Place]) -> bytes:
    """The XML document."""
    name = " vs ".join(place.path or place.asked for place in places)
    return document("acp-trace diff", [suite(found, names, name)])


def suite(
    found: Comparison, names: Sequence[str], name: str, more: Mapping[str, DivergenceCode] | None = None
) -> TestSuite:
    """One comparison as a suite. `more`: codes that may stand in it beside the comparison's own."""
    name = xml_text(_plain(name))
    made = TestSuite(name)
    for key, said in (
        ("expected", names[0]),
        ("got", names[1]),
        ("match", found.match),
        ("counts", counts(found.counts)),
    ):
        made.add_property(key, xml_text(said))
    cases = []
    for code in [*(more or {}).values(), *(one for one in CODES.values() if at_level(one.code, found.match))]:
        case = TestCase(code.code, f"acp-trace.{name}")
        if mine := [one for one in found.divergences if one.code == code.code]:
            told = "\n".join(_lines(mine))
            if code.severity == "error":
                failed(case, xml_text(mine[0].message), code.code, told)
            else:
                case.append(SystemOut(told))  # type: ignore[no-untyped-call]
        cases.append(case)
    made.add_testcases(cases)
    return made


def _plain(name: str) -> str:
    """A name in which no reader takes a dot for the end of a package."""
    return name.replace(".jsonl", "").strip("/").replace(".", "_")


def _lines(some: Sequence[Divergence]) -> Iterable[str]:
    for one in some[:_MOST]:
        times = f" (× {one.count})" if one.count > 1 else ""
        yield xml_text(f"{one.message}{times}")
        if one.common_expected is not None:
            yield xml_text(f"  after     {event(one.common_expected, None)}")
        yield xml_text(f"  expected  {event(one.expected_event, one.expected)}")
        yield xml_text(f"  got       {event(one.got_event, one.got)}")
        if one.mask or one.refused:
            yield xml_text(f"  {one.refused or f'hide it with --mask {one.mask}'}")
    if len(some) > _MOST:
        yield f"… and {len(some) - _MOST} more"
