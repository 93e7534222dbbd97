"""What `acp-trace show` prints of one trace: sections of its report, or its conversation. No options here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from acp_trace.analyze.facts import Facts
    from acp_trace.store.sources import Source


def print_sections(
    console: Console,
    source: Source,
    trace_facts: Facts,
    sections: Sequence[str],
    *,
    all_: bool,
    one_turn: bool = False,
) -> None:
    """The report of one trace, or these sections of it; `one_turn`: the facts are those of one turn."""
    from acp_trace.report.text.show import Page, log_lines, show

    lines = log_lines(trace_facts, source.logs, sections)
    show(
        console,
        Page(trace_facts, source.damage(), source.live, console.width, all_, lines, one_turn),
        sections,
    )


def print_transcript(
    console: Console,
    source: Source,
    trace_facts: Facts,
    *,
    first: int = 0,
    one_turn: bool = False,
    all_: bool,
) -> bool:
    """The conversation from frame `first` on, or of one turn; false if nothing was said."""
    from acp_trace.report.text.transcript import transcript
    from acp_trace.story.transcript import transcripts

    last = None
    if one_turn:
        first, last = max(first, trace_facts.turns[0].frame), trace_facts.turns[0].settled_frame
    items = transcripts(trace_facts, source.frames(), first=first, last=last, history=all_)
    for text in transcript(trace_facts, items, live=source.live):
        console.print(text, soft_wrap=True)
    return bool(items)
