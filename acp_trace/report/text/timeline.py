"""The timeline section of `show`: turns, metadata, configuration and cancels of a session, woven in time.

One line an event: when, which frame, what happened and how, how long it took. Under a turn stand what it did,
and where its time went (`turn_work`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.json.report import group
from acp_trace.report.safe import safe
from acp_trace.report.text import turn_work, words
from acp_trace.report.text.columns import GLUE, Cell, Column, table
from acp_trace.report.text.sessions import limited, titles

#: Where the terminal is narrower, `how` has no column of its own.
_NARROW = 80
#: Events shown at the beginning and at the end of a session that has more of them than fit a screen.
_EITHER_END = 20

#: Requests that make, bring back or end a session, and what to call them.
_LIVES = {
    "session/new": "new",
    "session/load": "load",
    "session/resume": "resume",
    "session/fork": "fork",
    "session/close": "close",
    "session/delete": "delete",
    "session/archive": "archive",
}


class TimelineEvent(NamedTuple):
    """One line. `note` stands below it; what is `under` a turn is part of it."""

    t_ns: int
    frame: int
    name: str
    what: str
    how: str = ""
    style: str | None = None
    took_ns: int | None = None
    note: str = ""
    under: bool = False


def timeline(found: facts.Facts, width: int, *, all_: bool, live: bool) -> RenderableType:
    """Every session that has events, in the order of first mention."""
    told_now = [*events(found, all_=all_, live=live), *_work(found, all_=all_, live=live)]
    told_now.sort(key=lambda one: one[1].frame)
    by_session = group(told_now, lambda one: one[0])
    parts: list[RenderableType] = []
    shown, rest = limited([one for one in found.sessions if one.session_id in by_session], all_)
    for session in shown:
        mine = [event for _, event in by_session[session.session_id]]
        parts += [*titles(session, found, width), _table(mine, width, all_=all_)]
    return Group(*parts, *rest)


def events(
    found: facts.Facts, *, all_: bool = False, live: bool = False
) -> Iterator[tuple[str, TimelineEvent]]:
    """Session and event, in the order of the frames; `all_`: also states and times that changed nothing."""
    made = [
        *_lives(found),
        *((turn.session_id, _turn(turn)) for turn in found.turns),
        *_metadata(found, all_=all_),
        *_config(found, all_=all_),
        *((one.session_id or "", _cancel(one, live=live)) for one in found.cancellations),
    ]
    yield from sorted(made, key=lambda one: one[1].frame)


def _lives(found: facts.Facts) -> Iterator[tuple[str, TimelineEvent]]:
    """Requests that open or end a session, with the configuration that they brought."""
    added = [one for one in found.config_changes if one.change == "added"]
    brought = group(added, lambda one: one.frame)
    made_by = {session.frame: session.session_id for session in found.sessions}
    made_by |= {one.frame: one.session_id for one in found.config_entries if one.cause == "setup"}
    for one in found.exchanges:
        name = _LIVES.get(one.method)
        session_id = one.session_id
        if one.method == "session/fork":
            session_id = made_by.get(one.response_frame or 0, session_id)
        if name is None or one.sender != "client" or session_id is None:
            continue
        options = dict.fromkeys(
            f"{safe(change.option or '')} {words.value(change.after)}"
            for change in brought.get(one.response_frame or 0, ())
        )
        how, style = _answered(one)
        yield (
            session_id,
            TimelineEvent(one.t_ns, one.frame, name, " · ".join(options), how, style, one.latency_ns),
        )


def _answered(one: facts.Exchange) -> tuple[str, str | None]:
    if one.outcome == "result":
        return "", None
    if one.outcome == "open":
        return "never answered", words.ERROR
    return f"error {one.error_code}", words.ERROR


def _turn(turn: facts.Turn) -> TimelineEvent:
    how, style = ended(turn)
    what = f'"{safe(turn.prompt)}"' if turn.prompt else ""
    note = turn_work.where_time_went(turn)
    return TimelineEvent(turn.t_ns, turn.frame, f"turn {turn.turn}", what, how, style, turn.duration_ns, note)


def _work(found: facts.Facts, *, all_: bool, live: bool) -> Iterator[tuple[str, TimelineEvent]]:
    """What was done in turns."""
    for row in turn_work.rows(found, all_=all_, live=live):
        yield (
            row.session_id,
            TimelineEvent(
                row.t_ns, row.frame, row.name, row.what, row.how, row.style, row.took_ns, under=True
            ),
        )


def ended(turn: facts.Turn) -> tuple[str, str | None]:
    """How a turn ended, and in what colour."""
    if turn.settled_frame is None:
        return "open", words.OPEN
    if turn.error_code is not None:
        return f"error {turn.error_code}", words.ERROR
    if turn.stop_reason is None:
        return "no stop reason", words.OPEN
    return safe(turn.stop_reason), None if turn.stop_reason == "end_turn" else words.OPEN


def _metadata(found: facts.Facts, *, all_: bool) -> Iterator[tuple[str, TimelineEvent]]:
    changes = group(found.metadata_changes, lambda one: (one.session_id, one.frame))
    for one in found.metadata_updates:
        mine = changes.get((one.session_id, one.frame), ())
        for change in mine:
            if all_ or change.path != "/updatedAt":
                what = f"{words.value(change.before)} → {words.value(change.after)}"
                name = safe(change.path.removeprefix("/"))
                if name.startswith("_meta"):
                    name, what = "_meta", f"{name.removeprefix('_meta')} {what}"
                how = "history update" if one.replayed else ""
                yield one.session_id, TimelineEvent(one.t_ns, one.frame, name, what, how)
        if all_ and not mine:
            yield one.session_id, TimelineEvent(one.t_ns, one.frame, "info", "nothing changed")


def _config(found: facts.Facts, *, all_: bool) -> Iterator[tuple[str, TimelineEvent]]:
    changes = group(found.config_changes, lambda one: (one.session_id, one.frame, one.legacy))
    latency = {one.frame: one.latency_ns for one in found.exchanges}
    early = {
        one.asked_frame: one.frame
        for one in found.config_entries
        if one.cause == "agent" and (one.session_id, one.frame, one.legacy) in changes
    }
    for one in found.config_entries:
        mine = changes.get((one.session_id, one.frame, one.legacy), ())
        if one.cause == "setup":
            mine = [change for change in mine if change.change != "added"]
        if not (mine or all_ or one.cause == "set"):
            continue
        how, style = _applied(one, mine, early.get(one.asked_frame))
        name = "mode" if one.legacy else "config"
        what = " · ".join(_config_change(change) for change in _asked_first(one, mine))
        what = what or _requested(one)
        took = latency.get(one.asked_frame or 0) if one.cause == "set" else None
        yield one.session_id, TimelineEvent(one.t_ns, one.frame, name, what, how, style, took)


def _asked_first(one: facts.ConfigEntry, changes: Sequence[facts.ConfigChange]) -> list[facts.ConfigChange]:
    """The changes of a state, the option that was to be set before those that went with it."""
    return sorted(changes, key=lambda change: change.option != one.requested_id)


def _requested(one: facts.ConfigEntry) -> str:
    """What to say of a state in which nothing changed."""
    if one.cause != "set":
        return "nothing changed"
    option = "" if one.legacy else safe(one.requested_id or "")
    return f"{option} {words.value(one.requested_value)}".lstrip()


def _config_change(change: facts.ConfigChange) -> str:
    """One change of the configuration in a few words."""
    option = safe(change.option) if change.option is not None else "options"
    if change.change == "removed":
        return f"{option} {words.value(change.before)} removed"
    if change.change == "added" and not change.legacy:
        return f"{option} added: {words.value(change.after)}"
    if change.change in ("added", "value"):  # nobody adds a mode: what it was is not known
        values = [words.value(text) for text in (change.before, change.after) if text is not None]
        return " ".join([*([] if change.legacy else [option]), " → ".join(values)])
    if change.change == "choices":
        return f"{option} choices {words.list_change(change.before, change.after)}"
    return f"{option}: other {change.change}"


def _applied(
    one: facts.ConfigEntry, changes: Sequence[facts.ConfigChange], early: int | None
) -> tuple[str, str | None]:
    """What came of a config change that the client asked for, or who else made it; and in what colour.

    `early`: an update that said so before the response did.
    """
    if one.cause == "agent":
        return "by agent" + ("" if one.asked_frame is None else f" for #{one.asked_frame}"), None
    if one.cause == "setup":
        return "on opening", None
    if one.error_code is not None or (one.honoured is False and one.legacy):
        return f"error {one.error_code}", words.ERROR
    if one.honoured is False:
        return "not applied", words.ERROR
    if changes or early is None:
        return ("applied" if changes else "no change"), None
    return f"applied in #{early}", None


def _cancel(one: facts.Cancellation, *, live: bool) -> TimelineEvent:
    style = words.OUTCOMES.get(one.outcome)
    if live and one.outcome == "unanswered":
        style = words.OPEN
    if one.kind == "internal":
        return TimelineEvent(one.t_ns, one.frame, "cancel", "by the agent itself", "cancelled", words.OPEN)
    after = f" ─▸ {words.count(one.updates_after_cancel, 'update')}" if one.updates_after_cancel else ""
    late = f", {one.late_updates} late" if one.late_updates else ""
    what = one.kind + ("" if one.target_frame is None else f" of #{one.target_frame}") + after
    how = "waiting for it to settle" if live and one.settled_frame is None else words.outcome(one.outcome)
    if one.outcome == "no_target":
        how = words.outcome(one.outcome)
    return TimelineEvent(one.t_ns, one.frame, "cancel", what, how + late, style, one.settle_ns)


def _table(events_: list[TimelineEvent], width: int, *, all_: bool) -> Text:
    narrow = width < _NARROW
    columns = [
        Column("at", right=True),
        Column("frame", right=True),
        Column("event"),
        Column("what", flexible=True, wraps=True),
        *([] if narrow else [Column("how")]),
        Column("took", right=True),
    ]
    rows: list[list[list[Cell]]] = []
    shown, left_out = _shown(events_, all_=all_)
    for at, event in shown:
        if left_out and at == left_out[1]:
            rows.append([[], [], [], [Cell(f"… {units.number(left_out[0])} more: --all", words.FAINT)]])
        rows += _rows(event, narrow=narrow)
    return table(columns, [row + [[]] * (len(columns) - len(row)) for row in rows], width)


def _shown(
    events_: list[TimelineEvent], *, all_: bool
) -> tuple[list[tuple[int, TimelineEvent]], tuple[int, int] | None]:
    """Events with their places; how many of a long list are left out, and the place behind them."""
    numbered = list(enumerate(events_))
    heads = [at for at, event in numbered if not event.under]
    left_out = len(heads) - 2 * _EITHER_END
    if all_ or left_out <= 0:
        return numbered, None
    since, until = heads[_EITHER_END], heads[-_EITHER_END]
    return numbered[:since] + numbered[until:], (left_out, until)


def _rows(event: TimelineEvent, *, narrow: bool) -> list[list[list[Cell]]]:
    how = Cell(event.how.replace(" ", GLUE) if narrow else event.how, event.style)
    what = [Cell(event.what, words.FAINT if event.under and not event.name else None)]
    if event.under and not event.name:
        return [[[], [], [], what]]
    row = [
        [Cell(units.since_start(event.t_ns))],
        [Cell(f"#{event.frame}", words.FAINT)],
        [Cell(f"  {event.name}" if event.under else event.name)],
        [*what, Cell("  "), how] if narrow and event.how else what,
        *([] if narrow else [[how]]),
        [Cell("" if event.took_ns is None else units.duration(event.took_ns))],
    ]
    return [row, [[], [], [], [Cell(event.note, words.FAINT)]]] if event.note else [row]
