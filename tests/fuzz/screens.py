"""Everything that is printed or written of a trace, made and looked through: nothing in it drives a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from xml.etree import ElementTree as ET

from rich.console import Console
from rich.text import Text

from acp_trace.analyze import verdict
from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.budgets.grammar import Budget
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.listing import of_facts
from acp_trace.analyze.verdict import FailOn, judge
from acp_trace.compare.codes import Match
from acp_trace.compare.difference import compare, read
from acp_trace.compare.result import Comparison
from acp_trace.normalize.masks import Mask
from acp_trace.replay.conversation.explain import explained
from acp_trace.replay.plan.steps import Plan
from acp_trace.report.chunk_runs import ChunkRun, joined
from acp_trace.report.ci import annotations as github
from acp_trace.report.ci import check_junit, comparison_junit, diff_annotations, sarif
from acp_trace.report.ci.places import Place
from acp_trace.report.frame_rows import FrameRow, Timer
from acp_trace.report.json import check as check_document
from acp_trace.report.json import diff as diff_document
from acp_trace.report.json import report as document
from acp_trace.report.json import trace_list as trace_list_json
from acp_trace.report.json.encoding import as_json
from acp_trace.report.json.frames import frame_row
from acp_trace.report.statements import checks as check_statements
from acp_trace.report.text import checks, differences, follow_frame, plans, trace_list
from acp_trace.report.text import event_list as eventlist
from acp_trace.report.text import frame_list as framelist
from acp_trace.report.text.show import Page, show
from acp_trace.trace.entries import BETWEEN, Entry
from acp_trace.trace.jsontext import value

_HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_COMMAND = re.compile(r"^\s*::(?!error |warning |notice )|##\[", re.MULTILINE)
_PLACE = Place("./x.jsonl", "x.jsonl", {frame: frame + 1 for frame in range(1, 9)})


def harmless(text: str | Text) -> str:
    """The text, which must hold no character that a terminal obeys, but for newlines."""
    plain = text if isinstance(text, str) else text.plain
    assert not (found := _HARMFUL.search(plain)), ascii(plain[max(found.start() - 60, 0) : found.end() + 20])
    return plain


def printed(draw: Callable[[Console], None], width: int) -> str:
    """What is drawn on a console like that of the commands."""
    out = Console(
        file=io.StringIO(), highlight=False, markup=False, emoji=False, width=width, soft_wrap=False
    )
    with out.capture() as text:
        draw(out)
    return harmless(text.get())


def of_one(entries: Sequence[Entry], width: int) -> None:
    """All that is printed of one trace."""
    analyzer = Analyzer()
    timer = Timer()
    frames: list[Frame] = []
    for entry in entries:
        frame = analyzer.feed(entry)
        if frame is None and entry.kind in BETWEEN:
            harmless(framelist.entry_line(entry, width))
        if frame is not None:
            frames.append(frame)
            harmless(framelist.line(timer.row(frame), width))
            harmless(framelist.full(frame))
            fresh = analyzer.fresh(frame.session_id)
            for line in eventlist.lines(frame, fresh, "trace", alone=False, work=True):
                harmless(line)
    for row in joined(Timer().rows(frames)):
        if isinstance(row, ChunkRun):
            harmless(framelist.run_line(row, width))
            harmless(framelist.indented(row.text))
    trace = analyzer.trace()
    for text in (
        follow_frame.head(trace, "a"),
        follow_frame.talkers(trace, None),
        follow_frame.closing(trace, None),
    ):
        harmless(text or "")
    facts = analyzer.facts()
    shown(facts, width, all_=True)
    harmless(trace_list.listing([of_facts(facts, live=False)], width))
    _judged(facts)


def documents_of(entries: Sequence[Entry]) -> None:
    """All that programs are told of one trace."""
    analyzer = Analyzer()
    for entry in entries:
        frame = analyzer.feed(entry)
        if frame is not None:
            as_json(frame_row(FrameRow(frame)))
    facts = analyzer.facts()
    value(as_json(document.document(facts)))
    value(as_json(trace_list_json.as_json([of_facts(facts, live=False)])))


def shown(facts: Facts, width: int, *, all_: bool) -> str:
    """The report of `show`."""
    return printed(lambda out: show(out, Page(facts, [], False, width, all_)), width)


def _judged(facts: Facts) -> None:
    made = judge([("x.jsonl", facts, False)], FailOn(), [])
    harmless(checks.report(made, [_PLACE], 100, all_=True))
    ET.fromstring(check_junit.junit(made, [_PLACE], FailOn()))
    value(as_json(sarif.sarif(made, [_PLACE])))
    value(as_json(check_document.document(made)))
    _commands(github.workflow_commands(made, [_PLACE], all_=True))


def compared(a: Sequence[Entry], b: Sequence[Entry], match: Match, masks: Sequence[Mask]) -> Comparison:
    """A comparison, and what programs are told of it."""
    found = compare(read(a, match), read(b, match), match, masks)
    assert 0 <= found.counts.compared <= found.counts.recorded
    value(as_json(diff_document.document(found, ("a", "b"))))
    return found


def of_two(found: Comparison) -> None:
    """All that is printed of a comparison."""
    places = [_PLACE, Place("b")]
    harmless(differences.report(found, ("a", "b"), places, 100, all_=True))
    ET.fromstring(comparison_junit.junit(found, ("a", "b"), places))
    _commands(diff_annotations.workflow_commands(found, places, all_=True))


def of_plan(plan: Plan) -> None:
    """A plan in words."""
    steps = explained(plan)
    as_json(steps)
    harmless(plans.report("x.jsonl", steps, 100))


def of_budget(budget: Budget) -> None:
    """What is said of a budget that has no sample."""
    check_statements.missed(verdict.judge([], FailOn(), [budget]).budgets[0])


def _commands(lines: Sequence[str]) -> None:
    for line in lines:
        assert "\n" not in harmless(line)
        assert not _COMMAND.search(line), line
