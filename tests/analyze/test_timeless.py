"""A trace without times says the same as one with times, but for what is measured in time."""

from __future__ import annotations

import dataclasses
import re
from io import StringIO

import pytest
from rich.console import Console

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.budgets.grammar import parse
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.latency import latencies
from acp_trace.analyze.timeless import without_times
from acp_trace.analyze.verdict import fail_on, judge
from acp_trace.report.json.check import document as check_document
from acp_trace.report.json.report import document
from acp_trace.report.statements.checks import missed
from acp_trace.report.text.show import Page, show
from acp_trace.trace.entries import EntryKind
from acp_trace.trace.parse import Parser
from tests.reading.chance import conversation

_IMPORTED = b'"imported":{"format":"zed","times":%s,"directions":"recorded","order":"recorded","unused":2}'
_HEADER = b'{"acp_trace":1,"id":"imported-0","origin":"imported",' + _IMPORTED + b"}"
_ANY_TIME = re.compile(r"\d ?(ns|µs|ms|s|min)\b")


def _facts(seed: int, *, timed: bool) -> Facts:
    """A conversation by chance, as a log with or without times has it: without an end."""
    lines = conversation(seed).splitlines()
    kept = [line for line in lines if b'"acp_trace"' not in line and b'"end":' not in line]
    if not timed:
        kept = [re.sub(rb'^\{"t":\d+,', b"{", line) for line in kept]
    parser, analyzer = Parser(), Analyzer()
    for entry in parser.feed(b"\n".join([_HEADER % (b"true" if timed else b"false"), *kept, b""])):
        frame = analyzer.feed(entry)
        assert frame is None or (frame.t_ns is None) is not timed
    return analyzer.facts()


@pytest.mark.parametrize("seed", range(12))
def test_only_times_are_missing(seed: int) -> None:
    """Turns, calls, cancels and findings are the same ones, with None in the place of each time."""
    timed, timeless = (_facts(seed, timed=timed) for timed in (True, False))
    assert without_times(timed) == dataclasses.replace(
        timeless, trace=dataclasses.replace(timeless.trace, has_times=True)
    )


@pytest.mark.parametrize("seed", range(4))
def test_no_time_is_told(seed: int) -> None:
    """Neither in the report for people, nor in that for programs, nor is anything called unfinished that ended."""
    found = _facts(seed, timed=False)
    out = StringIO()
    show(Console(file=out, width=200), Page(found, [], live=False, width=200, all_=True))
    prompts = re.compile(r'"[^"]*"')
    assert _ANY_TIME.search(prompts.sub("", out.getvalue())) is None, out.getvalue()
    assert "after –" not in out.getvalue().replace("\u00a0", " ")
    assert "from zed, 2 items unused" in out.getvalue().replace("\u00a0", " ")
    told = document(found, live=False)
    assert told.trace.duration_ns is None
    assert told.trace.imported is not None
    assert [each.open for each in told.latency] == [
        each.open for each in latencies(_facts(seed, timed=True).exchanges)
    ]


@pytest.mark.parametrize(
    "metric",
    [
        "turn.duration max < 1s",
        "trace.duration max < 1s",
        "cancel.settle p95 < 1s",
        "turn.duration count = 0",
    ],
)
def test_a_budget_of_time_has_no_samples(metric: str) -> None:
    """What was not measured keeps no limit, not even one of how many there were; why is said."""
    timeless = _facts(0, timed=False)
    verdict = judge([("x", timeless, False)], fail_on([]), [parse(metric)])
    (outcome,) = verdict.budgets
    assert (outcome.n, outcome.value, outcome.ok) == (0, None, False)
    assert missed(outcome) == f"{metric}: no times"
    (told,) = check_document(verdict)["budgets"]
    assert (told.get("value_ns", told.get("value")), told["without_times"]) == (None, 1)


def test_a_budget_over_traces_of_which_one_has_times() -> None:
    """It is about what was measured, and the others are counted; how many there were in all is not known."""
    timed, timeless = _facts(0, timed=True), _facts(0, timed=False)
    budgets = [parse("trace.duration max < 9min"), parse("trace.duration count = 1")]
    both = judge([("x", timed, False), ("y", timeless, False)], fail_on([]), budgets)
    measured, counted = both.budgets
    assert (measured.n, measured.ok, measured.without_times) == (1, True, 1)
    assert missed(measured).endswith(" over 1 sample, 1 trace without times")
    assert (counted.value, counted.ok) == (None, False)


def test_a_count_has_them() -> None:
    """What is counted in frames needs no clock."""
    budget = parse("findings count >= 0")
    assert list(budget.metric.samples(_facts(0, timed=False))) == list(
        budget.metric.samples(_facts(0, timed=True))
    )


def test_a_log_line_has_no_time_either() -> None:
    """For the rules it is 0, as for any reader that does not know the header."""
    (_, entry) = Parser().feed(_HEADER % b"false" + b'\n{"log":"x"}\n')
    assert (entry.kind, entry.t, entry.t_ns) == (EntryKind.LOG, 0, None)
