"""What a bisection found, for people: in a terminal, and as a block of Markdown for an issue.

A frame's content comes from a peer: in the terminal it is made harmless, and in Markdown it is in a fence
that it cannot close.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from rich.text import Text

from acp_trace.builds.bisection import Bisection, TriedBuild
from acp_trace.builds.judged import ShownDifference, ShownFrame
from acp_trace.report.safe import safe, safe_lines, shorten
from acp_trace.report.text import styles
from acp_trace.report.text.columns import Cell, Column, table
from acp_trace.trace.counts import counted

_TRIED = (Column(), Column(), Column(), Column(flexible=True, wraps=True))
#: Characters of a frame on a terminal and in an issue, and lines about its model.
_SCREEN, _ISSUE, _MODEL = 600, 2_000, 8


def report(done: Bisection, times: int, width: int) -> Text:
    """The result, the builds that were tried, and the difference."""
    text = Text(no_wrap=True, end="")
    text.append(f"{_headline(done)}\n", styles.HEADING)
    text.append(f" {safe(done.trace)}, {safe(done.check)}\n\n", styles.FAINT)
    text.append_text(table(_TRIED, [_row(each, times) for each in done.tried], width))
    for line in _difference(done, _SCREEN):
        text.append(f"{line}\n" if not line or line.startswith("  ") else f" {line}\n")
    return text


def for_issue(done: Bisection, command: Sequence[str]) -> str:
    """The same as Markdown. `command`: the words behind `acp-trace`."""
    lines = [f"**{_headline(done)}** ({safe(done.check)})", ""]
    skipped = [each for each in done.tried if each.verdict == "skipped"]
    if skipped:
        lines += [f"Skipped: {', '.join(f'`{_code(each.name)}`' for each in skipped)}", ""]
    shown = done.shown
    run = None if shown is None else shown.run
    if shown is not None and run is not None and run.first is not None:
        first = run.first
        lines += [f"`{_code(first.code)}`: {_inline(first.message)}", ""]
        for label, frame, words in _sides(first):
            whose = f", {safe(shown.name)}" if label == "actual" else ""
            head = f"{label.capitalize()}{whose} (frame {frame.number}, from the {safe(frame.sender)}):"
            lines += [head, "", *_fence(_excerpt(frame, words, _ISSUE), "json"), ""]
    if run is not None and run.model:
        lines += ["Requests to its model that differ:", ""]
        lines += [f"- {_inline(each)}" for each in run.model[:_MODEL]]
        lines += [f"- … and {len(run.model) - _MODEL} more"] if len(run.model) > _MODEL else []
        lines.append("")
    lines += [*_fence(f"acp-trace {shlex.join(command)}", "sh"), ""]
    return "\n".join(lines)


def _headline(done: Bisection) -> str:
    older, newer = ("bad", "good") if done.find_fix else ("good", "bad")
    last = safe(done.last_older or "")
    if done.first_newer is not None:
        return f"first {newer} build: {safe(done.first_newer)}; last {older} one: {last}"
    listed = [safe(each) for each in done.candidates]
    ends = ", ".join(listed if len(listed) < 6 else [*listed[:2], "…", *listed[-2:]])
    count = counted(len(listed), "build")
    return (
        f"first {newer} build: one of {count} ({ends}), because others are skipped; last {older} one: {last}"
    )


def _row(tried: TriedBuild, times: int) -> Sequence[Sequence[Cell]]:
    style = {"bad": styles.ERROR, "skipped": styles.OPEN}.get(tried.verdict)
    rate = f"bad in {tried.shown} of {tried.runs}" if times > 1 and tried.runs else ""
    first = tried.run.first if tried.run is not None and tried.verdict == "bad" else None
    said = tried.why or ("" if first is None else f"{first.code}: {first.message}")
    flaky = "flaky" if tried.is_flaky else ""
    return [
        [Cell(safe(tried.name))],
        [Cell(tried.verdict, style)],
        [Cell(" ".join(filter(None, (rate, flaky))))],
        [Cell(safe(shorten(said, 300)))],
    ]


def _difference(done: Bisection, most: int) -> Iterator[str]:
    """The first difference of the bad build beside the change, with the frames of both sides."""
    shown = done.shown
    run = None if shown is None else shown.run
    if shown is None or run is None:
        return
    yield ""
    if run.first is not None:
        yield f"{safe(run.first.code)} in {safe(shown.name)}: {safe(run.first.message)}"
        for label, frame, words in _sides(run.first):
            yield f"  {label:<9} #{frame.number} {safe(_excerpt(frame, words, most))}"
    if run.model:
        yield "its requests to its model differ:"
        yield from (f"  {safe(shorten(each, most))}" for each in run.model[:_MODEL])
        if len(run.model) > _MODEL:
            yield f"  … and {len(run.model) - _MODEL} more"
    if run.trace:
        yield f"acp-trace frames {safe(run.trace)}"


def _sides(first: ShownDifference) -> Iterator[tuple[str, ShownFrame, str | None]]:
    """The existing frames, each with its content in a few words."""
    for label, frame, words in (
        ("expected", first.expected, first.was),
        ("actual", first.actual, first.is_now),
    ):
        if frame is not None:
            yield label, frame, words


def _excerpt(frame: ShownFrame, words: str | None, most: int) -> str:
    """A frame, or the part of it with these words, if it is long."""
    text = frame.text
    if len(text) <= most:
        return f"{text}…" if frame.is_cut else text
    at = -1
    for length in (len(words or ""), 60, 25):
        if at < 0 and words and len(words) >= 4:
            at = text.find(words[:length])
    start = max(min(at - most // 4, len(text) - most), 0) if at >= most // 2 else 0
    part = text[start : start + most]
    return f"{'…' if start else ''}{part}{'…' if start + most < len(text) or frame.is_cut else ''}"


def _fence(text: str, language: str) -> list[str]:
    """A block of code; the fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", safe_lines(text), fence]


def _inline(text: str) -> str:
    """A message as text of Markdown: nothing in it is a link, a picture, a mention or HTML."""
    return re.sub(r"([\\`*_{}\[\]<>#|@!~])", r"\\\1", safe(text))


def _code(text: str) -> str:
    return safe(text).replace("`", "'")
