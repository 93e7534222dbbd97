"""A budget as an expression: the grammar, the errors in an expression, and its outcome.

    budget := METRIC STAT OP VALUE
    METRIC := a name of `metrics.METRICS` | findings.SEVERITY | findings.CODE | latency [SIDE:]METHOD
    STAT   := min | max | count | p1 … p100
    OP     := < | <= | > | >= | = | !=
    VALUE  := number [unit]          units: ns, us, µs, ms, s, min
              number x               in a replay: this multiple of what its recording reached

There is no mean: every number was measured, so that a reader can open the sample behind it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NoReturn

from acp_trace.analyze.budgets.metrics import METRICS, Metric, Sample, findings_of, latency_of
from acp_trace.analyze.findings.codes import CODES, SEVERITIES
from acp_trace.analyze.latency import nearest_rank
from acp_trace.trace import near_misses
from acp_trace.trace.carets import CaretError

OPS: dict[str, Callable[[Decimal, Decimal], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "!=": operator.ne,
}
#: In place of a unit: the limit is a multiple of what the recording reached.
TIMES = "x"
#: Upper limits: what is still open may have exceeded one already.
_UPPER = ("<", "<=")
UNITS: dict[str, int] = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,  # the micro sign
    "μs": 1_000,  # the Greek letter, which looks the same
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "min": 60_000_000_000,
}
_WORD = re.compile(r"[^\s<>=!]+")
_ANY = re.compile(r"\S+")
_OP = re.compile(r"[<>=!]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_PERCENTILE = re.compile(r"p([1-9]\d?|100)", re.ASCII)
_STATS = "min, max, count or a percentile such as p95"


class BudgetError(CaretError):
    """An expression that is not a budget."""


@dataclass(frozen=True, slots=True)
class Budget:
    """One budget. `text` is the expression with single spaces; `limit` is ns if `timed`.

    `factor`: of a limit such as `2x`. `limit` is None until `against` has found it, and if it found nothing.
    """

    text: str
    metric: Metric
    stat: str
    op: str
    limit: Decimal | None
    factor: Decimal | None = None
    recorded: int | None = None  #: what the recording reached, for a `factor`

    @property
    def timed(self) -> bool:
        """Whether its value is a time."""
        return self.metric.unit == "ns" and self.stat != "count"

    def against(self, recorded: Iterable[Sample]) -> Budget:
        """Return it with the limit that follows from these samples of the recording, if it has a factor."""
        if self.factor is None:
            return self
        reached = _reached(self, [one.value for one in recorded if one.value is not None])
        limit = None if reached is None else self.factor * reached
        return replace(self, limit=limit, recorded=reached)

    def allows(self, value: int) -> bool:
        """Whether a value is within the limit. Without a limit, none is."""
        return self.limit is not None and OPS[self.op](Decimal(value), self.limit)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a budget. `value` is None, and the budget failed, if there was no sample.

    Traces without times (their number is `without_times`) yield no measurements, and the number of things to
    measure is unknown: then a count is None as well.
    """

    budget: Budget
    ok: bool
    value: int | None
    n: int  #: samples with a value
    open: int  #: samples that never ended, and therefore have no value
    trace: int | None  #: index of the trace whose sample decided; for a count, of the first sample
    frame: int | None  #: the frame at which that sample began
    without_times: int = 0  #: traces without times, if the budget is about a time
    is_open: bool = False  #: the sample that decided never ended; `value` is how long it was open


def parse(text: str, *, in_replay: bool = False) -> Budget:
    """Return the budget of an expression. `in_replay`: a limit may be `2x`. Raises BudgetError."""
    words = _Words(" ".join(text.split()))
    metric = _metric(words)
    stat = _stat(words, metric)
    op, at = words.take(_OP, f"expected one of {' '.join(OPS)}")
    if op not in OPS:
        words.fail(f"expected one of {' '.join(OPS)}", at)
    limit, unit = _value(words, timed=metric.unit == "ns" and stat != "count", in_replay=in_replay)
    if words.left():
        words.fail("expected the end", words.at)
    if unit == TIMES:
        return Budget(words.source, metric, stat, op, None, limit)
    return Budget(words.source, metric, stat, op, limit * UNITS[unit] if unit else limit)


