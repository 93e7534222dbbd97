"""`acp-trace show`."""

from __future__ import annotations

import gc
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion
from acp_trace.cli.errors import NOTHING, USAGE, fail

if TYPE_CHECKING:
    from rich.console import Console

    from acp_trace.analyze import merge
    from acp_trace.analyze.facts import Facts
    from acp_trace.analyze.listing import SessionListing
    from acp_trace.report.text.logs import LogLine
    from acp_trace.store.sources import Source


def show(
    trace: common.TraceOrSession = "last",
    section: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=completion.words(completion.sections),
            metavar="NAME",
            help="Only this section. Repeatable: overview, findings, sessions, timeline, config, "
            "metadata, cancellations, latency, failed, logs (stderr; only if named).",
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this session; the beginning or the end of its id.")
    ] = None,
    turn: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Only this turn, as the timeline numbers them from 0."),
    ] = None,
    since_frame: Annotated[
        int, typer.Option(metavar="N", min=0, help="Only what happened from frame N on.")
    ] = 0,
    meta_merge: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            autocompletion=completion.words(completion.meta_merges),
            help="How _meta is merged: rfd, shallow or replace. Default: by protocol version.",
        ),
    ] = None,
    transcript: Annotated[
        bool,
        typer.Option(
            "--transcript", help="The conversation as the user saw it. History updates only with --all."
        ),
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Print long tables completely.")] = False,
    pager: Annotated[bool, typer.Option(help="Use a pager for output longer than the terminal.")] = True,
    json: common.Json = False,
) -> None:
    """Show what happened in a trace or in a session.

    Agent and client; what breaks the protocol; sessions; a timeline of turns, metadata, configuration and
    cancels; every state of the configuration; how cancels ended; latency; failed requests. Works on a live
    trace, too. In place of TRACE, the id of a session, or its beginning or end, shows that session in all
    traces that name it. The JSON is documented in docs/report.md.
    """
    from acp_trace.analyze import merge
    from acp_trace.report.selection import NoSuchSession, NoSuchTurn, select
    from acp_trace.store.catalog import UnknownTrace
    from acp_trace.store.session_traces import session_named

    rule = next((one for one in merge.RULES if one == meta_merge), None)
    common.one_of("--meta-merge", meta_merge, merge.RULES)
    if json and section:
        fail("--json has every section; use --session, --turn and --since-frame to shorten it", USAGE)
    if transcript and (json or section):
        fail("--transcript cannot be combined with --json or --section", USAGE)
    if not json:
        from acp_trace.report.text.show import SECTIONS

        for name in section or ():
            common.one_of("--section", name, tuple(SECTIONS))
    with ExitStack() as stack:
        try:
            source = stack.enter_context(common.opened(trace))
        except UnknownTrace:
            if (listing := session_named(common.home(), trace)) is None:
                raise
            if section or session or turn is not None or since_frame or transcript:
                fail(f"{trace} is a session: it is shown whole", USAGE)
            _show_session(listing, rule, all_=all_, pager=pager, json=json)
            return
        gc.disable()  # all that is read is kept to the end: to look for cycles in it would cost a tenth more
        trace_facts = source.facts(rule, without=() if json else ("tool_call_steps",))
        try:
            trace_facts = select(trace_facts, session=session, turn=turn, since_frame=since_frame)
        except NoSuchSession as error:
            near = f"; it has {', '.join(error.candidates)}" if error.candidates else ""
            fail(f"{error}{near}", NOTHING)
        except NoSuchTurn as error:
            fail(str(error), NOTHING)
        if json:
            from acp_trace.report.json.report import document

            common.print_json(document(trace_facts, live=source.live))
            return
        if transcript:
            with common.paged(pager) as console:
                _transcript(console, source, trace_facts, turn, since_frame, all_=all_)
            return
        from acp_trace.report.text.show import Page
        from acp_trace.report.text.show import show as print_report

        with common.paged(pager) as console:
            lines = _stderr(source, trace_facts, section or ())
            page = Page(
                trace_facts, source.damage(), source.live, console.width, all_, lines, turn is not None
            )
            print_report(console, page, section or ())


def _transcript(
    console: Console, source: Source, trace_facts: Facts, turn: int | None, first: int, *, all_: bool
) -> None:
    from acp_trace.report.text.transcript import transcript
    from acp_trace.report.transcript import transcripts

    last = None
    if turn is not None:  # the one that was selected
        first, last = max(first, trace_facts.turns[0].frame), trace_facts.turns[0].settled_frame
    items = transcripts(trace_facts, source.frames(), first=first, last=last, history=all_)
    if not items:
        fail("nothing was said", NOTHING)
    for text in transcript(trace_facts, items, live=source.live):
        console.print(text, soft_wrap=True)


def _stderr(source: Source, trace_facts: Facts, sections: list[str] | tuple[()]) -> list[LogLine]:
    """What of stderr is to be shown: all, the last lines of an agent that crashed, or nothing."""
    from collections import deque

    from acp_trace.report.text.findings import CRASH
    from acp_trace.report.text.logs import LAST
    from acp_trace.report.text.show import LOGS

    if LOGS in sections:
        return list(source.logs())
    if any(finding.code == CRASH for finding in trace_facts.findings):
        return list(deque(source.logs(), maxlen=LAST))
    return []


def _show_session(
    listing: SessionListing, rule: merge.Rule | None, *, all_: bool, pager: bool, json: bool
) -> None:
    """Prints a session through all its traces."""
    from acp_trace.analyze.session_over_traces import SessionOverTraces, SessionPart
    from acp_trace.report.selection import select
    from acp_trace.store.catalog import named

    home, parts = common.home(), []
    for trace_id in listing.traces:
        with closing(named(home, trace_id)) as source:
            trace_facts = select(source.facts(rule), session=listing.session_id)
            parts.append(SessionPart(trace_facts, source.live))
    session = SessionOverTraces(listing.session_id, tuple(parts))
    if json:
        from acp_trace.report.json.session import document

        common.print_json(document(session))
        return
    from acp_trace.report.text.session_report import report

    with common.paged(pager) as console:
        console.print(report(session, console.width, all_=all_), end="")
