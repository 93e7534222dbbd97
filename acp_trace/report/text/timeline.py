"""The timeline section of `show`: turns, metadata, configuration and cancels of a session, woven in time.

One line an event: when, which frame, what happened and how, how long it took. Under a turn stand what it did,
and where its time went (`turns`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType

from acp_trace.analyze import facts
from acp_trace.protocol import methods
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe
from acp_trace.report.statements import phrases
from acp_trace.report.statements.cancels import outcome
from acp_trace.report.statements.config_steps import config_change, config_outcomes
from acp_trace.report.statements.status import Status
from acp_trace.report.text import styles, turns
from acp_trace.report.text.sessions import limited, titles
from acp_trace.report.text.timeline_table import TimelineEvent, event_table

#: Requests that make, bring back or end a session, and what to call them.
_LIVES = {
    methods.NEW: "new",
    methods.LOAD: "load",
    methods.RESUME: "resume",
    methods.FORK: "fork",
    methods.CLOSE: "close",
    methods.DELETE: "delete",
    methods.ARCHIVE: "archive",
}


def timeline(
    trace_facts: facts.Facts, width: int, *, all_: bool, live: bool, all_work: bool = False
) -> RenderableType:
    """Every session that has events, in the order of first mention; `all_work`: all that turns did."""
    work = _work(trace_facts, all_=all_ or all_work, live=live)
    session_events = [*events(trace_facts, width=width, all_=all_, live=live), *work]
    session_events.sort(key=lambda one: one[1].frame)
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
    made = [
        *_lives(trace_facts),
        *_turns(trace_facts, width, live=live),
        *_metadata(trace_facts, all_=all_),
        *_config(trace_facts, all_=all_),
        *(
            (cancellation.session_id or "", _cancel(cancellation, live=live))
            for cancellation in trace_facts.cancellations
        ),
    ]
    yield from sorted(made, key=lambda one: one[1].frame)


def _turns(trace_facts: facts.Facts, width: int, *, live: bool) -> Iterator[tuple[str, TimelineEvent]]:
    """Turns; those that are open as if they had ended with the trace."""
    unsettled = {(one.session_id, one.turn): one for one in trace_facts.unsettled_turns}
    for turn in trace_facts.turns:
        is_open = unsettled.get((turn.session_id, turn.turn))
        yield turn.session_id, turns.event(turn, is_open, width=width, live=live)


def _lives(trace_facts: facts.Facts) -> Iterator[tuple[str, TimelineEvent]]:
    """Requests that open or end a session, with the configuration that they brought."""
    added = [config_change for config_change in trace_facts.config_changes if config_change.change == "added"]
    brought = group(added, lambda one: one.frame)
    made_by = {session.frame: session.session_id for session in trace_facts.sessions}
    made_by |= {
        config_entry.frame: config_entry.session_id
        for config_entry in trace_facts.config_entries
        if config_entry.cause == "setup"
    }
    for exchange in trace_facts.exchanges:
        name = _LIVES.get(exchange.method)
        session_id = exchange.session_id
        if exchange.method == methods.FORK:
            session_id = made_by.get(exchange.response_frame or 0, session_id)
        if name is None or exchange.sender != "client" or session_id is None:
            continue
        options = dict.fromkeys(
            f"{safe(change.option or '')} {phrases.value(change.after)}"
            for change in brought.get(exchange.response_frame or 0, ())
        )
        how, stands = _answered(exchange, trace_facts.trace)
        yield (
            session_id,
            TimelineEvent(
                exchange.t_ns,
                exchange.frame,
                name,
                " · ".join(options),
                how,
                styles.of(stands),
                exchange.latency_ns,
            ),
        )


def _answered(exchange: facts.Exchange, trace: facts.Trace) -> tuple[str, Status | None]:
    if exchange.outcome == "result":
        return "", None
    if exchange.outcome == "open":
        return phrases.unanswered(trace)
    return f"error {exchange.error_code}", Status.FAILED


def _work(trace_facts: facts.Facts, *, all_: bool, live: bool) -> Iterator[tuple[str, TimelineEvent]]:
    """What was done in turns; what never ended took until the end of the trace."""
    end = trace_facts.trace.duration_ns
    for session_id, event in turns.rows(trace_facts, all_=all_, live=live):
        is_open = event.took_ns is None and event.is_timed and event.name
        if is_open and end is not None and event.t_ns is not None:
            yield session_id, event._replace(took_ns=max(end - event.t_ns, 0))
        else:
            yield session_id, event


def _metadata(trace_facts: facts.Facts, *, all_: bool) -> Iterator[tuple[str, TimelineEvent]]:
    changes = group(trace_facts.metadata_changes, lambda one: (one.session_id, one.frame))
    for metadata_update in trace_facts.metadata_updates:
        mine = changes.get((metadata_update.session_id, metadata_update.frame), ())
        for change in mine:
            if all_ or change.path != "/updatedAt":
                what = f"{phrases.value(change.before)} → {phrases.value(change.after)}"
                name = safe(change.path.removeprefix("/"))
                if name.startswith("_meta"):
                    name, what = "_meta", f"{name.removeprefix('_meta')} {what}"
                how = "history update" if metadata_update.replayed else ""
                yield (
                    metadata_update.session_id,
                    TimelineEvent(metadata_update.t_ns, metadata_update.frame, name, what, how),
                )
        if all_ and not mine:
            yield (
                metadata_update.session_id,
                TimelineEvent(metadata_update.t_ns, metadata_update.frame, "info", "nothing changed"),
            )


def _config(trace_facts: facts.Facts, *, all_: bool) -> Iterator[tuple[str, TimelineEvent]]:
    latency = {exchange.frame: exchange.latency_ns for exchange in trace_facts.exchanges}
    for config_entry, changes, how, stands in config_outcomes(trace_facts):
        mine = changes
        if config_entry.cause == "setup":
            mine = [change for change in mine if change.change != "added"]
        if not (mine or all_ or config_entry.cause == "set"):
            continue
        name = "mode" if config_entry.legacy else "config"
        what = " · ".join(config_change(change) for change in _asked_first(config_entry, mine))
        what = what or _requested(config_entry)
        took = latency.get(config_entry.asked_frame or 0) if config_entry.cause == "set" else None
        yield (
            config_entry.session_id,
            TimelineEvent(config_entry.t_ns, config_entry.frame, name, what, how, styles.of(stands), took),
        )


def _asked_first(
    config_entry: facts.ConfigEntry, changes: Sequence[facts.ConfigChange]
) -> list[facts.ConfigChange]:
    """The changes of a state, the option that was to be set before those that went with it."""
    return sorted(changes, key=lambda change: change.option != config_entry.requested_id)


def _requested(config_entry: facts.ConfigEntry) -> str:
    """What to say of a state in which nothing changed."""
    if config_entry.cause != "set":
        return "nothing changed"
    option = "" if config_entry.legacy else safe(config_entry.requested_id or "")
    return f"{option} {phrases.value(config_entry.requested_value)}".lstrip()


def _cancel(cancellation: facts.Cancellation, *, live: bool) -> TimelineEvent:
    style = styles.OUTCOMES.get(cancellation.outcome)
    if live and cancellation.outcome == "unanswered":
        style = styles.OPEN
    if cancellation.kind == "internal":
        return TimelineEvent(
            cancellation.t_ns, cancellation.frame, "cancel", "by the agent itself", "cancelled", styles.OPEN
        )
    after = (
        f" ─▸ {phrases.count(cancellation.updates_after_cancel, 'update')}"
        if cancellation.updates_after_cancel
        else ""
    )
    late = f", {cancellation.late_updates} late" if cancellation.late_updates else ""
    what = (
        cancellation.kind
        + ("" if cancellation.target_frame is None else f" of #{cancellation.target_frame}")
        + after
    )
    how = (
        "waiting for it to settle"
        if live and cancellation.settled_frame is None
        else outcome(cancellation.outcome)
    )
    if cancellation.outcome == "no_target":
        how = outcome(cancellation.outcome)
    return TimelineEvent(
        cancellation.t_ns, cancellation.frame, "cancel", what, how + late, style, cancellation.settle_ns
    )
