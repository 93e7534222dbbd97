"""Replays for people: the verdict of each first, then, of one that failed, what differs."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from rich.text import Text

from acp_trace.report import units
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.statements.replays import Replayed, faults, tried, verdict
from acp_trace.report.text import differences, model_outcome, styles
from acp_trace.report.text.last_output import last_output
from acp_trace.report.text.timings import beside
from acp_trace.trace.counts import counted


def report(replayed: Replayed, places: Sequence[Place], width: int, *, all_: bool, cut: bool = True) -> Text:
    """One replay: a line if it passed, otherwise all that differs. `cut`: as `differences` has it."""
    text = Text(no_wrap=True, end="")
    style = f"{styles.HEADING} {styles.ERROR}" if replayed.fails else styles.HEADING
    text.append(f"{verdict(replayed)}{_not_hermetic(replayed)}  ", style).append(
        safe(replayed.name), styles.HEADING
    )
    text.append(f"  {_steps(replayed)}\n", styles.FAINT)
    for line in tried(replayed):
        text.append(_wrapped(line, width), styles.OPEN if replayed.flaky else styles.FAINT)
    for line in faults(replayed.faults):
        text.append(_wrapped(line, width))
    if replayed.passed:
        text.append_text(differences.matched(replayed.found.counts, width))
        text.append_text(model_outcome.section(replayed.found, width, all_=all_))
        for budget in replayed.budgets:
            text.append(f" {safe(budget)}\n", styles.FAINT)
        for label, code, message in differences.note_lines(replayed.found, all_=all_):
            allowed = "allowed, " if label == "allowed" else ""
            line = f"{allowed}{code}: {message}" if code else f"  {message}"
            text.append(_wrapped(line, width), styles.FAINT)
        for line in differences.unused(replayed.found):
            text.append(_wrapped(line, width), styles.FAINT)
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
        text.append(f" {safe(hint)}\n", styles.FAINT)
    return text


def _wrapped(line: str, width: int) -> str:
    """A line; if there is no room for it, its rest is below."""
    parts = textwrap.wrap(safe(line), max(width - 3, 20), break_long_words=False, break_on_hyphens=False)
    return "".join(f" {'  ' * bool(at)}{part}\n" for at, part in enumerate(parts))


def _not_hermetic(replayed: Replayed) -> str:
    """The words beside the verdict of a run that was to be answered from its recording, but was not."""
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
    return f"{replayed.sent} of {counted(replayed.steps, 'step')} in {units.duration(replayed.took_ns)}"
