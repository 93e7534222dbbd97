"""Silence in a turn: the longest time in which neither side sent anything about the session.

The rules; `state` has the state. A silence is only a finding from half a minute on; shorter silences are a
figure of the turn (docs/report.md, Time of a turn).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.state import ChunkCount, SessionState, TurnState, WritingState
from acp_trace.trace.durations import duration

#: A silence of this length is reported, and does not count as the agent's writing time, ns.
STALL_NS = 30_000_000_000
#: A pause this long (ns) between two chunks may be silence, if it is this many times the average before.
PAUSE_NS, _TIMES = 10_000_000_000, 20
#: Requests of a turn, from its end, among which an open request is looked for.
_MOST = 1000


def heard(session: SessionState, frame: int, t: int, loose: Sequence[Open] = ()) -> None:
    """Record that a frame named the session, at `t` (ns). `loose`: requests of the agent that name none."""
    turn = session.open_turns.oldest
    if turn is not None:
        since = max(session.heard_t, turn.t)
        if t - since > turn.silence_ns:
            turn.silence_ns = t - since
            turn.silence_frame = max(session.heard_frame, turn.frame)
            turn.silence_waits = _waits(session, turn, loose, since, t) if t - since >= STALL_NS else None
    session.heard_t, session.heard_frame = t, frame


def is_silent(writing: WritingState, t: int) -> bool:
    """Return whether the agent was silent, and did not write, until the next chunk at `t` (ns).

    Half a minute always is silence; 10 s are, if they are 20 times as long as the average pause until then.
    """
    pause, took = t - writing.until, writing.until - writing.since
    if pause < PAUSE_NS or pause >= STALL_NS:
        return pause >= STALL_NS
    return took > 0 and pause * (writing.chunks - 1) > _TIMES * took


def went_on(chunks: ChunkCount) -> None:
    """Process chunks in a row, none of them half a minute after the one before."""
    session, turn = chunks.session, chunks.session.open_turns.oldest
    session.heard_t, session.heard_frame = chunks.until, chunks.frame
    if turn is not None and chunks.gap > turn.silence_ns:
        turn.silence_ns, turn.silence_frame, turn.silence_waits = chunks.gap, chunks.gap_frame, None


def report(session: SessionState, turn: TurnState, findings: Findings) -> None:
    """Report a long silence of a turn, on the side for which it waited."""
    if turn.silence_ns < STALL_NS or turn.silence_waits is None:
        return
    blame, severity, why = turn.silence_waits
    text = f"nothing was sent for {duration(turn.silence_ns)} after #{turn.silence_frame}; {why}"
    findings.say("stalled", blame, turn.frame, session.id, text, severity=severity)


def _waits(
    session: SessionState, turn: TurnState, loose: Sequence[Open], since: int, until: int
) -> tuple[str, Severity, str]:
    """Return for whom a turn waited from `since` to `until` (ns), how bad that is, and why."""
    for request in (*_requests(session, turn), *islice(reversed(loose), _MOST)):
        answered = until if request.latency_ns is None else request.t + request.latency_ns
        # A request without a session does not end the silence before it.
        if 2 * (min(answered, until) - max(request.t, since)) > until - since:
            return "client", "note", f"{request.method} #{request.frame} was open at the client"
        if request.out_of_band:
            return "client", "note", f"{request.method} #{request.frame} had sent the user elsewhere"
    if session.is_blocked:
        return "client", "note", "the state was requires_action"
    calls = islice(reversed(session.latest_call.values()), _MOST)
    running = (call for call in calls if call.turn == turn.index and call.ended_frame is None)
    if (call := next(running, None)) is not None:
        return "agent", "note", f"tool call {call.title or call.id} was under way"
    return "agent", "warning", "the agent was not waiting for the client"


def _requests(session: SessionState, turn: TurnState) -> Iterator[Open]:
    """Yield the agent's requests in a turn, the latest first."""
    asked = (one.asked for one in reversed(session.permissions) if one.turn == turn.index)
    yield from islice(asked, _MOST)
    yield from islice(reversed(session.requests.get(turn.index, [])), _MOST)
