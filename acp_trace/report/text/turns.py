"""Turns as lines of the timeline: how each ended, where its time went, its tool calls and permissions.

A turn can hold hundreds of tool calls. Those that never ended or failed, and then the longest, are what
somebody looks for who asks why it was slow; the others are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acp_trace.analyze import facts
from acp_trace.analyze.silence import STALL_NS
from acp_trace.analyze.tool_span import has_unknown_time, span
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.session_names import UNNAMED, SessionNames, names_of
from acp_trace.report.statements import phrases
from acp_trace.report.statements.failures import error_of
from acp_trace.report.statements.status import Status
from acp_trace.report.statements.turn_parts import PARTS
from acp_trace.report.statements.turns import ended
from acp_trace.report.text import styles, turn_bar
from acp_trace.report.text.columns import GLUE, Cell
from acp_trace.report.text.timeline_table import TimelineEvent
from acp_trace.report.work_tree import WorkTree
from acp_trace.trace.counts import counted

#: Lines under one turn, unless all are asked for; and under all turns of a session together, as long as
#: each has a few.
_MOST, _MOST_OF_SESSION, _FEW = 12, 60, 3

#: What is done in a turn.
_Work = facts.ToolCall | facts.Permission


def event(
    turn: facts.Turn,
    unsettled: facts.UnsettledTurn | None = None,
    *,
    names: SessionNames = UNNAMED,
    width: int = 0,
    live: bool = False,
) -> TimelineEvent:
    """The line of a turn, with where its time went below it; `unsettled`: of one that is open."""
    how, stands = ended(turn)
    what = f'"{phrases.prompt(turn.prompt, is_cut=turn.prompt_cut)}"' if turn.prompt else ""
    note = time_note(turn, unsettled, width=width, live=live)
    took_ns = turn.duration_ns if unsettled is None else unsettled.open_ns
    name = names.label(turn.session_id, turn.turn)
    return TimelineEvent(turn.t_ns, turn.frame, name, what, how, styles.of(stands), took_ns, note)


def time_note(
    turn: facts.Turn, unsettled: facts.UnsettledTurn | None = None, *, width: int = 0, live: bool = False
) -> list[Cell]:
    """Where a turn's time went: as a bar where the model's part is known, else in words."""
    if turn.t_ns is None:  # a trace without times
        return []
    if turn_bar.has_bar(turn):
        return turn_bar.bar(turn, width)
    return [Cell(where_time_went(turn, unsettled, live=live), styles.FAINT)]


def said(failed: facts.Exchange | None, usage: str, *, is_beside: bool) -> list[Cell]:
    """Its tokens and cost, and what the error of its prompt says; `is_beside`: behind where its time went."""
    cells = []
    if usage:
        cells.append(Cell(f"{f'{GLUE}· ' if is_beside else ''}{_glued(usage.split(' · '))}", styles.FAINT))
    if failed is not None and (error := error_of(failed)):
        cells.append(Cell(f"{'  ' if is_beside or usage else ''}{error}", styles.ERROR))
    return cells


def where_time_went(
    turn: facts.Turn, unsettled: facts.UnsettledTurn | None = None, *, live: bool = False
) -> str:
    """The parts of a turn's time that are not zero; if they are not known, the wait for output alone."""
    no_output = "no output yet" if live and turn.settled_frame is None else "no output"
    if turn.duration_ns is None and unsettled is None:
        first = turn.first_output_ns
        return no_output if first is None else f"first output {units.duration(first)}"
    parts = []
    for part in PARTS:
        if ns := part.of(unsettled or turn):
            is_silent = part.field == "before_output_ns" and turn.first_output_ns is None
            chunks = f" ({counted(turn.chunks, 'chunk')})" if part.field == "writing_ns" else ""
            parts.append(f"{no_output if is_silent else part.name} {units.duration(ns)}{chunks}")
    if (turn.silence_ns or 0) >= STALL_NS:
        parts.append(f"longest silence {units.duration(turn.silence_ns or 0)}")
    return _glued(parts)


