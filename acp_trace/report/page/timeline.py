"""What the timeline draws: facts -> bars and marks in lanes, of the connection and of each session. Pure.

The page places them on the screen. Texts are whole sentences, already made safe.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.tool_span import span
from acp_trace.protocol import methods
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.turn_rows import cancels_of_turns, how_it_ended
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements.cancels import outcome
from acp_trace.report.statements.failures import error_of
from acp_trace.report.statements.subagent import said, subagents_below
from acp_trace.report.statements.timeline import UNCHANGED, TimelineItem, timeline_items
from acp_trace.report.statements.turn_parts import parts
from acp_trace.report.tool_times import ToolTimes
from acp_trace.report.work_tree import WorkTree

#: Rows of one lane; what would need more overlaps in the last one.
_MOST_ROWS = 4
_GIST, _WORDS = 60, 200
#: Items that are marks in a lane of their own, and those that take time.
_MARKS = ("opening", "config", "metadata", "notice", "compaction", "plan", "message", "usage")
_LASTING = ("compaction", "silence")
#: Requests of the client that open or end something; its prompts are turns.
_LIVES = (*methods.OPENERS, *methods.ENDERS)


@dataclass(slots=True)
class Item:
    """A bar, or a mark if it ends where it starts. Times are ns; None: that of the frame.

    `at` names it in an address. Items with the same `pair` belong together. `shares` are a turn's: where its
    time went.
    """

    kind: str
    start: int | None
    end: int | None
    label: str
    words: str
    frame: int  #: 0 without one
    at: dict[str, str]
    is_open: bool = False  #: it had not ended when the trace did
    pair: str | None = None
    shares: list[tuple[str, int]] = field(default_factory=list)
    row: int = 0


@dataclass(slots=True)
class Lane:
    """Items of one kind below one heading, in order of time."""

    group: str
    name: str
    items: list[Item]
    rows: int = 1
    session: str | None = None  #: its id; None of the connection


def lanes(trace_facts: facts.Facts) -> list[Lane]:
    """All lanes that have items; those of the connection come first. None of a trace without times."""
    known = {session.session_id for session in trace_facts.sessions}
    last = trace_facts.trace.duration_ns
    if last is None:
        return []
    found = list(enumerate(trace_facts.findings))
    outside = [each for each in trace_facts.exchanges if each.sender == "client" and _is_outside(each, known)]
    calls = [_call(each, last) for each in trace_facts.model_calls if each.session_id not in known]
    marks = [_cancel(each) for each in trace_facts.cancellations if each.session_id not in known]
    marks += [_finding(*each) for each in found if each[1].session_id not in known]
    made = [
        Lane("Connection", "client", [_request(each, last) for each in outside]),
        Lane("Connection", "model", calls),
        Lane("Connection", "marks", marks),
        *_of_sessions(trace_facts, last),
    ]
    return [_stacked(lane) for lane in made if lane.items]


def _of_sessions(trace_facts: facts.Facts, last: int) -> Iterator[Lane]:
    ordinals = turn_numbers(trace_facts.turns)
    times, names = ToolTimes(trace_facts.permissions, last), names_of(trace_facts)
    tree = WorkTree(trace_facts)
    cancelled = cancels_of_turns(trace_facts)
    by = _by_session
    turns, calls = by(trace_facts.turns), by(trace_facts.model_calls)
    permissions, tools = by(trace_facts.permissions), by(_work(trace_facts))
    requests = by(
        each for each in trace_facts.exchanges if each.sender == "agent" and each.method != methods.PERMISSION
    )
    cancels, items = by(trace_facts.cancellations), by(timeline_items(trace_facts, all_=True))
    asks = {one.frame: one.text for one in trace_facts.session_events if one.kind == "elicitation"}
    findings = group(enumerate(trace_facts.findings), lambda pair: pair[1].session_id)
    for number, session in enumerate(subagents_below(trace_facts.sessions), 1):
        id_ = session.session_id
        heading = " · ".join(filter(None, (names.of(id_), _gist(session.title), said(session, names))))
        prompts = [_turn(each, ordinals[each.frame], last, cancelled, names) for each in turns.get(id_, ())]
        yield Lane(heading, "turns", prompts, session=id_)
        asked = [_permission(each, last, number) for each in permissions.get(id_, ())]
        asked += [_request(each, last, asks) for each in requests.get(id_, ())]
        yield Lane(heading, "client", asked, session=id_)
        quiet = [_item(each) for each in items.get(id_, ()) if each.kind == "silence"]
        made = group(tools.get(id_, ()), tree.depth)
        announced = [_subagent(each, last) for each in items.get(id_, ()) if each.kind == "subagent"]
        if announced:
            made.setdefault(1, [])
        agent = [_tool(each, last, number, times) for each in made.pop(0, ())]
        yield Lane(heading, "agent", agent + quiet, session=id_)
        for depth, below in sorted(made.items()):
            inside = [_tool(each, last, number, times, tree.above(id_, each.parent_id)) for each in below]
            inside += announced if depth == 1 else []
            yield Lane(heading, f"{'↳' * depth} agent", inside, session=id_)
        yield Lane(heading, "model", [_call(each, last) for each in calls.get(id_, ())], session=id_)
        marks = [_cancel(each) for each in cancels.get(id_, ())] + _marks(items.get(id_, ()))
        yield Lane(heading, "marks", marks + [_finding(*each) for each in findings.get(id_, ())], session=id_)


def _work(trace_facts: facts.Facts) -> list[facts.ToolCall]:
    """The tool calls that ran here: history ran earlier."""
    return [call for call in trace_facts.tool_calls if not call.replayed]


def _by_session(rows: Iterable[Any]) -> dict[Any, list[Any]]:
    return group(rows, lambda one: one.session_id)


def _is_outside(exchange: facts.Exchange, sessions: set[str]) -> bool:
    return exchange.session_id not in sessions or exchange.method in _LIVES


def _stacked(lane: Lane) -> Lane:
    """Items that overlap get rows of their own, up to a number of them."""
    lane.items.sort(key=lambda item: (item.start or 0, -(item.end or 0)))
    ends: list[int] = []
    for item in lane.items:
        start, end = item.start or 0, item.end or 0
        free = next((row for row, until in enumerate(ends) if until <= start), len(ends))
        item.row = 0 if lane.name == "marks" else min(free, _MOST_ROWS - 1)
        if item.row == len(ends):
            ends.append(end)
        ends[item.row] = max(ends[item.row], end)
    lane.rows = len(ends)
    return lane


def _bar(
    kind: str, start: int | None, took: int | None, frame: int, last: int, label: str, *said: str | None
) -> Item:
    start = start or 0
    end = max(last, start) if took is None else start + took
    at = {"frame": str(frame)} if frame else {}
    return Item(kind, start, end, label, " · ".join(filter(None, said)), frame, at, is_open=took is None)


def _turn(
    turn: facts.Turn,
    ordinal: int,
    last: int,
    cancelled: Mapping[int | None, facts.Cancellation],
    names: SessionNames,
) -> Item:
    spent = [(part.name, part.of(turn)) for part in parts([turn])]
    cancel = cancelled.get(turn.frame)
    ended = how_it_ended(turn, cancel) + (f" #{cancel.frame}" if cancel else "")
    if turn.model_ns is None:
        spent = [(name, ns) for name, ns in spent if ns]
    shares = ", ".join(f"{name} {units.duration(ns)}" for name, ns in spent)
    said = (ended, shares, _gist(turn.prompt))
    name = names.label(turn.session_id, turn.turn).capitalize()
    item = _bar("turn", turn.t_ns, turn.duration_ns, turn.frame, last, name, *said)
    item.shares, item.pair, item.at = spent, f"turn:{ordinal}", {"turn": str(ordinal)}
    return item


def _tool(
    call: facts.ToolCall, last: int, session: int, times: ToolTimes, above: Sequence[facts.ToolCall] = ()
) -> Item:
    of = f"in {' ▸ '.join(_gist(each.title or each.id) for each in above)}" if above else ""
    said = of, safe(call.kind or ""), safe(call.status or ""), times.note(call)
    began, took = span(call)
    item = _bar("tool", began, took, call.frame, last, _gist(call.title or call.id), *said)
    item.pair, item.is_open = f"tool:{session}:{call.id}", call.ended_frame is None
    return item


def _permission(permission: facts.Permission, last: int, session: int) -> Item:
    said = safe(permission.outcome), safe(permission.option_kind or "")
    label = f"Permission: {_gist(permission.title)}"
    item = _bar("permission", permission.t_ns, permission.wait_ns, permission.frame, last, label, *said)
    if permission.tool_call_id is not None:
        item.pair = f"tool:{session}:{permission.tool_call_id}"
    return item


def _call(call: facts.ModelCall, last: int) -> Item:
    tokens = None
    if call.input_tokens is not None:
        out = "?" if call.output_tokens is None else call.output_tokens
        tokens = f"{call.input_tokens} tokens in, {out} out"
    ended = "aborted" if call.aborted else safe(call.stop_reason or str(call.status or ""))
    label = f"Call {call.call}: {_gist(call.model or call.provider)}"
    tools = _gist(", ".join(json.loads(call.tools)))
    item = _bar("model", call.started_ns, call.duration_ns, 0, last, label, ended, tokens, tools)
    item.at = {"call": str(call.call)}
    return item


def _request(exchange: facts.Exchange, last: int, asks: Mapping[int, str] = MappingProxyType({})) -> Item:
    """`asks`: what questions to the user say, by their frames."""
    said = f"error {exchange.error_code}" if exchange.outcome == "error" else exchange.outcome
    words = said, error_of(exchange), _gist(asks.get(exchange.frame))
    label = _gist(exchange.method)
    return _bar("request", exchange.t_ns, exchange.latency_ns, exchange.frame, last, label, *words)


def _cancel(cancel: facts.Cancellation) -> Item:
    took = None if cancel.settle_ns is None else f"settled after {units.duration(cancel.settle_ns)}"
    said = outcome(cancel.outcome), took
    item = _bar("cancel", cancel.t_ns, cancel.settle_ns or 0, cancel.frame, 0, safe(cancel.kind), *said)
    item.at = {"cancel": str(cancel.frame)}
    return item


def _marks(items: Iterable[TimelineItem]) -> list[Item]:
    """Moments: the changes of one frame are one mark. What an opening brought is at its request."""
    shown = (
        item
        for item in items
        if item.kind in _MARKS and item.what and not (item.kind == "config" and item.what == UNCHANGED)
    )
    by_frame = group(shown, lambda item: (item.kind, item.frame))
    return [_item(*mine) for mine in by_frame.values()]


def _item(first: TimelineItem, *others: TimelineItem) -> Item:
    kind, name = first.kind, first.kind.capitalize()
    if kind == "opening":
        kind, name = "config", "Config"
    label = name if first.name in (kind, "silent") else f"{name}: {first.name}"
    what = ", ".join([first.what, *(f"{item.name} {item.what}" for item in others)])
    took = first.took_ns if kind in _LASTING else 0
    return _bar(kind, first.t_ns, took, first.frame, 0, label, shorten(what, _WORDS), first.how)


def _subagent(item: TimelineItem, last: int) -> Item:
    """The session of a subagent, as a bar: from its announcement until it was idle."""
    return _bar("subagent", item.t_ns, item.took_ns, item.frame, last, item.what, "subagent", item.how)


def _finding(index: int, finding: facts.Finding) -> Item:
    label = f"{finding.severity}: {finding.code}"
    return Item("finding", None, None, label, _gist(finding.message), finding.frame, {"finding": str(index)})


def _gist(text: str | None) -> str:
    return safe(shorten(text or "", _GIST))
