"""A part of a trace's facts: a session, a turn, what happened from some frame on. Facts in, facts out."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any, NamedTuple

from acp_trace.analyze import facts


class NoSuchSession(Exception):
    """No session, or more than one, is meant. The message is one line; `candidates` are session ids."""

    def __init__(self, why: str, candidates: list[str]) -> None:
        super().__init__(why)
        self.candidates = candidates


class NoSuchTurn(Exception):
    """No turn, or more than one, is meant. The message is one line."""


class TurnSpan(NamedTuple):
    """The frames of a turn: those of its session from its prompt until it settled (None: still open)."""

    session_id: str
    first: int
    last: int | None


def turn_span(trace_facts: facts.Facts, number: int, session: str | None = None) -> TurnSpan:
    """Where the turn with this index lies; `session` is a part of the session's id. Raises NoSuchTurn."""
    turns = [turn for turn in trace_facts.turns if session is None or session in turn.session_id]
    matches = [turn for turn in turns if turn.turn == number]
    if len(matches) == 1:
        return TurnSpan(matches[0].session_id, matches[0].frame, matches[0].settled_frame)
    if matches:
        ids = ", ".join(match.session_id for match in matches[:5])
        raise NoSuchTurn(f"{len(matches)} sessions have a turn {number}: say which with --session ({ids})")
    highest = max((turn.turn for turn in turns), default=None)
    if highest is None:
        raise NoSuchTurn(
            "this trace has no turns" if session is None else f"there is no turn of a session {session}"
        )
    raise NoSuchTurn(f"there is no turn {number}: the last one is turn {highest}")


def select(
    trace_facts: facts.Facts, *, session: str | None = None, turn: int | None = None, since_frame: int = 0
) -> facts.Facts:
    """The facts of one session (its id, or how that begins or ends), of its turn `turn`, from a frame on.

    Of a turn: what belongs to it, and what else has a frame between its prompt and its end. Sessions
    themselves, and how many updates of each kind they had, stay whole. Raises NoSuchSession and NoSuchTurn.
    """
    wanted = None if session is None else _session(trace_facts, session)
    span = None if turn is None else turn_span(trace_facts, turn, wanted)
    if span is not None:
        wanted = span.session_id

    since_ns = _last_before(trace_facts, since_frame)

    def keep(name: str, fact: Any) -> bool:
        if wanted is not None and getattr(fact, "session_id", None) != wanted:
            return False
        if span is not None and getattr(fact, "turn", turn) != turn:
            return False
        if isinstance(fact, facts.ModelCall):  # it has no frame
            return fact.started_ns >= since_ns
        if isinstance(fact, facts.NetworkStream):  # it has many
            return _overlaps(fact, since_frame if span is None else span.first, span and span.last)
        frame = getattr(fact, "cancel_frame", getattr(fact, "frame", None))
        if name == "sessions" or frame is None:
            return True
        if span is not None and not span.first <= frame <= (span.last or math.inf):
            return False
        return bool(frame >= since_frame)

    if wanted is None and not since_frame:
        return trace_facts
    lists = {
        field.name: [one for one in getattr(trace_facts, field.name) if keep(field.name, one)]
        for field in fields(trace_facts)
        if field.name != "trace"
    }
    return facts.Facts(trace_facts.trace, **lists)


def _overlaps(stream: facts.NetworkStream, first: int, last: int | None) -> bool:
    """Whether a stream has frames that may lie between these."""
    if stream.frame is None or stream.last_frame is None:
        return not first
    return stream.last_frame >= first and (last is None or stream.frame <= last)


def _last_before(trace_facts: facts.Facts, frame: int) -> int:
    """When the last request or response before a frame came, ns: what has no frame is older or younger."""
    moments = [0]
    for exchange in trace_facts.exchanges:
        asked_ns = exchange.t_ns or 0
        if exchange.frame < frame:
            moments.append(asked_ns)
        if exchange.latency_ns is not None and (exchange.response_frame or frame) < frame:
            moments.append(asked_ns + exchange.latency_ns)
    return max(moments)


def _session(trace_facts: facts.Facts, text: str) -> str:
    ids = [session.session_id for session in trace_facts.sessions]
    if text in ids:
        return text
    matches = [one for one in ids if one.startswith(text) or one.endswith(text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NoSuchSession(f"{text} matches {len(matches)} sessions", matches[:5])
    raise NoSuchSession(f"there is no session {text} in this trace", ids[:5])