def rows(trace_facts: facts.Facts, *, all_: bool, live: bool) -> Iterator[tuple[str, TimelineEvent]]:
    """Session and line, under all turns; and one with their number for those of a turn that are left out.

    `took_ns` is None for what never ended, for a call of which nothing says when it began, and for that
    number, which has no name.
    """
    tree = WorkTree(trace_facts)
    new = (call for call in trace_facts.tool_calls if not call.replayed)
    everything: tuple[_Work, ...] = (*new, *trace_facts.permissions)
    of_subagents = {one.session_id for one in trace_facts.sessions if one.parent_session_id is not None}
    work = [did for did in everything if did.turn is not None or did.session_id in of_subagents]
    unanswered = ("waits", Status.OPEN) if live else phrases.unanswered(trace_facts.trace)
    names = names_of(trace_facts)
    turns: dict[str, int] = {}
    by_turn = group(work, lambda did: (did.session_id, did.turn))
    for session_id, _ in by_turn:
        turns[session_id] = turns.get(session_id, 0) + 1
    for (session_id, turn), of_turn in by_turn.items():
        most = min(_MOST, max(_FEW, _MOST_OF_SESSION // turns[session_id]))
        is_whole = all_ or len(of_turn) <= most + 1
        shown = of_turn if is_whole else tree.with_above(_weightiest(of_turn, most), of_turn)
        for did in tree.ordered(shown):  # rows are made of these alone: a long trace shows few of many
            if isinstance(did, facts.ToolCall):
                event = _call(did, live=live, is_timed=not has_unknown_time(did))
            else:
                call = tree.call(did.session_id, did.tool_call_id)
                event = _permission(did, _title(call) if call else "", unanswered)
            above = tree.above(did.session_id, did.parent_id)
            yield session_id, event._replace(depth=len(above), order=tree.order(did))
        if left := len(of_turn) - len(shown):
            last = shown[-1]
            name = "" if turn is None else names.turn_name(session_id, turn)
            which = f"--turn {name if names.are_several else turn}" if name else "--all"
            what = f"… and {units.number(left)} more: show {which}"
            yield session_id, TimelineEvent(last.t_ns, last.frame, "", what, "", styles.FAINT, under=True)


def _weightiest(work: Sequence[_Work], most: int) -> list[_Work]:
    by_weight = sorted(work, key=lambda did: (not _is_urgent(did), -(_took_ns(did) or 0), did.frame))
    return sorted(by_weight[:most], key=lambda did: did.frame)


def _is_urgent(did: _Work) -> bool:
    """Whether it never ended, or failed."""
    if isinstance(did, facts.ToolCall):
        return did.ended_frame is None or did.status == "failed"
    return did.outcome == "open"


def _took_ns(did: _Work) -> int | None:
    return did.duration_ns if isinstance(did, facts.ToolCall) else did.wait_ns


def _call(call: facts.ToolCall, *, live: bool, is_timed: bool) -> TimelineEvent:
    status, style = safe(call.status or "no status"), None
    if call.ended_frame is None:
        status, style = (status if live else f"{status}, unfinished"), styles.OPEN
    elif call.status == "failed":
        style = styles.ERROR
    what = " ".join(filter(None, (safe(call.kind or ""), _title(call))))
    return TimelineEvent(
        call.t_ns,
        call.frame,
        "tool",
        what,
        status,
        style,
        span(call)[1] if is_timed else None,
        under=True,
        is_timed=is_timed,
    )


def _title(call: facts.ToolCall) -> str:
    return safe(call.title or call.id)


def _permission(permission: facts.Permission, title: str, unanswered: tuple[str, Status]) -> TimelineEvent:
    """`title`: the title of its tool call; empty if that was not announced.

    `unanswered`: the words for a missing answer, and their status.
    """
    title = title or safe(permission.title or permission.tool_call_id or "")
    how, style = safe(permission.option_kind or permission.option_id or permission.outcome), styles.of(None)
    if permission.outcome == "open":
        how, style = unanswered[0], styles.of(unanswered[1])
    elif permission.outcome != "selected" or how.startswith("reject"):
        how, style = (how if permission.outcome == "selected" else permission.outcome), styles.OPEN
    return TimelineEvent(
        permission.t_ns,
        permission.frame,
        "asked",
        f"permission: {title}" if title else "permission",
        safe(how),
        style,
        permission.wait_ns,
        under=True,
    )


def _glued(parts: Iterable[str]) -> str:
    """The parts in a row, each of which stays on one line, but for what is in brackets."""
    joined = f"{GLUE}· ".join(part.replace(" ", GLUE) for part in parts)
    return joined.replace(f"{GLUE}(", " (").replace(f"),{GLUE}", "), ")
