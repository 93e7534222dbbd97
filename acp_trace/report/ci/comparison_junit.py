"""Comparisons and replays as JUnit XML: a suite with one case for a recording, with its differences.

One change of an agent is reported once: a case for each code would make dozens of failures of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from junitparser import TestCase, TestSuite

from acp_trace.compare.causes import causes
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.report import notes
from acp_trace.report.ci.junit import document, failed, listed, noted, passed, seconds, suite_names, xml_text
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.comparisons import counts, event, obeys
from acp_trace.report.statements.replays import Replayed, faults, tried
from acp_trace.report.text import model_outcome

_CLASS, _REPLAY = "diff", "replay"
_NOTHING = "nothing-compared"
_WIDTH = 100  #: of lines about a model


class _Note(NamedTuple):
    """A divergence, and the text before its code: empty, or the reason why it is listed below another."""

    divergence: Divergence
    below: str = ""


def junit(comparison: Comparison, names: Sequence[str], places: Sequence[Place]) -> bytes:
    """The XML document."""
    name = " vs ".join(place.path or place.asked for place in places)
    return document("acp-trace diff", [suite(comparison, names, name, _CLASS)])


def replays_junit(replays: Sequence[tuple[Replayed, Sequence[Place]]]) -> bytes:
    """The XML document of replays: a suite for each recording, with the one case that it is."""
    names = suite_names([places[0] for _, places in replays])
    suites = []
    for (replayed, _), name in zip(replays, names, strict=True):
        both = replayed.name, replayed.live_id
        said = [*faults(replayed.faults), *tried(replayed)]
        made = suite(replayed.found, both, name, _REPLAY, fails=replayed.fails, said=said)
        if replayed.flaky:
            made.add_property("flaky", "true")
        made.time = seconds(replayed.took_ns)
        suites.append(made)
    return document("acp-trace replay", suites, time_ns=sum(one.took_ns for one, _ in replays))


def suite(
    comparison: Comparison,
    names: Sequence[str],
    name: str,
    class_: str,
    *,
    fails: bool = True,
    said: Sequence[str] = (),
) -> TestSuite:
    """One comparison as a suite of one case. `class_`: the command; `fails`: whether something differs.

    `said`: lines before the differences.
    """
    name = xml_text(_plain(name))
    made = TestSuite(name)
    for key, value in (
        ("expected", names[0]),
        ("got", names[1]),
        ("match", comparison.match),
        ("counts", counts(comparison.counts)),
    ):
        made.add_property(key, xml_text(value))
    made.add_testcases([_case(comparison, name, class_, fails=fails, said=said)])
    return made


def _case(comparison: Comparison, name: str, class_: str, *, fails: bool, said: Sequence[str]) -> TestCase:
    by_cause = causes(comparison.failing)
    reported = [
        one
        for cause in by_cause
        for one in (
            _Note(cause.first),
            *(_Note(divergence, "also ") for divergence in cause.repeats),
            *(_Note(divergence, "follows from it: ") for divergence in cause.consequences),
        )
    ]
    beside = [_Note(note, "allowed " if note.allowed else "note ") for note in notes.shown(comparison)]
    text = listed([*reported, *beside], _lines)
    model = model_outcome.section(comparison, _WIDTH, all_=False).plain.splitlines()
    text = "\n".join([*map(xml_text, said), *[text] * bool(text), *map(xml_text, model)])
    if by_cause and fails:
        first, *others = by_cause
        more = f" (and {len(others)} more)" if others else ""
        message = xml_text(f"{first.first.code}: {first.first.message}{more}")
        return failed(name, class_, text, message=message, kind=first.first.code)
    if not comparison.counts.compared:
        return failed(name, class_, text, message="nothing was compared", kind=_NOTHING)
    return noted(name, class_, text) if text else passed(name, class_)


def _plain(name: str) -> str:
    """A name in which no reader takes a dot for the end of a package."""
    return name.replace(".jsonl", "").strip("/").replace(".", "_")


def _lines(note: _Note) -> Iterator[str]:
    divergence = note.divergence
    times = f" (× {divergence.count})" if divergence.count > 1 else ""
    yield xml_text(f"{note.below}{divergence.code}: {divergence.message}{times}")
    if divergence.common_expected is not None:
        yield xml_text(f"  after     {event(divergence.common_expected, None)}")
    if not divergence.is_about_all:
        yield xml_text(f"  expected  {event(divergence.expected_event, divergence.expected)}")
        yield xml_text(f"  actual    {event(divergence.got_event, divergence.got)}")
    if divergence.obeys:
        yield xml_text(f"  protocol  {obeys(divergence)}")
    if divergence.mask or divergence.refused:
        yield xml_text(f"  {divergence.refused or f'hide it with --mask {divergence.mask}'}")
