"""A comparison for people: the verdict first, then who differs, then every divergence, then the notes.

The first divergence is told in full, the others in one line each; `diff_document` has all of all.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from acp_trace.compare.result import Comparison, Divergence, FrameCounts, FrameEvent
from acp_trace.report import units
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.text import words
from acp_trace.report.text.columns import Cell, Column, table

_MOST = 3  #: of one code, unless all are asked for
_LABEL = 10  #: width of what stands before a line of the first divergence
_INDENT = 4
_ROW = (Column(right=True), Column(), Column(right=True), Column(right=True), Column(flexible=True))
_TRACE = (Column(), Column(flexible=True), Column(), Column(right=True), Column())
_CHANGE = (Column(), Column(flexible=True))
_NOTE = (Column(), Column(), Column(flexible=True))


def report(
    comparison: Comparison, names: Sequence[str], places: Sequence[Place], width: int, *, all_: bool
) -> Text:
    """The whole of it; `all_` lists every divergence."""
    text = Text(no_wrap=True, end="")
    style = words.HEADING if comparison.equal else f"{words.HEADING} {words.ERROR}"
    text.append(verdict(comparison), style).append("\n\n")
    if not comparison.equal:
        text.append_text(table(_TRACE, _traces(comparison, names, width), width))
    for part in (
        _environment(comparison, width),
        _divergences(comparison, width, all_=all_),
        _notes(comparison, width),
    ):
        if part:
            text.append("\n" if text.plain[-2:] != "\n\n" else "").append_text(part)
    text.append("\n" if text.plain[-2:] != "\n\n" else "")
    text.append(f" {counts(comparison.counts)}\n", words.FAINT)
    for mask in comparison.masks:
        refused = f", refused {mask.refused} ×" if mask.refused else ""
        text.append(f" mask {safe(mask.mask)} hid {units.number(mask.uses)} values{refused}\n", words.FAINT)
    if opens := _opens(comparison, names, places):
        text.append(f"\n {safe(opens)}\n", words.FAINT)
    return text


def verdict(comparison: Comparison) -> str:
    """`equal`, or `3 divergences`."""
    return "equal" if comparison.equal else words.count(len(comparison.failing), "divergence")


def counts(of: FrameCounts) -> str:
    """How much was compared: always told."""
    parts = [
        f"{words.count(of.recorded, 'frame')} recorded",
        f"{units.number(of.compared)} compared",
        f"{words.count(of.masked, 'value')} masked",
        f"{units.number(of.unmatched)} unmatched",
    ]
    return " · ".join(parts)


def event(of: FrameEvent | None, value: str | None) -> str:
    """What stands in a frame, or that nothing does."""
    if of is None:
        return value or "nothing"
    more = f": {value}" if value and not of.what.endswith(value) else ""
    return f"#{of.frame} {words.ARROWS[of.sender]} {of.what}{more}"


def _traces(comparison: Comparison, names: Sequence[str], width: int) -> list[list[list[Cell]]]:
    """One row a trace. Where there is no room, a name loses its beginning: the end tells files apart."""
    lines = []
    for what, name, trace in zip(
        ("expected", "actual"), names, (comparison.expected, comparison.got), strict=True
    ):
        frames = trace.frames_client + trace.frames_agent
        agent = words.name(trace.agent_title or trace.agent_name, trace.agent_version)
        gone = [] if trace.complete else ["incomplete"]
        gone += [words.count(trace.lost_frames, "lost frame")] if trace.lost_frames else []
        lines.append((what, name, agent, words.count(frames, "frame"), ", ".join(gone)))
    others = sum(max(map(cell_len, column)) for at, column in enumerate(zip(*lines, strict=True)) if at != 1)
    room = max(width - others - 9, 16)
    return [
        [
            [Cell(what, words.FAINT)],
            [Cell(words.short_id(name, room))],
            [Cell(agent)],
            [Cell(frames)],
            [Cell(gone, words.OPEN)],
        ]
        for what, name, agent, frames, gone in lines
    ]


def _environment(comparison: Comparison, width: int) -> Text:
    """Who the two are, where that differs; nothing of a side that was silent in one of them."""
    both = comparison.expected, comparison.got
    silent = tuple(
        side
        for side, said in (
            ("agent", [one.frames_agent for one in both]),
            ("client", [one.frames_client for one in both]),
        )
        if not all(said)
    )
    rows = [
        [[Cell(one.what)], [Cell(safe(f"{one.expected or '∅'} → {one.got or '∅'}"))]]
        for one in comparison.environment
        if not one.what.startswith(silent)
    ]
    return table(_CHANGE, rows, width) if rows else Text()


def _notes(comparison: Comparison, width: int) -> Text:
    """What is no divergence; where one of the two has no frame, there is nothing to note."""
    if not all(one.frames_client + one.frames_agent for one in (comparison.expected, comparison.got)):
        return Text()
    rows = [
        [[Cell("note", words.FAINT)], [Cell(safe(note.code))], [Cell(safe(note.message))]]
        for note in comparison.notes
    ]
    return table(_NOTE, rows, width) if rows else Text()


def _divergences(comparison: Comparison, width: int, *, all_: bool) -> Text:
    if comparison.equal:
        return Text()
    first, *others = comparison.failing
    text = _first(first, width)
    shown, hidden = _shown(others, first, all_=all_)
    if shown:
        numbers = {id(one): number for number, one in enumerate(comparison.failing, 1)}
        text.append("\n").append_text(table(_ROW, [_row(numbers[id(one)], one) for one in shown], width))
    for code, more in hidden.items():
        text.append(f" … and {units.number(more)} more {safe(code)}: --all\n", words.FAINT)
    return text


def _shown(
    others: Sequence[Divergence], first: Divergence, *, all_: bool
) -> tuple[list[Divergence], Counter[str]]:
    """The first few of each code, and how many more there are."""
    seen: Counter[str] = Counter([first.code])
    shown, hidden = [], Counter[str]()
    for divergence in others:
        seen[divergence.code] += 1
        if all_ or seen[divergence.code] <= _MOST:
            shown.append(divergence)
        else:
            hidden[divergence.code] += 1
    return shown, hidden


def _first(divergence: Divergence, width: int) -> Text:
    text = Text(no_wrap=True, end="")
    text.append(" 1  ").append(safe(divergence.code), f"{words.HEADING} {words.ERROR}")
    text.append(f" × {units.number(divergence.count)}" if divergence.count > 1 else "").append("\n")
    for line in textwrap.wrap(safe(divergence.message), max(width - _INDENT, 20)):
        text.append(f"{'':{_INDENT}}{line}\n")
    for label, value in _lines(divergence):
        for at, line in enumerate(textwrap.wrap(safe(value), max(width - _INDENT - _LABEL, 20)) or [""]):
            text.append(" " * _INDENT).append(f"{'' if at else label:<{_LABEL}}", words.FAINT)
            text.append(f"{line}\n")
    return text


def _lines(divergence: Divergence) -> Iterator[tuple[str, str]]:
    if divergence.session_id is not None:
        yield "session", divergence.session_id
    if divergence.common_expected is not None and divergence.common_got is not None:
        yield "after", f"{event(divergence.common_expected, None)}, #{divergence.common_got.frame} there"
    if any(
        said is not None
        for said in (divergence.expected_event, divergence.expected, divergence.got_event, divergence.got)
    ):
        yield "expected", event(divergence.expected_event, divergence.expected)
        yield "actual", event(divergence.got_event, divergence.got)
    if divergence.refused is not None:
        yield "refused", divergence.refused
    elif divergence.mask is not None:
        yield "hide it", f"--mask '{divergence.mask}'"


def _row(number: int, divergence: Divergence) -> list[list[Cell]]:
    expected, actual = (
        f"#{of.frame}" if of else "–" for of in (divergence.expected_event, divergence.got_event)
    )
    times = f" × {units.number(divergence.count)}" if divergence.count > 1 else ""
    return [
        [Cell(str(number))],
        [Cell(safe(divergence.code) + times, words.ERROR)],
        [Cell(expected, words.FAINT)],
        [Cell(actual, words.FAINT)],
        [Cell(safe(divergence.message))],
    ]


def _opens(comparison: Comparison, names: Sequence[str], places: Sequence[Place]) -> str:
    """How to look at the first divergence: where it is got, else where it was expected."""
    for divergence in comparison.failing[:1]:
        for at, of in ((1, divergence.got_event), (0, divergence.expected_event)):
            if of is not None and (opens := places[at].opens(names[at], of.frame)):
                return opens
    return ""
