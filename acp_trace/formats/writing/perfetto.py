"""A trace as Chrome's JSON of trace events: opens in ui.perfetto.dev, chrome://tracing and Speedscope.

Three processes: client, agent and model. Each has a track for the connection and one for each session, and
more if things happen at once. `slices` fills the tracks; this module adds counters and findings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from acp_trace.analyze.facts import Facts, Finding
from acp_trace.analyze.frame import Frame
from acp_trace.analyze.peers import side_shown
from acp_trace.formats.writing.lanes import in_lanes
from acp_trace.formats.writing.slices import Process, Slice, place, slices
from acp_trace.formats.writing.writer import ExportedTrace
from acp_trace.protocol import updates
from acp_trace.protocol.payloads import update_in

_PIDS: dict[str, int] = {"client": 1, "agent": 2, "model": 3}
_NO_TIMES = "the trace has no times: one frame is drawn as 1 ms"
_SECOND_NS = 1_000_000_000
#: µs that a message takes with which a slice begins. Without length, Speedscope 1.25 meets its end before its
#: beginning there, and does not close that slice.
_MESSAGE = 0.001
#: The track of each process that has its findings: the first one, after what viewers take for main threads.
_FINDINGS = 10


def write(trace: ExportedTrace) -> Iterator[bytes]:
    """The file, event by event."""
    first = True
    for event in _events(trace):
        yield b'{"traceEvents":[\n' if first else b",\n"
        yield msgspec.json.encode(event)
        first = False
    about_trace = trace.facts.trace
    about: dict[str, Any] = {"trace": about_trace.id, "started_at": about_trace.started_at}
    about |= {"agent": about_trace.agent_name, "client": about_trace.client_name, "writer": "acp-trace"}
    if not about_trace.has_times:
        about["times"] = _NO_TIMES
    yield b'\n],"displayTimeUnit":"ms","otherData":%b}\n' % msgspec.json.encode(_there(about))


def _events(trace: ExportedTrace) -> Iterator[dict[str, Any]]:
    facts = trace.facts
    if not facts.trace.has_times:
        trace.notes.append(_NO_TIMES)
    yield from _processes(facts)
    crowded, arrows = 0, list[dict[str, Any]]()
    for events in _tracks(facts):
        for event in events:
            crowded += event.get("cat") == "crowded"
            if event["ph"] in "sf":
                arrows.append(event)
            else:
                yield event
    # After all slices: an arrow is bound to the slice that is on top of its track then. Its tail comes first.
    yield from sorted(arrows, key=lambda arrow: (arrow["id"], arrow["ph"] == "f"))
    if crowded:
        trace.notes.append(f"{crowded} slices overlap too many others: they are instants")
    yield from _tokens(facts)
    yield from _from_frames(trace)


def _processes(facts: Facts) -> Iterator[dict[str, Any]]:
    trace = facts.trace
    names = {side: side_shown(trace, side) for side in ("client", "agent")}
    if facts.model_calls:
        names["model"] = "model"
    for process, name in names.items():
        shown = name if trace.has_times else f"{name} (no times: 1 ms is one frame)"
        yield _meta(process, 0, "process_name", name=shown)
        yield _meta(process, 0, "process_sort_index", sort_index=_PIDS[process])


def _tracks(facts: Facts) -> Iterator[Iterator[dict[str, Any]]]:
    """The events of each track, and before them its name. Sessions in the order in which they began."""
    groups: dict[tuple[Process, str | None], list[Slice]] = defaultdict(list)
    for each in slices(facts):
        groups[each.process, each.session].append(each)
    order: dict[str | None, int] = {None: 0}
    order |= {session.session_id: at for at, session in enumerate(facts.sessions, 1)}
    tid = _FINDINGS
    for process, session in sorted(groups, key=lambda key: (_PIDS[key[0]], order.get(key[1], len(order)))):
        lanes: list[list[Slice]] = []
        crowded = []
        for each, lane in in_lanes(groups[process, session]):
            if lane is None:
                crowded.append(each)
                continue
            if lane == len(lanes):
                lanes.append([])
            lanes[lane].append(each)
        name = "connection" if session is None else f"session {session}"
        for number, lane_slices in enumerate(lanes, 1):
            tid += 1
            yield _track(process, tid, name if number == 1 else f"{name} ({number})", lane_slices)
        yield (_instant(each.process, tid, each.name, each.start, each.args, "crowded") for each in crowded)


def _track(process: Process, tid: int, name: str, lane: list[Slice]) -> Iterator[dict[str, Any]]:
    yield _meta(process, tid, "thread_name", name=name)
    yield _meta(process, tid, "thread_sort_index", sort_index=tid)
    begun: float | None = None  # when the slice began that is around what comes next
    for each in lane:
        event: dict[str, Any] = {
            "ph": "X" if each.end is not None else "B",
            "name": each.name,
            "cat": each.category,
        }
        event |= {"pid": _PIDS[process], "tid": tid, "ts": each.start, "args": _there(each.args)}
        is_message = each.category == "message"
        if not is_message:
            begun = each.start
        if each.end is not None:
            at_begin = is_message and each.start == begun
            event["dur"] = _MESSAGE if at_begin else round(each.end - each.start, 3)
        yield event
        if each.flow is not None:
            arrow: dict[str, Any] = {"ph": "s"} if each.flows_out else {"ph": "f", "bp": "e"}
            about = {"name": "message", "cat": "message", "id": each.flow}
            yield {**arrow, **about, "pid": _PIDS[process], "tid": tid, "ts": each.start}


def _tokens(facts: Facts) -> Iterator[dict[str, Any]]:
    """All tokens so far, whenever a call of the model ends."""
    ended = [
        (call.started_ns + call.duration_ns, call)
        for call in facts.model_calls
        if call.duration_ns is not None and not (call.input_tokens is None and call.output_tokens is None)
    ]
    total = {"input": 0, "output": 0}
    for t_ns, call in sorted(ended, key=lambda pair: pair[0]):
        total["input"] += call.input_tokens_total or call.input_tokens or 0
        total["output"] += call.output_tokens_total or call.output_tokens or 0
        yield _counter("model", "tokens", t_ns / 1000, **total)


def _from_frames(trace: ExportedTrace) -> Iterator[dict[str, Any]]:
    """What has to be read from the frames: updates a second, tokens in the context, when findings were."""
    facts = trace.facts
    findings: dict[int, list[Finding]] = defaultdict(list)
    for finding in facts.findings:
        findings[finding.frame].append(finding)
    for process in sorted({finding.blame for finding in facts.findings} & _PIDS.keys()):
        yield _meta(process, _FINDINGS, "thread_name", name="findings")
        yield _meta(process, _FINDINGS, "thread_sort_index", sort_index=_FINDINGS)
    rates: dict[str, _Rate] = {}
    for frame in trace.frames():
        for finding in findings.pop(frame.frame, ()):
            yield _finding(finding, place(frame.t_ns, frame.frame))
        if frame.update is None or frame.session_id is None:
            continue
        if frame.t_ns is not None:
            yield from rates.setdefault(frame.session_id, _Rate(frame.session_id)).add(frame.t_ns)
        if frame.update == updates.USAGE:
            yield from _context(frame)
    for rate in rates.values():
        yield from rate.end()
    last = place(facts.trace.duration_ns, 0)
    for finding in (each for group in findings.values() for each in group):
        yield _finding(finding, last)


class _Rate:
    """Updates of a session, counted by whole seconds since the trace began."""

    def __init__(self, session: str) -> None:
        self._name = f"session {session}"
        self._second, self._count = -1, 0

    def add(self, t_ns: int) -> Iterator[dict[str, Any]]:
        second = t_ns // _SECOND_NS
        if second != self._second:
            yield from self.end(second)
            self._second, self._count = second, 0
        self._count += 1

    def end(self, next_second: int = -1) -> Iterator[dict[str, Any]]:
        if self._second < 0:
            return
        yield self._counter(self._second, self._count)
        if next_second != self._second + 1:
            yield self._counter(self._second + 1, 0)

    def _counter(self, second: int, count: int) -> dict[str, Any]:
        return _counter("agent", self._name, second * 1e6, **{"updates a second": count})


def _context(frame: Frame) -> Iterator[dict[str, Any]]:
    if (used := update_in(frame.data).used) is not None:
        ts = place(frame.t_ns, frame.frame)
        yield _counter("agent", f"session {frame.session_id}", ts, **{"tokens in context": used})


def _finding(finding: Finding, ts: float) -> dict[str, Any]:
    args = {"severity": finding.severity, "message": finding.message, "frame": finding.frame}
    args |= {"count": finding.count, "session": finding.session_id}
    process = finding.blame if finding.blame in _PIDS else "agent"
    return _instant(process, _FINDINGS, finding.code, ts, args, "finding")


def _instant(
    process: str, tid: int, name: str, ts: float, args: dict[str, Any], category: str
) -> dict[str, Any]:
    event = {"ph": "i", "s": "t", "name": name, "cat": category, "pid": _PIDS[process], "tid": tid}
    return {**event, "ts": ts, "args": _there(args)}


def _counter(process: str, about: str, ts: float, **values: int) -> dict[str, Any]:
    return {"ph": "C", "name": about, "pid": _PIDS[process], "ts": ts, "args": values}


def _meta(process: str, tid: int, about: str, **args: Any) -> dict[str, Any]:
    return {"ph": "M", "name": about, "pid": _PIDS[process], "tid": tid, "args": args}


def _there(args: dict[str, Any]) -> dict[str, Any]:
    """What is known of them."""
    return {name: value for name, value in args.items() if value is not None}
