"""A check in lines: its verdict, each budget, each trace."""

from __future__ import annotations

from acp_trace.analyze import facts
from acp_trace.analyze.budgets.grammar import Outcome
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.analyze.verdict import Checked, Verdict
from acp_trace.report import units
from acp_trace.report.statements import phrases
from acp_trace.trace.counts import counted


def summary(verdict: Verdict) -> str:
    """`ok: 2 traces, 1 budget`, or `FAILED: 2 errors, 1 budget`."""
    if verdict.ok and is_empty(verdict):
        return "nothing was checked: no trace has a frame"
    if verdict.ok:
        parts = [plural(len(verdict.traces), "trace"), plural(len(verdict.budgets), "budget")]
        return f"ok: {', '.join(part for part in parts if part)}"
    return f"FAILED: {failing(verdict)}"


def failing(verdict: Verdict) -> str:
    """Return how many findings and budgets fail: `2 errors, 1 budget`."""
    parts = [
        plural(sum(checked.count(word, failing=True) for checked in verdict.traces), word)
        for word in SEVERITIES
    ]
    parts.append(plural(sum(not outcome.ok for outcome in verdict.budgets), "budget"))
    return ", ".join(part for part in parts if part)


def missed(outcome: Outcome) -> str:
    """The outcome of a budget, in one line."""
    over = (
        f" over {plural(outcome.n, 'sample')}"
        if outcome.value is not None and outcome.budget.stat != "count"
        else ""
    )
    unended = f", {units.number(outcome.open)} never ended" if outcome.open else ""
    timeless = f", {without_times(outcome)}" if outcome.value is not None and outcome.without_times else ""
    budget = outcome.budget
    of = "" if budget.recorded is None else f", recorded: {_amount(outcome, budget.recorded)}"
    return f"{budget.text}: {reached(outcome)}{over}{unended}{timeless}{of}"


def reached(outcome: Outcome) -> str:
    """What a budget's value came to."""
    if outcome.value is None:
        return "no times" if outcome.without_times else "no sample"
    return _amount(outcome, outcome.value)


def _amount(outcome: Outcome, value: int) -> str:
    return units.duration(value) if outcome.budget.timed else units.number(value)


def without_times(outcome: Outcome) -> str:
    """The traces that were not measured: `1 trace without times`."""
    return f"{plural(outcome.without_times, 'trace')} without times"


def plural(count: int, word: str) -> str:
    """`1 error`, `2 errors`; nothing for none."""
    return counted(count, word) if count else ""


def who(trace: facts.Trace) -> str:
    """The agent's name and version."""
    return phrases.agent(trace)


def frames(checked: Checked) -> int:
    """How many frames a trace has, of both sides."""
    return checked.trace.frames_client + checked.trace.frames_agent


def is_empty(verdict: Verdict) -> bool:
    """Whether no trace has a frame: that nothing fails there says nothing."""
    return not any(map(frames, verdict.traces))


def missing(checked: Checked) -> str:
    """What of a trace is not there to be checked; nothing for a whole one."""
    trace = checked.trace
    gone = ["live"] if checked.live else ["incomplete"] if phrases.is_cut_off(trace) else []
    gone += ["not started"] * (trace.error is not None) + ["no frames"] * (not frames(checked))
    gone += [plural(trace.lost_frames, "lost frame"), plural(trace.damaged, "damaged line")]
    return ", ".join(part for part in gone if part)
