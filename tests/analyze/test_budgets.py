"""Budgets: the grammar, what is said of a bad expression, and which sample decides."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.budgets.grammar import OPS, UNITS, BudgetError, Outcome, evaluate, parse
from acp_trace.analyze.budgets.metrics import METRICS, Sample
from acp_trace.analyze.facts import Facts
from tests.checking import facts, finding, turn


def held(text: str, *found: Facts) -> Outcome:
    """What becomes of a budget over these traces."""
    budget = parse(text)
    return evaluate(
        budget, [(at, one) for at, some in enumerate(found) for one in budget.metric.samples(some)]
    )


@pytest.mark.parametrize(
    ("text", "metric", "stat", "op", "limit"),
    [
        ("cancel.settle p95 < 2s", "cancel.settle", "p95", "<", 2 * 10**9),
        ("  cancel.settle\tp95<2s ", "cancel.settle", "p95", "<", 2 * 10**9),
        ("turn.first_output max <= 1.5 min", "turn.first_output", "max", "<=", 90 * 10**9),
        ("turn.duration min > 0.5us", "turn.duration", "min", ">", 500),
        ("turn.duration p1 != 3µs", "turn.duration", "p1", "!=", 3000),
        ("turn.duration p100 != 3μs", "turn.duration", "p100", "!=", 3000),
        ("turn.duration count >= 3", "turn.duration", "count", ">=", 3),
        ("cancel.late_updates max = 0", "cancel.late_updates", "max", "=", 0),
        ("findings count = 0", "findings", "count", "=", 0),
        ("findings.error count = 0", "findings.error", "count", "=", 0),
        ("findings.not-json count < 2", "findings.not-json", "count", "<", 2),
        ("latency session/new p50 <= 300ms", "latency session/new", "p50", "<=", 300 * 10**6),
        ("latency agent:fs/read_text_file max < 1s", "latency agent:fs/read_text_file", "max", "<", 10**9),
        ("latency _vendor/x max < 1s", "latency _vendor/x", "max", "<", 10**9),
    ],
)
def test_expressions(text: str, metric: str, stat: str, op: str, limit: int) -> None:
    """Every metric, statistic, operator and unit; white space as one likes."""
    budget = parse(text)
    assert (budget.metric.name, budget.stat, budget.op, budget.limit) == (metric, stat, op, Decimal(limit))
    assert parse(budget.text) == parse(text)


def test_limits_relative_to_a_recording() -> None:
    """`2x` is twice what the recording reached: a time or a number. Without a sample there, no value fits."""
    budget = parse("turn.duration max <= 1.5x", in_replay=True)
    assert budget.limit is None
    assert parse(budget.text, in_replay=True) == budget

    def outcome(recorded: list[int | None], *run: int) -> tuple[bool, int | None]:
        limited = budget.against([Sample(value, 1) for value in recorded])
        return evaluate(limited, [(0, Sample(value, 1)) for value in run]).ok, limited.recorded

    assert outcome([10, 20, None], 5, 30) == (True, 20)
    assert outcome([10, 20], 31) == (False, 20)
    assert outcome([None], 1) == outcome([], 1) == (False, None)
    count = parse("findings count <= 1x", in_replay=True).against([Sample(2, 1), Sample(1, 2)])
    assert count.limit == count.recorded == 3
    plain = parse("turn.duration max <= 2s", in_replay=True)
    assert plain.against([Sample(1, 1)]) is plain


def test_limits_are_exact() -> None:
    """No float comes near a limit."""
    assert parse("turn.duration max < 0.1s").limit == Decimal(10**8)
    big = "123456789012345678901234567.000000001"
    assert str(parse(f"cancel.late_updates max < {big}").limit) == big


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", "^", "expected a metric, such as turn.duration"),
        ("cancel.setle p95 < 2s", "^~~~~~~~~~~~", "did you mean cancel.settle"),
        ("turn p95 < 5", "^~~~", "did you mean turn.duration, "),
        ("xyz p95 < 2s", "^~~", "there are cancel.settle, "),
        ("< 2s", "^", "expected a metric"),
        ("latency", "       ^", "expected a method, such as session/new"),
        ("latency p95 < 2s", "        ^~~", "expected a method, such as session/new, before that"),
        ("latency session/new < 2s", "                    ^", "expected min, max, count or a percentile"),
        ("findings.eror count = 0", "^~~~~~~~~~~~~", "did you mean error"),
        ("findings. count = 0", "^~~~~~~~~", "'' is neither a severity nor the code"),
        ("findings max = 0", "         ^~~", "findings can only be counted: expected count"),
        ("findings = 0", "         ^", "expected count"),
        ("turn.duration", "             ^", "expected min, max, count or a percentile such as p95"),
        ("turn.duration mean < 2s", "              ^~~~", "there is no mean, only measured values"),
        ("turn.duration p0 < 2s", "              ^~", "a percentile such as p95"),
        ("turn.duration p101 < 2s", "              ^~~~", "a percentile such as p95"),
        ("turn.duration p99.9 < 2s", "              ^~~~~", "a percentile such as p95"),
        ("turn.duration p95", "                 ^", "expected one of < <= > >= = !="),
        ("turn.duration p95 2s", "                  ^~", "expected one of < <= > >= = !="),
        (
            "turn.duration p95 < 2x",
            "                     ^",
            "2x is relative to a recording: only a replay has one",
        ),
        ("turn.duration p95 == 2s", "                  ^~", "expected one of < <= > >= = !="),
        (
            "turn.duration p95 <",
            "                   ^",
            "expected a number with a unit: one of ns, us, ms, s, min",
        ),
        ("turn.duration p95 < fast", "                    ^~~~", "expected a number with a unit"),
        ("turn.duration p95 < -1s", "                    ^~~", "expected a number with a unit"),
        ("turn.duration p95 < 2", "                     ^", "expected a unit: one of ns, us, ms, s, min"),
        ("turn.duration p95 < 2 h", "                      ^", "expected a unit"),
        ("turn.duration p95 < 2,5s", "                     ^~~", "expected a unit"),
        ("turn.duration p95 < ٣s", "                    ^~", "expected a number"),
        ("turn.duration p95 < 2s or 3s", "                       ^~", "expected the end"),
        (
            "turn.duration count < 2s",
            "                       ^",
            "expected a number without a unit: this is not a time",
        ),
        (
            "cancel.late_updates max < 2ms",
            "                           ^~",
            "expected a number without a unit",
        ),
        ("findings count = 0 y", "                   ^", "expected the end"),
    ],
)
def test_a_bad_expression_is_pointed_at(text: str, place: str, says: str) -> None:
    """One line says what was expected, the next is the expression, the last has a caret under the place."""
    with pytest.raises(BudgetError) as raised:
        parse(text)
    message, source, caret = str(raised.value).split("\n")
    assert says in message
    assert source == f"    {text}"
    assert caret == f"    {place}"


_WORDS = st.sampled_from(
    [*METRICS, "latency", "a/b", "p95", "max", "count", *OPS, "2", "2s", "1.5 ms", "x", "="]
)


@given(
    st.one_of(
        st.text(), st.lists(_WORDS, max_size=6).map(" ".join), st.lists(_WORDS, max_size=6).map("".join)
    )
)
def test_any_text(text: str) -> None:
    """It is a budget, or it is pointed at."""
    try:
        budget = parse(text)
    except BudgetError as found:
        error: BudgetError | None = found
    else:
        assert parse(budget.text) == budget
        return
    assert error is not None
    assert 0 <= error.start <= len(error.source)
    assert error.end <= max(len(error.source), error.start + 1)


def test_nearest_rank_names_the_sample() -> None:
    """A percentile is the time of one turn, and its frame is told; among equals the first."""
    found = facts(turns=[turn(frame, took) for frame, took in ((3, 40), (5, 10), (7, 30), (9, 20), (11, 30))])
    told = {
        stat: (one.value, one.frame)
        for stat in ("min", "p20", "p21", "p50", "p80", "p81", "p100", "max")
        for one in [held(f"turn.duration {stat} < 1s", found)]
    }
    assert told == {
        "min": (10, 5), "p20": (10, 5), "p21": (20, 9), "p50": (30, 7), "p80": (30, 7), "p81": (40, 3),
        "p100": (40, 3), "max": (40, 3),
    }  # fmt: skip


def test_samples_are_pooled() -> None:
    """The traces count together, and the one that decided is told."""
    one, two = facts(turns=[turn(1, 10), turn(3, 20)]), facts(turns=[turn(5, 30)])
    outcome = held("turn.duration max < 25ns", one, two)
    assert outcome == Outcome(outcome.budget, False, 30, 3, 0, 1, 5)
    assert held("turn.duration count = 3", one, two).ok


@pytest.mark.parametrize(
    "text", ["turn.duration p50 < 9min", "turn.duration max != 1s", "cancel.late_updates min = 0"]
)
def test_no_sample_fails(text: str) -> None:
    """What was never measured is within no budget."""
    outcome = held(text, facts())
    assert (outcome.ok, outcome.value, outcome.n, outcome.trace, outcome.frame) == (
        False,
        None,
        0,
        None,
        None,
    )


def test_a_count_of_nothing_is_a_number() -> None:
    """None is what `count = 0` asks for."""
    assert held("findings count = 0", facts()).ok
    assert held("turn.duration count = 0", facts()).ok
    assert not held("turn.duration count > 0", facts()).ok


def test_what_never_ended_is_told_apart() -> None:
    """It has no value; it is not hidden either."""
    outcome = held("turn.duration max < 1s", facts(turns=[turn(1, 10), turn(3, None)]))
    assert (outcome.ok, outcome.n, outcome.open) == (True, 1, 1)
    assert held("turn.duration count = 1", facts(turns=[turn(1, 10), turn(3, None)])).ok


@pytest.mark.parametrize(
    ("text", "ok", "value"),
    [
        ("turn.duration max < 1s", False, 4_000_000_000),
        ("turn.duration p95 <= 1s", False, 4_000_000_000),
        ("turn.duration p50 <= 1s", True, 10),
        ("turn.duration max < 5s", True, 10),  # it may have ended soon after the trace
        ("turn.duration max > 1s", False, 10),
        ("turn.duration max != 1s", True, 10),
        ("turn.duration count = 1", True, 1),
        ("turn.first_output max < 1s", False, 4_000_000_000),
    ],
)
def test_what_is_open_for_longer_than_a_limit_has_exceeded_it(text: str, ok: bool, value: int) -> None:
    """However long it would have taken. It still counts as what never ended."""
    first = turn(1, 10, first_output_ns=5, t_ns=0)
    outcome = held(text, facts(turns=[first, turn(3, None, t_ns=5_000_000_000)]))
    assert (outcome.ok, outcome.value) == (ok, value)
    if "first" not in text:
        assert (outcome.n, outcome.open) == (1, 1)


@pytest.mark.parametrize(
    ("op", "holds"),
    [("<", "100"), ("<=", "110"), (">", "001"), (">=", "011"), ("=", "010"), ("!=", "101")],
)
def test_operators(op: str, holds: str) -> None:
    """Below, at and above the limit."""
    told = [held(f"turn.duration max {op} 20ns", facts(turns=[turn(1, took)])).ok for took in (19, 20, 21)]
    assert told == [sign == "1" for sign in holds]


def test_every_unit_says_how_long_it_is() -> None:
    """All units of the page are taken."""
    for unit, ns in UNITS.items():
        assert held(f"turn.duration max = 3{unit}", facts(turns=[turn(1, 3 * ns)])).ok


def test_a_finding_that_stands_for_several_counts_as_many() -> None:
    """So that a budget of findings cannot be kept by counting less; the first one is told."""
    outcome = held(
        "findings count < 8", facts(findings=[finding("not-json", 41), finding("blank-line", 42, count=7)])
    )
    assert (outcome.ok, outcome.value, outcome.n, outcome.frame) == (False, 8, 2, 41)
