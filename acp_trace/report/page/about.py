"""A trace as a whole: the line above all views, and the list below the overview. Pure."""

from __future__ import annotations

import json
import signal
from collections import Counter
from collections.abc import Iterator

from acp_trace.analyze import facts
from acp_trace.analyze.peers import agent_shown
from acp_trace.report import units
from acp_trace.report.page.documents import AboutDocument
from acp_trace.report.safe import safe, shorten
from acp_trace.report.statements import phrases
from acp_trace.trace.counts import counted

_NAME, _LONGEST = 80, 400


def title(trace: facts.Trace) -> str:
    """What the page of a trace is called: its agent and its id."""
    return f"{phrases.agent(trace, with_version=False)} · {safe(trace.id)}"


def document(trace_facts: facts.Facts, *, live: bool) -> AboutDocument:
    """A trace as a whole, in words."""
    trace = trace_facts.trace
    numbers = Counter(finding.severity for finding in trace_facts.findings)
    found = ", ".join(counted(numbers[one], one) for one in ("error", "warning") if numbers[one])
    frames = counted(trace.frames_client + trace.frames_agent, "frame")
    is_whole = not (live or phrases.is_cut_off(trace) or phrases.is_empty(trace))
    whole = "✓ nothing broke the protocol" if is_whole else "· nothing broke the protocol so far"
    if phrases.is_empty(trace) and not live:
        whole = f"· {phrases.NOTHING_RECORDED}"
    client, agent = "client", agent_shown(trace)
    if phrases.is_only_models(trace):  # their traffic announces no names
        client, agent = "agent", "model"
    return {
        "client": _peer(trace.client_title or trace.client_name or client, trace.client_version),
        "agent": _peer(agent, trace.agent_version),
        "verdict": f"! {found}" if found else whole,
        "mood": "bad" if found else "good" if is_whole else "",
        "end": process_end(trace, live=live),
        "frames": f"{frames} · ",
        "took": units.duration(trace.duration_ns) if trace.has_times else "no times",
        "rows": [
            (name, safe(shorten(text, _LONGEST))) for name, text in _rows(trace_facts, live=live) if text
        ],
    }


def _peer(name: str, version: str | None) -> str:
    return safe(shorten(" ".join(filter(None, (name, version))), _NAME))


def _rows(trace_facts: facts.Facts, *, live: bool) -> Iterator[tuple[str, str]]:
    trace = trace_facts.trace
    unopened = {
        session.session_id
        for session in trace_facts.sessions
        if session.opened_by == "unknown" and session.parent_session_id is None
    }
    astray = sum(turn.session_id in unopened for turn in trace_facts.turns)
    turns = counted(len(trace_facts.turns) - astray, "turn")
    sessions = f"{len(trace_facts.sessions) - len(unopened)}, with {turns}"
    if unopened:
        sessions += f"; {len(unopened)} named that {'was' if len(unopened) == 1 else 'were'} not opened here"
        sessions += f", with {counted(astray, 'turn')}" if astray else ""
    yield "Client", _peer(trace.client_title or trace.client_name or "unknown", trace.client_version)
    yield "Agent", _peer(trace.agent_title or trace.agent_name or "unknown", trace.agent_version)
    yield "Command", " ".join(json.loads(trace.agent_argv))
    yield "Directory", trace.agent_cwd
    yield "Protocol", f"version {trace.protocol_version or 'unknown'}"
    yield "Started", trace.started_at or ""
    yield "Trace", f"{trace.id}, {trace.origin}{phrases.source(trace)}"
    yield "Faults on purpose", phrases.faults(trace)
    yield (
        "Frames",
        (
            f"{units.number(trace.frames_client)} from the client, {units.size(trace.bytes_client)}; "
            f"{units.number(trace.frames_agent)} from the agent, {units.size(trace.bytes_agent)}"
        ),
    )
    yield "Sessions", sessions
    yield "Model calls", str(len(trace_facts.model_calls) or "")
    if phrases.is_empty(trace) and not live:
        yield "Next", phrases.after_nothing(trace)
    yield "End", ": ".join(filter(None, (process_end(trace, live=live), trace.error)))
    if trace.lost_frames or trace.lost_bytes:
        yield "Lost", f"{counted(trace.lost_frames, 'frame')}, {units.size(trace.lost_bytes)}"
    if trace.damaged or trace.torn_bytes:
        torn = units.size(trace.torn_bytes)
        yield "Damaged", f"{counted(trace.damaged, 'line')}; {torn} cut off at the end"


def process_end(trace: facts.Trace, *, live: bool) -> str:
    """`exit 0`, `still running`, `incomplete`, or what ended it; `imported`: no log says that."""
    if live:
        return "still running"
    if not trace.complete:
        return "incomplete" if phrases.is_cut_off(trace) else trace.origin
    if trace.error is not None:
        return phrases.no_start(trace).removeprefix("the agent ")
    if phrases.is_ended_by_its_client(trace):
        return phrases.ended(trace)[0]
    if trace.aborted is None and trace.signal is not None:
        left = ", the client left first" if trace.client_left else ""
        return f"ended by {_name(trace.signal)}{left}"
    if trace.aborted is None and trace.exit_code is None and not phrases.is_reached(trace):
        return "exit code unknown"
    return phrases.ended(trace)[0]


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
