"""The timeline section of `show`: turns and the items of `statements.timeline`, woven in time.

One line an event: when, which frame, what happened and how, how long it took. Below a turn are its work
and where its time went (`turns`).
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import spent
from acp_trace.report.statements.timeline import TimelineItem, timeline_items, with_tokens
from acp_trace.report.text import styles, turns
from acp_trace.report.text.sessions import limited, titles
from acp_trace.report.text.timeline_table import TimelineEvent, event_table


def timeline(
    trace_facts: facts.Facts, width: int, *, all_: bool, live: bool, all_work: bool = False
) -> RenderableType:
    """Every session that has events, in the order of first mention; `all_work`: all that turns did."""
    work = _work(trace_facts, all_=all_ or all_work, live=live)
    session_events = [*events(trace_facts, width=width, all_=all_, live=live), *work]
    session_events.sort(key=lambda one: one[1].order or one[1].frame)
    by_session = group(session_events, lambda one: one[0])
    parts: list[RenderableType] = []
    shown, rest = limited([one for one in trace_facts.sessions if one.session_id in by_session], all_)
    for session in shown:
        mine = [event for _, event in by_session[session.session_id]]
        parts += [*titles(session, trace_facts, width), event_table(mine, width, all_=all_)]
    return Group(*parts, *rest)


def events(
    trace_facts: facts.Facts, *, width: int = 0, all_: bool = False, live: bool = False
) -> Iterator[tuple[str, TimelineEvent]]:
    """Session and event, in the order of the frames; `all_`: also states and times that changed nothing."""
    usages: dict[tuple[str, int | None], str] = {}
    made: list[tuple[str, TimelineEvent]] = []
    for item in timeline_items(trace_facts, all_=all_, live=live):
        if item.kind == "usage":  # where a turn's time and tokens went is one line below it
            usages[item.session_id, item.turn] = item.what
        else:
            made.append((item.session_id, _event(item)))
    unsettled = {(one.session_id, one.turn): one for one in trace_facts.unsettled_turns}
    names = names_of(trace_facts)
    used = spent.spent(trace_facts)
    errors = {one.frame: one for one in trace_facts.exchanges if one.outcome == "error"}
    for turn in trace_facts.turns:
        key = turn.session_id, turn.turn
        event = turns.event(turn, unsettled.get(key), names=names, width=width, live=live)
        usage = with_tokens(usages.get(key, ""), used.turns[turn.frame])
        said = turns.said(errors.get(turn.frame), usage, is_beside=bool(event.note))
        made.append((turn.session_id, event._replace(note=[*event.note, *said])))
    yield from sorted(made, key=lambda one: one[1].frame)


def _event(item: TimelineItem) -> TimelineEvent:
    return TimelineEvent(
        item.t_ns,
        item.frame,
        item.name,
        item.what,
        item.how,
        styles.of(item.status),
        item.took_ns,
        under=item.is_part,
    )


def _work(trace_facts: facts.Facts, *, all_: bool, live: bool) -> Iterator[tuple[str, TimelineEvent]]:
    """What was done in turns; what never ended took until the end of the trace."""
    end = trace_facts.trace.duration_ns
    for session_id, event in turns.rows(trace_facts, all_=all_, live=live):
        is_open = event.took_ns is None and event.is_timed and event.name
        if is_open and end is not None and event.t_ns is not None:
            yield session_id, event._replace(took_ns=max(end - event.t_ns, 0))
        else:
            yield session_id, event
