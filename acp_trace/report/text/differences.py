"""A comparison for people: the verdict first, then who differs, then every divergence, then the notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.text import Text

from acp_trace.compare.causes import causes, repeats
from acp_trace.compare.result import Comparison, FrameCounts
from acp_trace.report import notes, units
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.statements.comparisons import counts, verdict
from acp_trace.report.text import divergences, model_outcome, styles
from acp_trace.report.text.columns import GLUE, Cell, Column, paragraph, table
from acp_trace.trace.counts import counted

_ENDLESS = 10_000  #: columns of a line that need not be visible at once
_TRACE = (Column(), Column(flexible=True), Column(), Column(right=True), Column())
_CHANGE = (Column(), Column(flexible=True, wraps=True))
_NOTE = (Column(), Column(), Column(flexible=True, wraps=True))


def report(
    comparison: Comparison,
    names: Sequence[str],
    places: Sequence[Place],
    width: int,
    *,
    all_: bool,
    cut: bool = True,
) -> Text:
    """The whole of it; `all_` lists every divergence, without `cut` a long name goes over the line's end."""
    text = Text(no_wrap=True, end="")
    style = styles.HEADING if comparison.equal else f"{styles.HEADING} {styles.ERROR}"
    text.append(verdict(comparison), style).append("\n\n")
    if not comparison.equal:
        text.append_text(
            table(_TRACE, _traces(comparison, names, width if cut else _ENDLESS), width if cut else _ENDLESS)
        )
    for part in (
        _environment(comparison, width),
        Text() if comparison.equal else divergences.listed(comparison, width, all_=all_),
        _notes(comparison, width, all_=all_),
        _shared(comparison, width),
    ):
        if part:
            text.append("\n" if text.plain[-2:] != "\n\n" else "").append_text(part)
    text.append("\n" if text.plain[-2:] != "\n\n" else "")
    text.append_text(matched(comparison.counts, width))
    text.append_text(model_outcome.section(comparison, width, all_=all_))
    for mask in comparison.masks:
        refused = f", refused {mask.refused} ×" if mask.refused else ""
        text.append(f" mask {safe(mask.mask)} hid {units.number(mask.uses)} values{refused}\n", styles.FAINT)
    for line in unused(comparison):
        text.append(f" {safe(line)}\n", styles.FAINT)
    if opens := _opens(comparison, names, places):
        text.append(f"\n {safe(opens)}\n", styles.FAINT)
    return text


def matched(of: FrameCounts, width: int) -> Text:
    """The same as a part of a report; what does not fit into a line goes on below, after a whole count."""
    text = counts(of).replace(" ", GLUE).replace(f"{GLUE}·{GLUE}", " · ")
    return Text(" ").append(paragraph(Text(text, styles.FAINT), width - 1)).append("\n")


def unused(comparison: Comparison) -> list[str]:
    """The allowances that had nothing to allow, which is not a mistake if the agent is flaky."""
    return [f"allow {one.allowance}: nothing to allow here" for one in comparison.allowances if not one.uses]


def _traces(comparison: Comparison, names: Sequence[str], width: int) -> list[list[list[Cell]]]:
    """One row a trace. If there is no room, a name loses its beginning: the ends of file names differ."""
    lines = []
    for what, name, trace in zip(
        ("expected", "actual"), names, (comparison.expected, comparison.got), strict=True
    ):
        frames = trace.frames_client + trace.frames_agent
        agent = phrases.agent(trace)
        gone = ["incomplete"] if phrases.is_cut_off(trace) else []
        gone += [counted(trace.lost_frames, "lost frame")] if trace.lost_frames else []
        lines.append((what, name, agent, counted(frames, "frame"), ", ".join(gone)))
    others = sum(max(map(cell_len, column)) for at, column in enumerate(zip(*lines, strict=True)) if at != 1)
    room = max(width - others - 9, 16)
    return [
        [
            [Cell(what, styles.FAINT)],
            [Cell(phrases.short_id(name, room))],
            [Cell(agent)],
            [Cell(frames)],
            [Cell(gone, styles.OPEN)],
        ]
        for what, name, agent, frames, gone in lines
    ]


def _environment(comparison: Comparison, width: int) -> Text:
    """Who the two are, if that differs; nothing about a side that was silent in one of them."""
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
        [[Cell(one.what)], [Cell(safe(f"{one.expected or 'nothing'} → {one.got or 'nothing'}"))]]
        for one in comparison.environment
        if not one.what.startswith(silent)
    ]
    return table(_CHANGE, rows, width) if rows else Text()


def _notes(comparison: Comparison, width: int, *, all_: bool) -> Text:
    """Notes, which are not divergences; there are none if one of the two traces has no frame."""
    if not all(one.frames_client + one.frames_agent for one in (comparison.expected, comparison.got)):
        return Text()
    rows = [
        [[Cell(label, styles.FAINT)], [Cell(safe(code))], [Cell(safe(message))]]
        for label, code, message in note_lines(comparison, all_=all_)
    ]
    return table(_NOTE, rows, width) if rows else Text()


def _shared(comparison: Comparison, width: int) -> Text:
    """Errors that both traces have. Without this line, one of the traces would seem to be right."""
    numbers = Counter(f"{one.code} ({one.blame})" for one in comparison.shared)
    if not numbers:
        return Text()
    codes = ", ".join(f"{code} × {count}" if count > 1 else code for code, count in numbers.items())
    text = f"Both traces have these errors: {codes}. `acp-trace check TRACE` shows them."
    return Text(" ").append(paragraph(Text(text, styles.FAINT), width - 1)).append("\n")


def note_lines(comparison: Comparison, *, all_: bool) -> Iterator[tuple[str, str, str]]:
    """Label, code and message of each; of each kind only the first, with their number, unless all are wanted.

    `model_outcome` shows what an agent sends to its model; `notes` leaves out what does not matter.
    """
    for cause in repeats(notes.shown(comparison)):
        label = "allowed" if cause.first.allowed else "note"
        times = f" × {units.number(cause.count)}" if cause.count > 1 else ""
        yield label, f"{cause.first.code}{times}", cause.first.message
        if all_:
            yield from (("", "", note.message) for note in cause.repeats)


def _opens(comparison: Comparison, names: Sequence[str], places: Sequence[Place]) -> str:
    """How to look at the heaviest divergence: where it is got, else where it was expected."""
    for cause in causes(comparison.failing)[:1]:
        for at, of in ((1, cause.first.got_event), (0, cause.first.expected_event)):
            if of is not None and (opens := places[at].opens(names[at], of.frame)):
                return opens
    return ""
