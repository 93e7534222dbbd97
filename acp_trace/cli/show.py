"""`acp-trace show`."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, completion, options, outputs
from acp_trace.cli.errors import NOTHING, USAGE, Misuse, fail
from acp_trace.cli.show_output import print_sections, print_transcript
from acp_trace.cli.show_session import Wanted, show_session

if TYPE_CHECKING:
    from acp_trace.analyze.facts import Facts


def show(
    trace: common.TraceOrSession = "last",
    section: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=completion.words(completion.sections),
            metavar="NAME",
            help="Only this section: overview, findings, sessions, timeline, model, config, metadata, "
            "cancellations, streams, latency, failed, or logs (what the agent wrote to stderr; not shown "
            "unless you name it). Repeatable.",
        ),
    ] = None,
    session: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this session: S2, or the beginning or the end of its id."),
    ] = None,
    turn: Annotated[
        str | None,
        typer.Option(
            metavar="TURN",
            help="Only this turn, numbered from 0 as in the timeline; with several sessions: S2.0.",
        ),
    ] = None,
    since_frame: Annotated[
        int, typer.Option(metavar="N", min=0, help="Only what happened from frame N on.")
    ] = 0,
    meta_merge: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            autocompletion=completion.words(completion.meta_merges),
            help="How updates of _meta are merged: rfd (recursively), shallow (top level) or replace (not at "
            "all). The default depends on the protocol version.",
        ),
    ] = None,
    transcript: Annotated[
        bool,
        typer.Option(
            "--transcript",
            help="The conversation as the user saw it. History that the agent sends again when it loads a "
            "session is shown only with --all.",
        ),
    ] = False,
    all_: Annotated[bool, typer.Option("--all", help="Print long tables completely.")] = False,
    pager: Annotated[bool, typer.Option(help="Use a pager for output longer than the terminal.")] = True,
    html: options.Html = None,
    json: common.Json = False,
) -> None:
    """Show what happened in a trace or in a session.

    Shows agent and client, findings, sessions, a timeline (turns, metadata, configuration, cancels), recorded
    model calls, every state of the configuration, how cancels ended, the streams of HTTP and WebSocket,
    latency, and failed requests. Also works on a live trace. In place of TRACE, you can give the id of a
    session, or the beginning or end of an id. Then `show` shows this session in all its traces, and numbers
    its turns across these traces. docs/findings.md explains each finding, docs/report.md every figure and the
    JSON.
    """
    from acp_trace.analyze import merge
    from acp_trace.store.catalog import UnknownTrace
    from acp_trace.store.session_traces import session_named

    rule = next((one for one in merge.RULES if one == meta_merge), None)
    common.one_of("--meta-merge", meta_merge, merge.RULES)
    _check(section or (), transcript=transcript, json=json)
    if html is not None and (section or transcript or json):
        option = "--section" if section else "--transcript" if transcript else "--json"
        raise Misuse(f"--html cannot be combined with {option}: the page has all of it")
    outputs.check_report("--html", html, (trace,))
    with ExitStack() as stack:
        try:
            source = stack.enter_context(common.opened(trace))
        except UnknownTrace:
            if (listing := session_named(common.home(), trace)) is None:
                raise
            if html is not None:
                fail(f"--html is for one trace: acp-trace show {listing.traces[-1]} --html …", USAGE)
            if session or since_frame:
                option = "--session" if session else "--since-frame"
                fail(f"{option} is for one trace: acp-trace show {listing.traces[-1]} {option} …", USAGE)
            number = None if turn is None else _number(turn)
            show_session(listing, rule, Wanted(section or (), number, transcript, json, all_, pager))
            return
        gc.disable()  # all that is read is kept to the end: to look for cycles in it would cost a tenth more
        part = partial(_part, session=session, turn=turn, since_frame=since_frame)
        if html is not None:
            from acp_trace.cli.page_helper import PageHelper
            from acp_trace.cli.page_output import write_trace

            with PageHelper("a") as helper:
                trace_facts = part(source.facts(rule, frames_follow=helper.follow))
                write_trace(html, source, trace_facts, helper)
            return
        trace_facts = part(source.facts(rule, without=() if json else ("tool_call_steps",)))
        if json:
            from acp_trace.report.json.report import document
            from acp_trace.report.statements import stderr

            logs = stderr.lines(trace_facts, source.logs)
            common.print_json(document(trace_facts, live=source.live, logs=logs))
            return
        one_turn = turn is not None
        with common.paged(pager) as console:
            if not transcript:
                print_sections(console, source, trace_facts, section or (), all_=all_, one_turn=one_turn)
            elif not print_transcript(
                console, source, trace_facts, first=since_frame, one_turn=one_turn, all_=all_
            ):
                fail("nothing was said", NOTHING)


def _part(facts: Facts, *, session: str | None, turn: str | None, since_frame: int) -> Facts:
    """What is wanted of the facts. Ends with exit code 4 if that does not exist."""
    from acp_trace.report.selection import NoSuchSession, NoSuchTurn, select

    try:
        return select(facts, session=session, turn=turn, since_frame=since_frame)
    except NoSuchSession as error:
        near = f"; it has {', '.join(error.named)}" if error.named else ""
        fail(f"{error}{near}", NOTHING)
    except NoSuchTurn as error:
        fail(f"--turn: {error}" if error.is_misuse else str(error), USAGE if error.is_misuse else NOTHING)


def _number(turn: str) -> int:
    """The turn of a session through all its traces. Ends with exit code 2 if that is not a number."""
    if not (turn.isascii() and turn.isdecimal()):
        fail(f"--turn: {turn} is not a turn of a session through all its traces, such as 0", USAGE)
    return int(turn)


def _check(sections: Sequence[str], *, transcript: bool, json: bool) -> None:
    """Refuses what cannot be combined, and sections that there are not."""
    if json and sections:
        fail("--json has every section; use --session, --turn and --since-frame to shorten it", USAGE)
    if transcript and (json or sections):
        fail("--transcript cannot be combined with --json or --section", USAGE)
    if sections:
        from acp_trace.report.text.show import SECTIONS

        for name in sections:
            common.one_of("--section", name, tuple(SECTIONS))
