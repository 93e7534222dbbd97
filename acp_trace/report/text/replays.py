"""Replays for people: the verdict of each first, then, of one that failed, what differs."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rich.text import Text

from acp_trace.compare.causes import causes
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.compare.result import Comparison
from acp_trace.compare.timings import Timings
from acp_trace.report import units
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.text import differences, model_outcome, words
from acp_trace.report.text.last_output import last_output
from acp_trace.report.text.timings import beside


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt at a replay. `against`: the alternative recording it was compared with."""

    found: Comparison
    passed: bool
    died: bool
    against: str | None = None

    @property
    def live_id(self) -> str:
        """The trace of the run."""
        return self.found.got.id


class ShownVariable(Protocol):
    """What is told of a variable of the agent's environment."""

    @property
    def name(self) -> str:
        """`NAME`, or `NAME#/place` of a document."""

    @property
    def is_set(self) -> bool:
        """Whether it was set; else it was removed, or left out."""

    @property
    def why(self) -> str:
        """In words."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """One replay as it is reported. `name`: what the recording was asked for by."""

    name: str
    found: Comparison
    passed: bool
    died: bool
    steps: int
    sent: int
    took_ns: int
    budgets: Sequence[str] = ()  #: in words, those that hold
    hints: Sequence[str] = ()  #: what to do next
    timings: tuple[Timings, Timings] | None = None  #: of the recording and of the run
    logs: int = 0  #: lines that the agent wrote to stderr
    last_logs: Sequence[str] = ()  #: the last of them
    updated: bool = False  #: the recording is this run now
    attempts: Sequence[Tried] = ()  #: all of them, where there were several
    flaky: bool = False  #: it failed, and passed when it was tried again
    variables: Sequence[ShownVariable] = ()  #: of the agent's environment, which were set or not, and why
    alternative: str | None = None  #: which alternative recording it passed

    @property
    def fails(self) -> bool:
        """Whether something is wrong: what differs was not accepted, or a budget is exceeded."""
        if self.updated:
            return any(divergence.code == OVER_BUDGET for divergence in self.found.failing)
        return not self.passed

    @property
    def live_id(self) -> str:
        """The trace of the live run."""
        return self.found.got.id


def report(replayed: Replayed, places: Sequence[Place], width: int, *, all_: bool, cut: bool = True) -> Text:
    """One replay: a line where it passed, else all that differs. `cut`: as `differences` has it."""
    text = Text(no_wrap=True, end="")
    style = f"{words.HEADING} {words.ERROR}" if replayed.fails else words.HEADING
    text.append(f"{verdict(replayed)}{_not_hermetic(replayed)}  ", style).append(
        safe(replayed.name), words.HEADING
    )
    text.append(f"  {_steps(replayed)}\n", words.FAINT)
    for line in tried(replayed):
        text.append(_wrapped(line, width), words.OPEN if replayed.flaky else words.FAINT)
    if replayed.passed:
        text.append_text(differences.counted(replayed.found.counts, width))
        text.append_text(model_outcome.section(replayed.found, width, all_=all_))
        for budget in replayed.budgets:
            text.append(f" {safe(budget)}\n", words.FAINT)
        for label, code, message in differences.note_lines(replayed.found, all_=all_):
            allowed = "allowed, " if label == "allowed" else ""
            line = f"{allowed}{code}: {message}" if code else f"  {message}"
            text.append(_wrapped(line, width), words.FAINT)
        for line in differences.unused(replayed.found):
            text.append(_wrapped(line, width), words.FAINT)
    else:
        names = replayed.name, replayed.live_id
        body = differences.report(replayed.found, names, places, width, all_=all_, cut=cut)
        text.append("\n").append_text(body)
        has_crashed = any(divergence.code == "end" for divergence in replayed.found.failing)
        if (replayed.died or has_crashed) and replayed.last_logs:
            text.append("\n").append_text(last_output(replayed.last_logs, replayed.logs, width))
        text.append("\n")
    if replayed.timings is not None:
        traces = replayed.found.expected, replayed.found.got
        text.append_text(beside(list(zip(replayed.timings, traces, strict=True)), width))
    if replayed.hints:
        text.append("\n" if not replayed.passed else "")
    for hint in replayed.hints:
        text.append(f" {safe(hint)}\n", words.FAINT)
    return text


def _wrapped(line: str, width: int) -> str:
    """A line, and where there is no room for it, the rest of it below."""
    parts = textwrap.wrap(safe(line), max(width - 3, 20), break_long_words=False, break_on_hyphens=False)
    return "".join(f" {'  ' * bool(at)}{part}\n" for at, part in enumerate(parts))


def tried(replayed: Replayed) -> list[str]:
    """What became of all attempts: whether it is flaky, and what those that failed say first."""
    lines = []
    if replayed.flaky:
        lines.append(f"flaky: failed, and passed at attempt {len(replayed.attempts)}")
    elif len(replayed.attempts) > 1 and not replayed.passed:
        shown = [attempt.live_id for attempt in replayed.attempts].index(replayed.live_id) + 1
        lines.append(f"all {len(replayed.attempts)} attempts failed; below, attempt {shown}")
    if replayed.alternative is not None:
        lines.append(f"passed as in {replayed.alternative}")
    for number, attempt in enumerate(replayed.attempts, 1):
        if not attempt.passed and attempt.live_id != replayed.live_id:
            against = f" against {attempt.against}" if attempt.against else ""
            lines.append(f"attempt {number}, {attempt.live_id}{against}: {_gist(attempt.found)}")
    return lines


def _gist(found: Comparison) -> str:
    """The heaviest cause in one line, and how many more there are."""
    if found.equal:
        return "nothing was compared"
    first, *others = causes(found.failing)
    more = f" (and {len(others)} more)" if others else ""
    return f"{first.first.code}: {first.first.message}{more}"


def verdict(replayed: Replayed) -> str:
    """`passed`, `updated` or `FAILED`."""
    if replayed.fails:
        return "FAILED"
    return "updated" if replayed.updated else "passed"


def _not_hermetic(replayed: Replayed) -> str:
    """What stands beside the verdict of a run that was to be answered from its recording, and was not."""
    model = replayed.found.model
    return ", not hermetic" if model is not None and model.serves_nothing else ""


def total(replays: Sequence[Replayed]) -> str:
    """All of them in one line: `2 passed (1 flaky), 1 updated, 1 failed`."""
    counts = Counter(verdict(replayed).lower() for replayed in replays)
    flaky = sum(replayed.flaky for replayed in replays)
    more = {"passed": f" ({flaky} flaky)"} if flaky else {}
    words_ = (word for word in ("passed", "updated", "failed") if counts[word])
    return ", ".join(f"{counts[word]} {word}{more.get(word, '')}" for word in words_)


def _steps(replayed: Replayed) -> str:
    return f"{replayed.sent} of {words.count(replayed.steps, 'step')} in {units.duration(replayed.took_ns)}"
