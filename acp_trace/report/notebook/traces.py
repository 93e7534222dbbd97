"""One trace in a notebook: who talked to whom, what breaks the protocol, and how the turns ended."""

from __future__ import annotations

from collections.abc import Iterator

from acp_trace.analyze.facts import Facts, Finding, Trace, Turn
from acp_trace.analyze.findings.codes import SEVERITIES
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.notebook import markup
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import consequences, phrases, turns
from acp_trace.report.statements.status import Status
from acp_trace.trace.counts import counted

_MOST = 20  #: rows of a table


def trace(trace_facts: Facts, *, live: bool) -> str:
    """The HTML of a trace."""
    about = trace_facts.trace
    parts = [
        markup.line(markup.strong(about.id or "trace without an id"), *_when(about)),
        markup.line(_sides(about), counted(about.frames_client + about.frames_agent, "frame")),
        markup.line(*_verdict(trace_facts, live=live)),
    ]
    if trace_facts.findings:
        rows = [*_findings(trace_facts.findings)]
        parts.append(markup.table(("", "code", "by", "frame", "what was seen"), rows[:_MOST], (3,)))
        parts += _more(len(rows), "code")
    if trace_facts.turns:
        names = names_of(trace_facts)
        rows = [_turn(turn, names) for turn in trace_facts.turns]
        heads = ("turn", "session", "prompt", "ended", "took", "frame")
        parts.append(markup.table(heads, rows[:_MOST], (0, 4, 5)))
        parts += _more(len(rows), "turn")
    return markup.report(*parts)


def _when(about: Trace) -> list[str]:
    began = units.when(about.started_at) if about.started_at else ""
    return [began, "" if about.duration_ns is None else units.duration(about.duration_ns)]


def _sides(about: Trace) -> str:
    return f"{phrases.client(about)} → {phrases.agent(about)}"


def _verdict(trace_facts: Facts, *, live: bool) -> Iterator[object]:
    """The findings counted, and how it ended."""
    worst = next((of for of in SEVERITIES if any(one.severity == of for one in trace_facts.findings)), "note")
    counted = (words for _, words in consequences.counts(trace_facts.findings))
    yield markup.strong(" · ".join(counted) or "no findings", worst)
    yield _standing(*("live", None) if live else phrases.ended(trace_facts.trace))


def _standing(how: str, stands: Status | None) -> str:
    return how if stands is None else markup.strong(how, "error" if stands is Status.FAILED else "warning")


def _findings(findings: list[Finding]) -> Iterator[list[object]]:
    """One row a code: the first finding of each, the worst first."""
    by_code = group(findings, lambda finding: (finding.code, finding.severity))
    order: list[str] = [*SEVERITIES]
    for (code, severity), same in sorted(by_code.items(), key=lambda item: order.index(item[0][1])):
        more = f" (and {len(same) - 1} more)" if len(same) > 1 else ""
        first = same[0]
        seen = f"{first.message}{more}"
        yield [markup.strong(severity, severity), markup.unbroken(code), first.blame, first.frame, seen]


def _turn(turn: Turn, names: SessionNames) -> list[object]:
    ended = _standing(*turns.ended(turn))
    prompt = phrases.prompt(turn.prompt, is_cut=turn.prompt_cut, blanks=True) if turn.prompt else ""
    took = "" if turn.duration_ns is None else units.duration(turn.duration_ns)
    session = markup.unbroken(names.of(turn.session_id))
    return [turn.turn, session, prompt, ended, markup.unbroken(took), turn.frame]


def _more(count: int, what: str) -> list[markup.Markup]:
    return [markup.line(markup.faint(f"… and {counted(count - _MOST, what)} more"))] if count > _MOST else []
