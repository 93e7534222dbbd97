"""A finished replay -> what is kept of it: plain values that go through JSON and back.

Whether a build could be tried at all is decided here, too: one that does not start, or that asks its model
what the recording cannot answer, says nothing about what is looked for.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Literal

import msgspec

from acp_trace.analyze.analyzer import Analyzer
from acp_trace.analyze.facts import Facts
from acp_trace.analyze.frame import Frame
from acp_trace.builds.tools import with_errors
from acp_trace.compare.causes import causes
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.drive.replay_and_compare import ComparedRun
from acp_trace.trace.entries import Entry

#: The outcome of a run. The last three say nothing about the behaviour of the build.
Became = Literal["passed", "failed", "died", "nothing", "not-started", "not-recorded"]
UNTRIED = ("nothing", "not-started", "not-recorded")
#: Divergences of a build whose requests to its model the recording does not have.
_NOT_RECORDED = ("model-unserved", "model-call-extra", "model-side-died")
#: Characters of a frame that are kept.
_FRAME = 20_000
_WORDS = 300  #: most characters kept of an agent's last words on stderr


class ShownFrame(msgspec.Struct, frozen=True):
    """A frame of one side. `text`: the frame itself, cut if it is long."""

    number: int
    sender: str
    text: str
    is_cut: bool = False


class ShownDifference(msgspec.Struct, frozen=True):
    """A divergence with the frames of both sides. `code` may also be that of a finding.

    `was` and `is_now`: what each side has there, in a few words.
    """

    code: str
    message: str
    expected: ShownFrame | None = None
    actual: ShownFrame | None = None
    was: str | None = None
    is_now: str | None = None


class JudgedRun(msgspec.Struct, frozen=True):
    """What is kept of a run. `codes`: of all that failed; `findings`: of what the analysis found in it.

    `turn_ns`: the median of its turns; `tokens`: of its model's calls, as the provider counted them.
    """

    became: Became
    trace: str
    took_ns: int
    why: str = ""  #: of a run that says nothing
    codes: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    first: ShownDifference | None = None
    model: tuple[str, ...] = ()  #: how its requests to its model differ, in words
    turn_ns: int | None = None
    tokens: int | None = None

    @property
    def is_tried(self) -> bool:
        """Whether it says something of the build's behaviour."""
        return self.became not in UNTRIED


def judged(recorded: Sequence[Entry], made: ComparedRun, took_ns: int, looked_for: str = "") -> JudgedRun:
    """What is kept of a run. `looked_for`: a code that is shown first, and never makes a build untried."""
    verdict, run = made.verdict, made.played
    found = verdict.comparison
    actual = _frames(run.entries)
    failing = found.failing
    became, why = _became(made, looked_for)
    findings = tuple(dict.fromkeys(each.code for each in actual.facts.findings))
    first = _first(failing, looked_for) or _first_of_code(found, looked_for)
    shown = None
    if first is not None:
        shown = _difference(first, recorded, actual)
    elif looked_for in findings:
        shown = _of_finding(looked_for, actual)
    turns = [turn.duration_ns for turn in verdict.timings[1].turns if turn.duration_ns is not None]
    return JudgedRun(
        became,
        run.trace_id,
        took_ns,
        why,
        tuple(dict.fromkeys(each.code for each in failing)),
        findings,
        shown,
        tuple(placed.message for placed in found.model.placed) if found.model else (),
        int(statistics.median(turns)) if turns else None,
        _tokens(actual.facts),
    )


def _became(made: ComparedRun, looked_for: str) -> tuple[Became, str]:
    verdict, found = made.verdict, made.verdict.comparison
    first = found.failing[0].message if found.failing else ""
    if made.played.end is None:
        return "not-started", first or "it cannot be started"
    is_answered = found.got.protocol_version is not None or found.expected.protocol_version is None
    if made.played.end is Ending.TIMEOUT and not is_answered:
        return "not-started", f"it did not answer initialize in time{_last_words(verdict.last_logs)}"
    if verdict.died and not is_answered:
        return "not-started", f"it ended before it answered initialize{_last_words(verdict.last_logs)}"
    codes = {each.code: each.message for each in reversed(found.failing)}
    if looked_for not in codes and (code := next((each for each in _NOT_RECORDED if each in codes), None)):
        return "not-recorded", f"{code}: {codes[code]}"
    if verdict.died:
        return "died", ""
    if not found.equal:
        return "failed", ""
    return ("passed", "") if found.counts.compared else ("nothing", "nothing could be compared")


def _last_words(logs: Sequence[str]) -> str:
    """What an agent said before it ended: its last line about an error, or else its last line."""
    lines, errors = with_errors(logs)
    return f": {(errors or lines)[-1][:_WORDS]}" if lines else ""


def _first(failing: Sequence[Divergence], looked_for: str) -> Divergence | None:
    """The heaviest cause; if something is looked for, that."""
    named = [each for each in failing if each.code == looked_for]
    if named:
        return named[0]
    return causes(failing)[0].first if failing and not looked_for else None


def _first_of_code(found: Comparison, code: str) -> Divergence | None:
    return next((each for each in found.divergences if code and each.code == code), None)


class _Frames(msgspec.Struct):
    facts: Facts
    by_number: dict[int, Frame]


def _frames(entries: Sequence[Entry]) -> _Frames:
    analyzer, by_number = Analyzer(), {}
    for entry in entries:
        if (frame := analyzer.feed(entry)) is not None:
            by_number[frame.frame] = frame
    return _Frames(analyzer.facts(), by_number)


def _difference(divergence: Divergence, recorded: Sequence[Entry], actual: _Frames) -> ShownDifference:
    expected = divergence.expected_event
    got = divergence.got_event
    return ShownDifference(
        divergence.code,
        divergence.message,
        None if expected is None else _shown(_frames(recorded).by_number.get(expected.frame)),
        None if got is None else _shown(actual.by_number.get(got.frame)),
        divergence.expected,
        divergence.got,
    )


def _of_finding(code: str, actual: _Frames) -> ShownDifference:
    finding = next(each for each in actual.facts.findings if each.code == code)
    return ShownDifference(code, finding.message, None, _shown(actual.by_number.get(finding.frame)))


def _shown(frame: Frame | None) -> ShownFrame | None:
    if frame is None:
        return None
    text = frame.data.decode("utf-8", "replace")
    return ShownFrame(frame.frame, frame.sender, text[:_FRAME], len(text) > _FRAME)


def _tokens(facts: Facts) -> int | None:
    """All tokens of the calls; None if the provider counted none."""
    counts = [
        count
        for call in facts.model_calls
        for count in (call.input_tokens_total, call.output_tokens_total)
        if count is not None
    ]
    return sum(counts) if counts else None
