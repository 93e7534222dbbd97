"""The tools `show_trace`, `list_findings` and `read_report`: what acp-trace says of one trace."""

from __future__ import annotations

from io import StringIO
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from rich.console import Console

from acp_trace.analyze.facts import Facts
from acp_trace.mcp_server.documents import PartOffset, Pointer, part
from acp_trace.mcp_server.limits import LONGEST_LINE, MOST_BYTES
from acp_trace.mcp_server.opening import name_of, opened
from acp_trace.mcp_server.paging import page
from acp_trace.mcp_server.tool import (
    Arguments,
    CallRefused,
    Document,
    Limit,
    Offset,
    SessionName,
    TraceName,
    TurnName,
)
from acp_trace.report.json.report import document, finding_reports
from acp_trace.report.safe import safe_lines
from acp_trace.report.selection import NoSuchSession, NoSuchTurn, select
from acp_trace.report.statements import stderr
from acp_trace.report.text.show import Page, log_lines, show
from acp_trace.store.sources import Source
from acp_trace.trace import jsontext
from acp_trace.trace.home import Home

#: As wide as a report is in a pipe.
_WIDTH = 100

_Section = Literal[
    "overview",
    "findings",
    "sessions",
    "timeline",
    "model",
    "config",
    "metadata",
    "cancellations",
    "latency",
    "failed",
    "logs",
]


class ShowTraceArguments(Arguments):
    """Show what happened in a trace, as text: the first thing to look at.

    Agent and client; findings; sessions; a timeline of turns, tool calls, permissions, config changes and
    cancels with their times and frame numbers; model calls; latency; failed requests. With `turn`, all of
    one turn: where its time went is in its line (first output, tools, permission, model, writing, rest).
    """

    trace: TraceName = "last"
    sections: Annotated[
        tuple[_Section, ...],
        Meta(description="Only these sections. `logs` (the agent's stderr) is shown only if it is named."),
    ] = ()
    session: SessionName | None = None
    turn: TurnName | None = None
    since_frame: Annotated[int, Meta(description="Only what happened from this frame on.", ge=0)] = 0
    all: Annotated[bool, Meta(description="Print long tables completely.")] = False
    limit: Annotated[int, Meta(description="The maximum number of lines to return.", ge=1, le=500)] = 150
    offset: Annotated[
        int, Meta(description="The lines to skip: the `next_offset` of the previous answer.")
    ] = 0


def show_trace(home: Home, given: ShowTraceArguments) -> Document:
    """What `show` prints, line by line."""
    with opened(home, given.trace) as source:
        trace_facts = _selected(source.facts(without=("tool_call_steps",)), given)
        lines = _report(source, trace_facts, given)
        name, is_live = name_of(home, source), source.live
    taken = page(lines, given.offset, given.limit)
    kept: list[str] = []
    size = 0
    for line in taken.items:
        size += len(line.encode()) + 1
        if kept and size > MOST_BYTES:
            break
        kept.append(line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…")
    following = taken.offset + len(kept)
    return {
        "trace": name,
        "live": is_live,
        "total": taken.total,
        "offset": taken.offset,
        "next_offset": following if kept and following < taken.total else None,
        "report": "\n".join(kept),
    }


class ListFindingsArguments(Arguments):
    """List what breaks a rule of the protocol or is unusual in a trace, with the side that is to blame.

    Each finding has a code, a severity, the first frame that shows it, and what was seen. Read the frames
    around it with list_frames (`around`).
    """

    trace: TraceName = "last"
    session: SessionName | None = None
    severity: (
        Annotated[Literal["error", "warning", "note"], Meta(description="Only findings of this severity.")]
        | None
    ) = None
    blame: Annotated[Literal["client", "agent"] | None, Meta(description="Only findings of this side.")] = (
        None
    )
    code: Annotated[str, Meta(description="Only findings with this code.")] | None = None
    limit: Limit = 50
    offset: Offset = 0


def list_findings(home: Home, given: ListFindingsArguments) -> Document:
    """The `findings` of `show --json`."""
    with opened(home, given.trace) as source:
        trace_facts = source.facts()
        name = name_of(home, source)
        logs = stderr.lines(trace_facts, source.logs)
    wanted = {"severity": given.severity, "blame": given.blame, "code": given.code}
    findings = [
        finding
        for finding in _in_session(trace_facts, given.session).findings
        if all(value in (None, getattr(finding, key)) for key, value in wanted.items())
    ]
    return {
        "trace": name,
        **page(finding_reports(trace_facts, findings, logs), given.offset, given.limit).document(
            "findings", msgspec.to_builtins
        ),
    }


class ReadReportArguments(Arguments):
    """Read the report of a trace as JSON, or a part of it: every figure that acp-trace has, in nanoseconds.

    Its keys: trace, sessions (turns, tool_calls, permissions, metadata, config, cancellations), exchanges,
    latency, findings, model_calls. Name a part, as /sessions/0/turns/1: the whole is long. For a question
    over many traces, query_traces is better.
    """

    trace: TraceName = "last"
    pointer: Pointer = ""
    session: SessionName | None = None
    turn: TurnName | None = None
    offset: PartOffset = 0


def read_report(home: Home, given: ReadReportArguments) -> Document:
    """A part of what `show --json` prints."""
    with opened(home, given.trace) as source:
        trace_facts = _selected(source.facts(), given)
        logs = stderr.lines(trace_facts, source.logs)
        report = document(trace_facts, live=source.live, logs=logs)
        name = name_of(home, source)
    return {"trace": name, **part(jsontext.value(msgspec.json.encode(report)), given.pointer, given.offset)}


def _selected(trace_facts: Facts, given: ShowTraceArguments | ReadReportArguments) -> Facts:
    since = given.since_frame if isinstance(given, ShowTraceArguments) else 0
    try:
        return select(trace_facts, session=given.session, turn=given.turn, since_frame=since)
    except NoSuchSession as error:
        raise CallRefused(_near(error)) from None
    except NoSuchTurn as error:
        raise CallRefused(str(error)) from None


def _in_session(trace_facts: Facts, session: str | None) -> Facts:
    try:
        return select(trace_facts, session=session)
    except NoSuchSession as error:
        raise CallRefused(_near(error)) from None


def _near(error: NoSuchSession) -> str:
    return f"{error}; it has {', '.join(error.candidates)}" if error.candidates else str(error)


def _report(source: Source, trace_facts: Facts, given: ShowTraceArguments) -> list[str]:
    out = StringIO()
    console: Any = Console(
        file=out, width=_WIDTH, markup=False, highlight=False, emoji=False, color_system=None, soft_wrap=True
    )
    lines = log_lines(trace_facts, source.logs, given.sections)
    one_turn = given.turn is not None
    shown = Page(trace_facts, source.damage(), source.live, _WIDTH, given.all or one_turn, lines, one_turn)
    show(console, shown, given.sections)
    return [line.rstrip() for line in safe_lines(out.getvalue()).rstrip("\n").split("\n")]
