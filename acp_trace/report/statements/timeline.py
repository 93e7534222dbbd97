"""The events of the sessions of a trace outside the work of turns, as one list of items in time.

The events are openings, metadata, configuration, cancels, notices, compactions, questions to the user, plans,
messages between turns, tokens and cost, and silence. The terminal and the page render the same items. Turns
and their work are separate facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.protocol import methods
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import phrases, subagent, tokens
from acp_trace.report.statements.cancels import OUTCOMES, outcome
from acp_trace.report.statements.config_steps import config_change, config_outcomes
from acp_trace.report.statements.failures import error_of
from acp_trace.report.statements.status import FAILED, OPEN, SEVERITIES, Status
from acp_trace.report.statements.tokens import TokenSum
from acp_trace.trace.counts import counted
from acp_trace.trace.entries import AFTER_ALL

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
UNCHANGED = "nothing changed"
_BESIDE = " · "  #: between the parts of usage
_LONGEST = 120  #: characters of an error beside what was asked for
#: Kinds that a turn has many of: only the last one of each turn is an item.
_LAST_COUNTS = ("plan", "usage")


class TimelineItem(NamedTuple):
    """One event. `name` is a word for its column, `what` a sentence, `how` the outcome; all are safe."""

    session_id: str
    kind: str  #: opening, metadata, config, cancel, or the kind of a session's event
    frame: int
    t_ns: int | None
    name: str
    what: str
    how: str = ""
    status: Status | None = None
    took_ns: int | None = None
    turn: int | None = None
    is_part: bool = False  #: of its turn


def timeline_items(trace_facts: facts.Facts, *, all_: bool = False, live: bool = False) -> list[TimelineItem]:
    """Return the items in the order of the frames.

    `all_`: also those that changed nothing, and all plans of a turn, not the last one alone.
    """
    made = [
        *_lives(trace_facts),
        *_metadata(trace_facts, all_=all_),
        *_config(trace_facts, all_=all_),
        *(_cancel(cancellation, live=live) for cancellation in trace_facts.cancellations),
        *_events(trace_facts, all_=all_, live=live),
        *_subagents(trace_facts, live=live),
    ]
    return sorted(made, key=lambda item: item.frame)


def _lives(trace_facts: facts.Facts) -> Iterator[TimelineItem]:
    """Requests that open or end a session, with the configuration that they brought."""
    added = [config_change for config_change in trace_facts.config_changes if config_change.change == "added"]
    brought = group(added, lambda one: one.frame)
    copies = {one.opened_frame: one.session_id for one in trace_facts.sessions if one.forked_from is not None}
    for exchange in trace_facts.exchanges:
        name = _LIVES.get(exchange.method)
        session_id = exchange.session_id
        if exchange.method == methods.FORK:
            session_id = copies.get(exchange.frame, session_id)
        if name is None or exchange.sender != "client" or session_id is None:
            continue
        options = dict.fromkeys(
            f"{safe(change.option or '')} {phrases.value(change.after)}"
            for change in brought.get(exchange.response_frame or 0, ())
        )
        how, status = _answered(exchange, trace_facts.trace)
        what = " · ".join(filter(None, (*options, _error(exchange))))
        yield TimelineItem(
            session_id, "opening", exchange.frame, exchange.t_ns, name, what, how, status, exchange.latency_ns
        )


def _answered(exchange: facts.Exchange, trace: facts.Trace) -> tuple[str, Status | None]:
    if exchange.outcome == "result":
        return "", None
    if exchange.outcome == "open":
        return phrases.unanswered(trace)
    return f"error {exchange.error_code}", FAILED


def _error(exchange: facts.Exchange | None) -> str:
    """An error's words, shortened; empty without an error."""
    return "" if exchange is None else shorten(error_of(exchange), _LONGEST)


def _metadata(trace_facts: facts.Facts, *, all_: bool) -> Iterator[TimelineItem]:
    changes = group(trace_facts.metadata_changes, lambda one: (one.session_id, one.frame))
    for update in trace_facts.metadata_updates:
        mine = changes.get((update.session_id, update.frame), ())
        at = update.session_id, "metadata", update.frame, update.t_ns
        for change in mine:
            if all_ or change.path != "/updatedAt":
                what = f"{phrases.value(change.before)} → {phrases.value(change.after)}"
                name = safe(change.path.removeprefix("/"))
                if name.startswith("_meta"):
                    name, what = "_meta", f"{name.removeprefix('_meta')} {what}"
                yield TimelineItem(*at, name, what, "history update" if update.replayed else "")
        if all_ and not mine:
            yield TimelineItem(*at, "info", UNCHANGED)


def _config(trace_facts: facts.Facts, *, all_: bool) -> Iterator[TimelineItem]:
    asked = {exchange.frame: exchange for exchange in trace_facts.exchanges}
    for entry, changes, how, status in config_outcomes(trace_facts):
        mine = changes
        if entry.cause == "setup":
            mine = [change for change in mine if change.change != "added"]
        if not (mine or all_ or entry.cause == "set"):
            continue
        exchange = asked.get(entry.asked_frame or 0) if entry.cause == "set" else None
        what = " · ".join(config_change(change) for change in _asked_first(entry, mine))
        what = " · ".join(filter(None, (what or _requested(entry), _error(exchange))))
        yield TimelineItem(
            entry.session_id,
            "config",
            entry.frame,
            entry.t_ns,
            "mode" if entry.legacy else "config",
            what,
            how,
            status,
            None if exchange is None else exchange.latency_ns,
        )


