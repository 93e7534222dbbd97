"""`acp-trace show SESSION`: one session through all its traces, or a part of it. No options here."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, NamedTuple

from acp_trace.cli import common
from acp_trace.cli.errors import NOTHING, fail
from acp_trace.cli.show_output import print_sections, print_transcript

if TYPE_CHECKING:
    from rich.console import Console

    from acp_trace.analyze import merge
    from acp_trace.analyze.listing import SessionListing
    from acp_trace.analyze.session_over_traces import SessionOverTraces
    from acp_trace.store.sources import Source


class Wanted(NamedTuple):
    """What of the session is to be shown, and how."""

    sections: Sequence[str]
    turn: int | None  #: as the turns are numbered through all traces
    transcript: bool
    json: bool
    all_: bool
    pager: bool


def show_session(listing: SessionListing, rule: merge.Rule | None, wanted: Wanted) -> None:
    """Print it. Ends with exit code 4 if nothing of what is wanted exists."""
    from acp_trace.analyze.session_over_traces import SessionOverTraces, SessionPart
    from acp_trace.report.selection import select
    from acp_trace.store.catalog import named

    gc.disable()  # as for one trace
    parts: list[SessionPart] = []
    sources: list[Source] = []
    turns = 0
    with ExitStack() as stack:
        for trace_id in listing.traces:
            source = stack.enter_context(closing(named(common.home(), trace_id)))
            trace_facts = select(source.facts(rule), session=listing.session_id)
            count = len(trace_facts.turns)
            if wanted.turn is None or 0 <= wanted.turn - turns < count:
                if wanted.turn is not None:
                    trace_facts = select(trace_facts, turn=wanted.turn - turns)
                parts.append(SessionPart(trace_facts, source.live, turns))
                sources.append(source)
            turns += count
        if not parts:
            last = f"the last one is turn {turns - 1}" if turns else "this session has none"
            fail(f"there is no turn {wanted.turn}: {last}", NOTHING)
        session = SessionOverTraces(listing.session_id, tuple(parts))
        if wanted.json:
            from acp_trace.report.json.session import document

            common.print_json(document(session))
            return
        with common.paged(wanted.pager) as console:
            _print(console, session, sources, wanted)


def _print(console: Console, session: SessionOverTraces, sources: Sequence[Source], wanted: Wanted) -> None:
    from acp_trace.report.text.session_report import OWN_SECTIONS, report, trace_heading

    one_turn = wanted.turn is not None
    own = [name for name in wanted.sections if name in OWN_SECTIONS]
    if not (one_turn or wanted.transcript) and (own or not wanted.sections):
        console.print(report(session, console.width, own, all_=wanted.all_), end="")
        if len(own) == len(wanted.sections):
            return
    sections = [name for name in wanted.sections if one_turn or name not in own]
    was_printed = bool(own) and not one_turn
    for part, source in zip(session.parts, sources, strict=True):
        if was_printed:
            console.print()
        was_printed = True
        console.print(trace_heading(part), soft_wrap=True)
        if not wanted.transcript:
            print_sections(console, source, part.numbered(), sections, all_=wanted.all_, one_turn=one_turn)
        elif not print_transcript(console, source, part.numbered(), one_turn=one_turn, all_=wanted.all_):
            console.print(" nothing was said")
