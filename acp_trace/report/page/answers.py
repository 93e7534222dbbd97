"""The five questions that people open a trace with, answered from its facts. Pure.

Why was it slow? Were config changes applied? How long did cancels take? What metadata changed? Whose fault is
it? Each answer is a sentence, and lines with the places that they are about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from acp_trace.analyze import facts
from acp_trace.protocol import methods
from acp_trace.report import units
from acp_trace.report.page.answered import AnsweredQuestion, Line, answer, of_session
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.config_answer import config_answer
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import consequences, phrases, silence
from acp_trace.report.statements.cancels import outcome
from acp_trace.report.statements.time_spent import owned_time
from acp_trace.report.statements.turn_parts import parts as turn_parts
from acp_trace.trace.counts import counted

_LONGEST = 120
_PROMPT = 40
#: A request that is open for so long, ns, is why nothing went on.
_LONG_NS = 1_000_000_000
_SEVERITIES = ("error", "warning", "note")


def answers(trace_facts: facts.Facts, *, live: bool = False) -> list[AnsweredQuestion]:
    """The answers, in the order in which people ask. `live`: the trace is still being written."""
    return [
        _slow(trace_facts, live),
        config_answer(trace_facts),
        _cancels(trace_facts),
        _metadata(trace_facts),
        _fault(trace_facts),
    ]


def _slow(trace_facts: facts.Facts, live: bool) -> AnsweredQuestion:
    question = "Why was it slow?"
    if not trace_facts.trace.has_times:
        return answer(question, "Unknown: the log has no times.", "plain", ())
    turns = sorted(trace_facts.turns, key=lambda turn: turn.frame)
    ordinals = turn_numbers(turns)
    end = trace_facts.trace.duration_ns or 0
    timed = sorted(turns, key=lambda turn: -_took(turn, end))
    named = names_of(trace_facts)
    names = {id(turn): named.heading(turn.session_id, turn.turn) for turn in turns}
    lines = [
        Line(
            f"{names[id(turn)]}: {_time(turn, end)}",
            turn.frame,
            "timeline",
            {"turn": str(ordinals[turn.frame])},
        )
        for turn in timed
    ]
    asked = [
        (end - (each.t_ns or 0) if each.latency_ns is None else each.latency_ns, each)
        for each in trace_facts.exchanges
        if each.sender == "client" and each.method != methods.PROMPT
    ]
    slowest = sorted(asked, key=lambda pair: -pair[0])[:2]
    quiet = silence.longest(trace_facts, live=live)
    owed = () if quiet is None else (each for each in quiet.owed if each.t_ns == quiet.start)
    in_silence = {each.frame for each in owed if each.latency_ns is not None}
    lines[3:3] = [
        *_silence(trace_facts, quiet),
        *(_asked(took, each) for took, each in slowest if each.frame not in in_silence),
    ]
    if not turns:
        hung = next((each for took, each in slowest if each.latency_ns is None and took >= _LONG_NS), None)
        if hung is None:
            return answer(question, "No turn was recorded.", "plain", lines)
        open_for = units.duration(end - (hung.t_ns or 0))
        sentence = f"The agent did not answer {safe(hung.method)}, open for {open_for}."
        return answer(question, f"No turn was recorded. {sentence}", "bad", lines)
    longest = timed[0]
    if longest.duration_ns is None:
        open_for = f"it was open for {units.duration(_took(longest, end))}, to the end"
        others = sum(turn.duration_ns is None for turn in turns) - 1
        nor = f"; neither did {counted(others, 'other turn')}" if others else ""
        return answer(question, f"{names[id(longest)]} never settled: {open_for}{nor}.", "bad", lines)
    took = units.duration(longest.duration_ns)
    slower = ""
    if slowest and (latency := slowest[0][1].latency_ns or 0) > longest.duration_ns:
        slower = f"{safe(slowest[0][1].method)} took {units.duration(latency)}, longer than any turn. "
    ended = [turn for turn in turns if turn.duration_ns is not None]
    tied = [turn for turn in ended if units.duration(turn.duration_ns or 0) == took]
    if len(tied) > 1:
        return answer(question, f"{slower}{named.headings(tied)} took longest, {took} each.", "plain", lines)
    most = max(turn_parts([longest]), key=lambda part: part.of(longest))
    part = f"; {units.duration(ns)} of that was {most.words}" if (ns := most.of(longest)) else ""
    return answer(
        question,
        f"{slower}{names[id(longest)]} took longest, {took}{part}.",
        "plain",
        lines,
    )


def _silence(trace_facts: facts.Facts, longest: silence.Silence | None) -> Iterator[Line]:
    """The longest silence, with the place on the timeline that shows its sums."""
    if longest is not None:
        last = trace_facts.trace.frames_client + trace_facts.trace.frames_agent
        place = {"sum": f"{longest.start}-{longest.end}"}
        yield Line(f"longest silence: {silence.sentence(longest)}", longest.until or last, "timeline", place)


def _asked(took: int, exchange: facts.Exchange) -> Line:
    """What the client waited for."""
    is_open = ", not answered" if exchange.latency_ns is None else ""
    return Line(f"{safe(exchange.method)}: {units.duration(took)}{is_open}", exchange.frame)


def _took(turn: facts.Turn, end: int) -> int:
    """How long a turn took; one that never settled, until the trace ended."""
    return max(end - (turn.t_ns or 0), 0) if turn.duration_ns is None else turn.duration_ns


def _time(turn: facts.Turn, end: int) -> str:
    took = units.duration(_took(turn, end))
    return f"not settled, open for {took}" if turn.duration_ns is None else f"{took}{_shares(turn)}"


def _shares(turn: facts.Turn) -> str:
    spent = [f"{part.name} {units.duration(ns)}" for part in turn_parts([turn]) if (ns := part.of(turn))]
    return f" ({', '.join(spent)})" if spent else ""


def _cancels(trace_facts: facts.Facts) -> AnsweredQuestion:
    question = "How long did cancels take?"
    cancels = [each for each in trace_facts.cancellations if each.kind != "internal"]
    internal = [each for each in trace_facts.cancellations if each.kind == "internal"]
    turns, names = {turn.frame: turn for turn in trace_facts.turns}, names_of(trace_facts)
    lines = [
        Line(
            f"{safe(each.kind)}{_of_turn(turns.get(each.target_frame or 0), names)}"
            f"{'' if each.target_frame in turns else of_session(each, names)}: {_cancel(each)}",
            each.frame,
            "state",
            {"cancel": str(each.frame)},
        )
        for each in cancels
    ]
    lines += [
        Line(
            f"by the agent itself{_of_turn(turns.get(each.target_frame or 0), names)}",
            each.frame,
            "state",
            {"cancel": str(each.frame)},
        )
        for each in internal
    ]
    by_agent = f"; the agent itself cancelled {counted(len(internal), 'turn')}" if internal else ""
    if not cancels:
        nothing = f"No client cancelled anything{by_agent}." if internal else "Nothing was cancelled."
        return answer(question, nothing, "plain", lines)
    outcomes = Counter(outcome(each.outcome) for each in cancels)
    settled = [each.settle_ns for each in cancels if each.settle_ns is not None]
    slowest = f", the slowest after {units.duration(max(settled))}" if settled else ""
    parts = ", ".join(f"{number} {what}" for what, number in outcomes.items())
    good = outcomes["cancelled"] == len(cancels)
    return answer(
        question,
        f"{counted(len(cancels), 'cancel')}: {parts}{slowest}{by_agent}.",
        "good" if good else "bad",
        lines,
    )


def _of_turn(turn: facts.Turn | None, names: SessionNames) -> str:
    """Which turn a cancel was aimed at."""
    if turn is None:
        return ""
    prompt = turn.prompt or ""
    is_cut = turn.prompt_cut or len(prompt) > _PROMPT
    said = f' "{phrases.prompt(prompt[:_PROMPT], is_cut=is_cut, blanks=True)}"' if prompt else ""
    return f" of {names.turn(turn.session_id, turn.turn)}{said}"


def _cancel(cancel: facts.Cancellation) -> str:
    parts = [outcome(cancel.outcome)]
    if cancel.settle_ns is not None:
        parts.append(f"settled after {units.duration(cancel.settle_ns)}")
    if cancel.quiesce_ns is not None:
        updates = counted(cancel.updates_after_cancel, "update")
        parts.append(f"{updates}, the last after {units.duration(cancel.quiesce_ns)}")
    if cancel.late_updates:
        parts.append(counted(cancel.late_updates, "late update"))
    return ", ".join(parts)


def _metadata(trace_facts: facts.Facts) -> AnsweredQuestion:
    question, names = "What metadata changed?", names_of(trace_facts)
    lines = [
        Line(
            f"{safe(change.path)}{of_session(change, names)}: {phrases.value(change.before)} → "
            f"{phrases.value(change.after)}",
            change.frame,
        )
        for change in trace_facts.metadata_changes
    ]
    if not lines:
        return answer(question, "None: no session_info_update changed anything.", "plain", lines)
    paths = Counter(safe(shorten(change.path, 40)) for change in trace_facts.metadata_changes)
    parts = ", ".join(f"{path} ({number})" if number > 1 else path for path, number in paths.most_common(4))
    rest = f" and {len(paths) - 4} others" if len(paths) > 4 else ""
    return answer(question, f"{counted(len(lines), 'change')}: {parts}{rest}.", "plain", lines)


def _fault(trace_facts: facts.Facts) -> AnsweredQuestion:
    question = "Whose fault is it?"
    findings, names = trace_facts.findings, names_of(trace_facts)
    lines = [
        Line(
            f"{_side(finding, names)}: {safe(shorten(finding.message, _LONGEST))}",
            finding.frame,
            at={"frame": str(finding.frame), "finding": str(index)},
        )
        for index in consequences.in_order(findings)
        if (finding := findings[index]).consequence_of is None
    ]
    sides = list(_sides(trace_facts.findings))
    trace = trace_facts.trace
    if not sides and (trace.lost_frames or trace.damaged or phrases.is_cut_off(trace)):
        lost = "frames were lost" if trace.lost_frames else "lines cannot be read" if trace.damaged else None
        why = lost or "the trace has no end"
        return answer(question, f"Nothing broke the protocol in what was recorded: {why}.", "plain", lines)
    if not sides and phrases.is_empty(trace):
        nothing = f"{phrases.NOTHING_RECORDED.capitalize()}: {phrases.after_nothing(trace)}."
        return answer(question, nothing, "plain", lines)
    if not sides:
        notes = "Notes are below." if findings else ""
        sentences = filter(None, ("Nothing broke the protocol.", owned_time(trace_facts.turns), notes))
        return answer(question, " ".join(sentences), "good", lines)
    return answer(question, f"{' '.join(sides)}", "bad", lines)


def _side(finding: facts.Finding, names: SessionNames) -> str:
    """`error, client`, with several sessions `error, client, S2`."""
    return ", ".join(filter(None, (finding.severity, finding.blame, names.beside(finding.session_id))))


def _sides(findings: Iterable[facts.Finding]) -> Iterator[str]:
    numbers = Counter((finding.blame, finding.severity) for finding in findings)
    for side in ("agent", "client"):
        parts = [counted(numbers[side, what], what) for what in _SEVERITIES[:2] if numbers[side, what]]
        if parts:
            yield f"The {side}: {' and '.join(parts)}."