def _asked_first(
    config_entry: facts.ConfigEntry, changes: Sequence[facts.ConfigChange]
) -> list[facts.ConfigChange]:
    """The changes of a state, the option that was to be set before those that went with it."""
    return sorted(changes, key=lambda change: change.option != config_entry.requested_id)


def _requested(config_entry: facts.ConfigEntry) -> str:
    """The words for a state in which nothing changed."""
    if config_entry.cause != "set":
        return UNCHANGED
    option = "" if config_entry.legacy else safe(config_entry.requested_id or "")
    return f"{option} {phrases.value(config_entry.requested_value)}".lstrip()


def _cancel(cancellation: facts.Cancellation, *, live: bool) -> TimelineItem:
    at = cancellation.session_id or "", "cancel", cancellation.frame, cancellation.t_ns
    if cancellation.kind == "internal":
        return TimelineItem(*at, "cancel", "by the agent itself", "cancelled", OPEN)
    status = OUTCOMES.get(cancellation.outcome)
    if live and cancellation.outcome == "unanswered":
        status = OPEN
    count = cancellation.updates_after_cancel
    what = cancellation.kind
    what += "" if cancellation.target_frame is None else f" of #{cancellation.target_frame}"
    what += f" ─▸ {counted(count, 'update')}" if count else ""
    how = outcome(cancellation.outcome)
    if live and cancellation.settled_frame is None and cancellation.outcome != "no_target":
        how = "waiting for it to settle"
    how += f", {cancellation.late_updates} late" if cancellation.late_updates else ""
    return TimelineItem(*at, "cancel", what, how, status, cancellation.settle_ns)


def _subagents(trace_facts: facts.Facts, *, live: bool) -> Iterator[TimelineItem]:
    """Sessions of subagents, among the events of those that announced them."""
    names, turns = names_of(trace_facts), group(trace_facts.turns, lambda turn: turn.session_id)
    for session in trace_facts.sessions:
        if session.parent_session_id is None:
            continue
        how, status = "", None
        if session.subagent_ns is None:
            how, status = ("works" if live else "never idle"), OPEN
        turn = next(
            (
                each.turn
                for each in turns.get(session.parent_session_id, ())
                if each.frame <= session.frame <= (each.settled_frame or AFTER_ALL)
            ),
            None,
        )
        yield TimelineItem(
            session.parent_session_id,
            "subagent",
            session.frame,
            session.t_ns,
            "agent",
            subagent.what(session, names),
            how,
            status,
            session.subagent_ns,
            turn,
            turn is not None,
        )


def _events(trace_facts: facts.Facts, *, all_: bool, live: bool) -> Iterator[TimelineItem]:
    of_subagents = {one.session_id for one in trace_facts.sessions if one.parent_session_id is not None}
    last = {(one.session_id, one.turn, one.kind): one.frame for one in trace_facts.session_events}
    calls = group(trace_facts.model_calls, lambda call: (call.session_id, call.turn))
    for event in trace_facts.session_events:
        if (
            event.kind in _LAST_COUNTS
            and not all_
            and event.frame != last[event.session_id, event.turn, event.kind]
        ):
            continue
        item = _event(event, trace_facts.trace, live=live)
        if event.kind == "usage" and (mine := calls.get((event.session_id, event.turn))):
            item = item._replace(what=with_tokens(item.what, tokens.of_calls(mine)))
        yield item._replace(how="") if event.kind == "message" and event.session_id in of_subagents else item


def with_tokens(usage: str, took: TokenSum) -> str:
    """The usage that an agent reports, with these tokens in place of its own, if there are any."""
    if not any(took):
        return usage
    others = [part for part in usage.split(_BESIDE) if " tokens in" not in part]
    return _BESIDE.join(filter(None, (took.said(), *others)))


def _event(event: facts.SessionEvent, trace: facts.Trace, *, live: bool) -> TimelineItem:
    name, what, how, status = event.kind, safe(event.text), safe(event.status or ""), None
    if event.kind == "notice":
        status = SEVERITIES.get(event.status or "")
    elif event.kind == "compaction":
        status = FAILED if event.status == "failed" else None
        if event.took_ns is None and not live:
            how, status = f"{how}, unfinished", OPEN
    elif event.kind == "elicitation":
        name, what = "asked", f"question: {what}"
        status = None if event.status == "accept" else OPEN
        if event.status == "open":
            how, status = ("waits", OPEN) if live else phrases.unanswered(trace)
    elif event.kind == "message":
        what, how = f'"{what}"', "between turns"
    elif event.kind == "silence":
        name, what, how, status = "silent", f"nothing came after #{event.frame}, in a message", "", OPEN
    is_part = event.turn is not None and event.kind != "notice"
    return TimelineItem(
        event.session_id,
        event.kind,
        event.frame,
        event.t_ns,
        name,
        what,
        how,
        status,
        event.took_ns,
        event.turn,
        is_part,
    )
