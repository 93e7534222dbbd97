"""Facts -> the report: assembles the flat facts into the nested document, and says nothing else.

The document is a public interface (docs/report.md): keys are only added.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from acp_trace.analyze import facts
from acp_trace.analyze.latency import latencies
from acp_trace.analyze.turn_time import TurnTime
from acp_trace.report import model
from acp_trace.report.grouping import group
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import phrases, silence, stderr
from acp_trace.report.statements.spent import spent
from acp_trace.report.statements.time_spent import time_spent
from acp_trace.trace.entries import IMPORTED
from acp_trace.trace.intervals import Interval

VERSION = 1

_T = TypeVar("_T")
_Stderr = list[model.StderrLine] | UnsetType
#: How JSON text becomes a value of the document.
Decode = Callable[[str], Any]


def raw(text: str) -> msgspec.Raw:
    """JSON text that goes into JSON as it is, so that `1.0` stays `1.0`."""
    return msgspec.Raw(text.encode())


def document(
    trace_facts: facts.Facts,
    *,
    live: bool = False,
    decode: Decode = raw,
    logs: Sequence[stderr.LogLine] = (),
) -> model.Report:
    """The report of one trace; as it is, ready for msgspec.json.encode.

    `logs`: what the agent wrote to stderr, or the part of it that `stderr.lines` gives.
    """
    parts = _Parts(trace_facts, decode)
    requests = stderr.request_windows(trace_facts) if logs else {}
    return model.Report(
        acp_trace_report=VERSION,
        trace=_trace(trace_facts.trace, live, decode),
        sessions=[_session(session, parts) for session in trace_facts.sessions],
        cancellations=[
            _cancellation(cancellation, parts)
            for cancellation in trace_facts.cancellations
            if cancellation.session_id not in parts.sessions
        ],
        exchanges=[
            _exchange(exchange, decode, _stderr(logs, requests.get(exchange.frame)))
            for exchange in trace_facts.exchanges
        ],
        latency=latencies(trace_facts.exchanges),
        findings=finding_reports(trace_facts, trace_facts.findings, logs),
        model_calls=[
            _made(model.ModelCallReport, call, tools=decode(call.tools)) for call in trace_facts.model_calls
        ],
        streams=[
            _made(model.StreamReport, stream, frames=model.Counts(stream.frames_client, stream.frames_agent))
            for stream in trace_facts.streams
        ],
        spent=_spent(trace_facts, parts),
        time=None if (times := time_spent(trace_facts)) is None else model.TimeReport(*times),
        silence=_silence(trace_facts, live),
    )


def _spent(trace_facts: facts.Facts, parts: _Parts) -> model.SpentReport:
    made = spent(trace_facts)
    most = None if made.most is None else parts.names.turn_name(made.most.session_id, made.most.turn)
    return model.SpentReport(made.whole.read, made.whole.cached, made.whole.written, made.cost, most)


def _silence(trace_facts: facts.Facts, live: bool) -> model.SilenceReport | None:
    if (longest := silence.longest(trace_facts, live=live)) is None:
        return None
    owed = [
        model.OwedReport(silence.side_owing(each), each.frame, each.method, each.session_id)
        for each in longest.owed
    ]
    return model.SilenceReport(longest.start, longest.ns, longest.until, owed, longest.call)


def finding_reports(
    trace_facts: facts.Facts, findings: Iterable[facts.Finding], logs: Sequence[stderr.LogLine]
) -> list[model.FindingReport]:
    """The reports of some findings of a trace, with what the agent wrote to stderr meanwhile."""
    windows = stderr.finding_windows(trace_facts) if logs else {}
    return [
        model.FindingReport.of(one, _stderr(logs, windows.get((one.code, one.frame)))) for one in findings
    ]


def _trace(trace: facts.Trace, live: bool, decode: Decode) -> model.TraceReport:
    is_log = trace.origin == IMPORTED  # which seldom says how the agent was started
    return model.TraceReport(
        id=trace.id,
        started_at=trace.started_at,
        duration_ns=trace.duration_ns,
        protocol_version=trace.protocol_version,
        complete=trace.complete,
        live=live,
        lost=model.Lost(trace.lost_frames, trace.lost_bytes),
        damaged=trace.damaged,
        torn_bytes=trace.torn_bytes,
        agent=model.Agent(
            trace.agent_name,
            trace.agent_title,
            trace.agent_version,
            None if is_log and trace.agent_argv == "[]" else decode(trace.agent_argv),
            None if is_log and not trace.agent_cwd else trace.agent_cwd,
        ),
        client=model.Client(trace.client_name, trace.client_title, trace.client_version),
        frames=model.Counts(trace.frames_client, trace.frames_agent),
        bytes=model.Counts(trace.bytes_client, trace.bytes_agent),
        odd_frames=model.Counts(trace.odd_client, trace.odd_agent),
        logs=trace.logs,
        last_log=trace.last_log,
        labels=decode(trace.labels),
        meta_merge=trace.meta_merge,
        origin=trace.origin,
        replay_of=trace.replay_of,
        has_times=trace.has_times,
        end=_end(trace) if trace.complete else None,
        imported=None
        if trace.imported_from is None
        else model.ImportedReport(trace.imported_from, trace.senders_inferred, trace.unused),
        transport=trace.transport,
        faults=json.loads(trace.faults or "[]"),
    )


def _end(trace: facts.Trace) -> model.EndReport:
    client_left = trace.client_left or UNSET
    by_client = phrases.is_ended_by_its_client(trace)
    return model.EndReport(trace.exit_code, trace.signal, trace.error, trace.aborted, by_client, client_left)


class _Parts:
    """The facts of each session and each turn at hand, so that many sessions cost no more than one."""

    def __init__(self, trace_facts: facts.Facts, decode: Decode) -> None:
        self.decode = decode
        self.names = names_of(trace_facts)
        self.sessions = {session.session_id for session in trace_facts.sessions}
        self.turns = group(trace_facts.turns, lambda one: one.session_id)
        self.unsettled = {(one.session_id, one.turn): one for one in trace_facts.unsettled_turns}
        self.prompts = {turn.frame: (turn.session_id, turn.turn) for turn in trace_facts.turns}
        self.cancelled_calls = group(trace_facts.model_calls, lambda one: (one.session_id, one.cancel_frame))
        self.updates = group(trace_facts.updates, lambda one: one.session_id)
        self.tool_calls = group(trace_facts.tool_calls, lambda one: (one.session_id, one.turn))
        self.steps = group(trace_facts.tool_call_steps, lambda one: (one.session_id, one.turn, one.id))
        self.permissions = group(trace_facts.permissions, lambda one: (one.session_id, one.turn))
        self.events = group(trace_facts.session_events, lambda one: one.session_id)
        self.metadata = group(trace_facts.metadata_updates, lambda one: one.session_id)
        self.metadata_changes = group(trace_facts.metadata_changes, lambda one: (one.session_id, one.frame))
        self.config = group(trace_facts.config_entries, lambda one: one.session_id)
        self.config_changes = group(
            trace_facts.config_changes, lambda one: (one.session_id, one.frame, one.legacy)
        )
        self.cancellations = group(trace_facts.cancellations, lambda one: one.session_id)
        self.cascades = group(trace_facts.cascades, lambda one: (one.cancel_frame, one.target_frame))

    def maybe(self, text: str | None) -> Any | UnsetType:
        """The value of a JSON text; absent if there is no text."""
        return UNSET if text is None else self.decode(text)


def _made(shape: type[_T], fact: Any, **more: Any) -> _T:
    """An object of the report: `more`, and from the fact what has the same name there."""
    any_shape: Any = shape
    return shape(**{name: getattr(fact, name) for name in _names(any_shape) if name not in more}, **more)


@cache
def _names(shape: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(shape))


def _session(session: facts.Session, parts: _Parts) -> model.SessionReport:
    mine = session.session_id
    return _made(
        model.SessionReport,
        session,
        usage=None if session.usage is None else parts.decode(session.usage),
        turns=[_turn(turn, parts) for turn in parts.turns.get(mine, ())],
        outside_turns=model.OutsideTurns(**_of_turn((mine, None), parts)),
        metadata=_metadata(session, parts),
        config=_config(session, parts),
        cancellations=[
            _cancellation(cancellation, parts) for cancellation in parts.cancellations.get(mine, ())
        ],
        events=[_made(model.SessionEventReport, event) for event in parts.events.get(mine, ())],
        updates={update.kind: update.count for update in parts.updates.get(mine, ())},
        name=parts.names.of(mine),
    )


def _open_time(unsettled: facts.UnsettledTurn) -> TurnTime | None:
    return None if unsettled.open_ns is None else _made(TurnTime, unsettled)


def _turn(turn: facts.Turn, parts: _Parts) -> model.TurnReport:
    key = turn.session_id, turn.turn
    time = None if turn.duration_ns is None else _made(TurnTime, turn)
    unsettled = parts.unsettled.get(key)
    return _made(
        model.TurnReport,
        turn,
        time=time,
        open_ns=UNSET if unsettled is None else unsettled.open_ns,
        open_time=UNSET if unsettled is None else _open_time(unsettled),
        name=parts.names.turn_name(*key),
        cost=None if turn.cost is None else parts.decode(turn.cost),
        **_of_turn(key, parts),
    )


def _of_turn(key: tuple[str, int | None], parts: _Parts) -> dict[str, Any]:
    return {
        "tool_calls": [_call(tool_call, parts) for tool_call in parts.tool_calls.get(key, ())],
        "permissions": [
            _made(model.PermissionReport, permission) for permission in parts.permissions.get(key, ())
        ],
    }


def _call(tool_call: facts.ToolCall, parts: _Parts) -> model.ToolCallReport:
    steps = parts.steps.get((tool_call.session_id, tool_call.turn, tool_call.id), ())
    return _made(
        model.ToolCallReport, tool_call, history=[_made(model.ToolCallStepReport, step) for step in steps]
    )


def _metadata(session: facts.Session, parts: _Parts) -> model.Metadata:
    timeline = [
        _made(
            model.MetadataEntry,
            one,
            changes=[
                model.MetadataChangeReport(change.path, parts.maybe(change.before), parts.maybe(change.after))
                for change in parts.metadata_changes.get((one.session_id, one.frame), ())
            ],
        )
        for one in parts.metadata.get(session.session_id, ())
    ]
    final = model.MetadataFinal(
        UNSET if session.title is None else session.title,
        UNSET if session.updated_at is None else session.updated_at,
        UNSET if session.meta == "{}" else parts.decode(session.meta),
    )
    return model.Metadata(timeline, final)


def _config(session: facts.Session, parts: _Parts) -> model.Config:
    mine = sorted(parts.config.get(session.session_id, ()), key=lambda one: (one.frame, one.legacy))
    return model.Config([_entry(one, parts) for one in mine], parts.decode(session.config), session.mode)


def _entry(config_entry: facts.ConfigEntry, parts: _Parts) -> model.ConfigEntryReport:
    requested = None
    if config_entry.cause == "set":
        value = None if config_entry.requested_value is None else parts.decode(config_entry.requested_value)
        requested = model.Requested(config_entry.requested_id, value)
    changes = [
        model.ConfigChangeReport(
            change.option, change.change, parts.maybe(change.before), parts.maybe(change.after)
        )
        for change in parts.config_changes.get(
            (config_entry.session_id, config_entry.frame, config_entry.legacy), ()
        )
    ]
    return _made(model.ConfigEntryReport, config_entry, requested=requested, changes=changes)


def _cancellation(cancellation: facts.Cancellation, parts: _Parts) -> model.CancellationReport:
    target = None
    cascade: list[model.CascadeReport] = []
    calls: list[model.CancelledCallReport] = []
    if cancellation.target_frame is not None:
        id_ = None if cancellation.target_id is None else parts.decode(cancellation.target_id)
        target = model.Target(cancellation.target_frame, cancellation.target_method or "", id_)
        cancelled = parts.cascades.get((cancellation.frame, cancellation.target_frame), ())
        cascade = [_made(model.CascadeReport, each) for each in cancelled]
        calls = [
            _made(model.CancelledCallReport, call)
            for call in parts.cancelled_calls.get((cancellation.session_id, cancellation.frame), ())
            if (call.session_id, call.turn) == parts.prompts.get(cancellation.target_frame)
        ]
    return _made(model.CancellationReport, cancellation, target=target, cascade=cascade, model_calls=calls)


def _exchange(exchange: facts.Exchange, decode: Decode, stderr_: _Stderr) -> model.ExchangeReport:
    return _made(model.ExchangeReport, exchange, id=decode(exchange.id), stderr=stderr_)


def _stderr(logs: Sequence[stderr.LogLine], window: Interval | None) -> _Stderr:
    """What the agent wrote in a time; absent if that is nothing."""
    if window is None or not (shown := stderr.beside(logs, window).lines):
        return UNSET
    return [
        model.StderrLine(one.t_ns or 0, one.line, UNSET if one.frame is None else one.frame) for one in shown
    ]
