"""Were config changes applied? Each with the time it took, and what else changed with it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.page.answered import AnsweredQuestion, Line, answer, of_session
from acp_trace.report.safe import safe
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import phrases
from acp_trace.report.statements.config_steps import ConfigOutcome, config_change, config_outcomes
from acp_trace.trace.counts import counted

#: Options that changed with another one, in one line.
_WITH = 3


def config_answer(trace_facts: facts.Facts) -> AnsweredQuestion:
    """The outcome of each change that the client asked for, and the changes by the agent itself."""
    question, names = "Were config changes applied?", names_of(trace_facts)
    judged = _judged(trace_facts)
    judged.sort(key=lambda step: step.how != "not applied" and not step.how.startswith("error"))
    took = {each.frame: each.latency_ns for each in trace_facts.exchanges}
    lines = [
        _config_line(
            step.entry,
            _change(step, of_session(step.entry, names), took.get(step.entry.asked_frame or 0)),
        )
        for step in judged
    ]
    by_agent = [step for step in config_outcomes(trace_facts) if step.entry.cause == "agent"]
    lines += [_by_agent(step, of_session(step.entry, names)) for step in by_agent]
    if not judged:
        own = f" The agent made {counted(len(by_agent), 'change')} itself." if by_agent else ""
        return answer(question, f"None was asked for.{own}", "plain", lines)
    outcomes = Counter(
        "refused" if step.how.startswith("error") else step.how.partition(" in #")[0] for step in judged
    )
    parts = ", ".join(f"{number} {what}" for what, number in outcomes.items())
    failed = outcomes["refused"] or outcomes["not applied"]
    mood = "bad" if failed else "good" if outcomes["applied"] else "plain"
    return answer(question, f"{counted(len(judged), 'change')} asked for: {parts}.", mood, lines)


def _judged(trace_facts: facts.Facts) -> list[ConfigOutcome]:
    """The outcome of each change that the client asked for, in the words of the text report."""
    return [step for step in config_outcomes(trace_facts) if step.entry.cause == "set"]


def _config_line(entry: facts.ConfigEntry, text: str) -> Line:
    return Line(text, entry.asked_frame or entry.frame, "state", {"frame": str(entry.frame)})


def _change(step: ConfigOutcome, of: str, took: int | None) -> str:
    """A change that was asked for, its outcome and after how long, and the other changes with it."""
    entry = step.entry
    after = "" if took is None else f" after {units.duration(took)}"
    others = [change for change in step.changes if change.option != entry.requested_id]
    also = "" if entry.legacy else _with(others, "; with it ")
    asked = f"{safe(entry.requested_id or '?')}{of} = {phrases.value(entry.requested_value)}"
    return f"{asked}: {step.how}{after}{also}"


def _by_agent(step: ConfigOutcome, of: str) -> Line:
    entry = step.entry
    why = "itself" if entry.asked_frame is None else f"for #{entry.asked_frame}"
    text = f"changed by the agent {why}{of}{_with(step.changes, ': ')}"
    return Line(text, entry.frame, "state", {"frame": str(entry.frame)})


def _with(changes: Sequence[facts.ConfigChange], begin: str) -> str:
    """Options with their values before and after, as many as a line has room for."""
    named = [config_change(change) for change in changes]
    rest = f" and {len(named) - _WITH} more" if len(named) > _WITH else ""
    return f"{begin}{', '.join(named[:_WITH])}{rest}" if named else ""