def evaluate(budget: Budget, samples: Iterable[tuple[int, Sample]], *, without_times: int = 0) -> Outcome:
    """Evaluate a budget over the samples of all traces: whether it holds, its value, and the place.

    `samples`: each with the index of its trace. The value is ns for times, a number for counts; without
    samples it is None, and the budget fails. For `turn.duration p95 < 2s` over 20 turns, the trace and frame
    are those of the 19th in length. What never ended counts if an upper limit is exceeded already.
    `without_times`: how many traces have no times.
    """
    without_times = without_times if budget.metric.unit == "ns" else 0
    given = list(samples)
    measured = [(one.value, trace, one.frame, False) for trace, one in given if one.value is not None]
    n, unended = len(measured), len(given) - len(measured)
    if budget.stat != "count" and budget.op in _UPPER:
        measured += [
            (one.open_ns, trace, one.frame, True)
            for trace, one in given
            if one.open_ns is not None and not budget.allows(one.open_ns)
        ]
    is_known = budget.stat != "count" or not without_times
    value = _reached(budget, [amount for amount, *_ in measured]) if is_known else None
    if value is None:
        return Outcome(budget, False, None, n, unended, None, None, without_times)
    decisive = (one for one in measured if budget.stat == "count" or one[0] == value)
    _, trace, frame, is_open = next(decisive, (0, None, None, False))
    return Outcome(budget, budget.allows(value), value, n, unended, trace, frame, without_times, is_open)


def _reached(budget: Budget, values: Sequence[int]) -> int | None:
    if budget.stat == "count":  # a finding that stands for several counts as many
        return sum(values) if budget.metric.unit == "seen" else len(values)
    if budget.stat in ("min", "max"):
        return (min if budget.stat == "min" else max)(values, default=None)
    return nearest_rank(sorted(values), int(budget.stat[1:]))


class _Words:
    """An expression, read from left to right."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def left(self) -> bool:
        """Whether anything but a space is left; skips the space."""
        if self.source[self.at : self.at + 1] == " ":
            self.at += 1
        return self.at < len(self.source)

    def take(self, pattern: re.Pattern[str], expected: str) -> tuple[str, int]:
        """Return the next word and its position."""
        match = pattern.match(self.source, self.at) if self.left() else None
        if match is None:
            self.fail(expected, self.at)
        self.at = match.end()
        return match[0], match.start()

    def fail(self, message: str, start: int) -> NoReturn:
        """Raise an error that points at the word that was read last, or at the next one."""
        end = self.at
        if end <= start and (word := _ANY.match(self.source, start)):
            end = word.end()
        raise BudgetError(message, self.source, start, end)


def _metric(words: _Words) -> Metric:
    name, at = words.take(_WORD, "expected a metric, such as turn.duration")
    if name == "latency":
        method, at = words.take(_WORD, "expected a method, such as session/new")
        if _is_stat(method):
            words.fail("expected a method, such as session/new, before that", at)
        return latency_of(method)
    family, dot, which = name.partition(".")
    if family == "findings" and dot:
        if (metric := findings_of(which)) is None:
            near = near_misses.suggestion(which, [*SEVERITIES, *CODES])
            words.fail(f"{which!r} is neither a severity nor the code of a finding{near}", at)
        return metric
    if name not in METRICS:
        metrics = [*METRICS, "latency METHOD", "findings.SEVERITY", "findings.CODE"]
        first = [metric for metric in METRICS if metric.startswith(f"{name}.")][:1]  # `turn` is its duration
        alike = near_misses.nearest(name, [*METRICS, "latency"])
        near = near_misses.did_you_mean(list(dict.fromkeys([*first, *alike])))
        near = near or f": there are {', '.join(metrics)}"
        words.fail(f"there is no metric {name}{near}", at)
    return METRICS[name]


def _stat(words: _Words, metric: Metric) -> str:
    if metric.unit == "seen":
        stat, at = words.take(_WORD, "expected count")
        if stat != "count":
            words.fail("findings can only be counted: expected count", at)
        return stat
    stat, at = words.take(_WORD, f"expected {_STATS}")
    if stat in ("mean", "avg", "average"):
        words.fail(f"there is no mean, only measured values: expected {_STATS}", at)
    if not _is_stat(stat):
        words.fail(f"expected {_STATS}", at)
    return stat


def _is_stat(word: str) -> bool:
    return word in ("min", "max", "count") or _PERCENTILE.fullmatch(word) is not None


def _value(words: _Words, *, timed: bool, in_replay: bool) -> tuple[Decimal, str]:
    """Return a number and its unit: of time, `x`, or nothing."""
    units = f"a unit: one of {', '.join(unit for unit in UNITS if unit not in ('µs', 'μs'))}"
    number, _ = words.take(_NUMBER, f"expected a number with {units}" if timed else "expected a number")
    if not words.left():
        if timed:
            words.fail(f"expected {units}", words.at)
        return Decimal(number), ""
    unit, at = words.take(_ANY, "")
    if unit == TIMES and not in_replay:
        words.fail(f"{number}{TIMES} is relative to a recording: only a replay has one", at)
    if unit != TIMES and not (timed and unit in UNITS):
        no_time = "expected a number without a unit: this is not a time"
        words.fail(f"expected {units}" if timed else no_time if unit in UNITS else "expected the end", at)
    return Decimal(number), unit
