"""A part of a trace's facts: a session, a turn, what happened from some frame on. Facts in, facts out."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from acp_trace.analyze import facts
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import SessionNames, is_name, names_of, turn_of
from acp_trace.report.statements import phrases, stderr

_TITLE = 40  #: characters of a title in a message


class NoSuchSession(Exception):
    """No session, or more than one, is meant. The message is one line; `candidates` are session ids.

    `named`: the same sessions with their names and titles, as in `S1 "Write a list"`, safe.
    """

    def __init__(self, why: str, candidates: list[str], named: list[str]) -> None:
        super().__init__(why)
        self.candidates, self.named = candidates, named


class NoSuchTurn(Exception):
    """No turn, or more than one, is meant. The message is one line. `is_misuse`: it says what to give."""

    def __init__(self, why: str, *, is_misuse: bool = False) -> None:
        super().__init__(why)
        self.is_misuse = is_misuse


class TurnSpan(NamedTuple):
    """The frames of a turn: those of its session from its prompt until it settled (None: still open)."""

    session_id: str
    first: int
    last: int | None
    turn: int = 0  #: its index in its session


def turn_span(trace_facts: facts.Facts, wanted: int | str, session: str | None = None) -> TurnSpan:
    """Where a turn lies: its index in its session, from 0, or its name, as `S2.0`.

    `session`: its session's name, or a part of its id. Raises NoSuchTurn.
    """
    names = names_of(trace_facts)
    named = turn_of(str(wanted))
    if named is None:
        raise NoSuchTurn(f"{safe(str(wanted))} is not a turn, such as 0 or S2.0", is_misuse=True)
    turns = trace_facts.turns
    if session is not None:
        turns = [turn for turn in turns if _is_of(names, turn.session_id, session)]
    if named.session is not None:
        if (id_ := names.id_of(named.session)) is None:
            raise NoSuchTurn(_no_session(named.session, names))
        turns = [turn for turn in turns if turn.session_id == id_]
    matches = [turn for turn in turns if turn.turn == named.turn]
    if len(matches) == 1:
        return TurnSpan(matches[0].session_id, matches[0].frame, matches[0].settled_frame, named.turn)
    if matches:
        each = [names.turn_name(match.session_id, match.turn) for match in matches[:5]]
        which = ", ".join([*each, "…"] if matches[5:] else each)
        text = f"{len(matches)} sessions have a turn {named.turn}: say which ({which})"
        raise NoSuchTurn(text, is_misuse=True)
    if not trace_facts.turns:
        raise NoSuchTurn("this trace has no turns")
    where = named.session or session
    if not turns:
        raise NoSuchTurn(f"there is no turn of a session {safe(names.by_id.get(where or '') or where or '')}")
    last = max(turns, key=lambda turn: turn.turn)
    name = f"{named.session}.{named.turn}" if named.session else str(named.turn)
    is_one = len({turn.session_id for turn in turns}) == 1
    last_name = names.turn(last.session_id, last.turn) if is_one else f"turn {last.turn}"
    raise NoSuchTurn(f"there is no turn {name}: the last one is {last_name}")


def part_of_id(text: str, read: Callable[[], facts.Facts]) -> str:
    """What finds a session by its id: `text`, or the whole id if that is a name, as S2. `read`: the facts."""
    return _part_of_id(text, names_of(read())) if is_name(text) else text


def unknown(text: str, trace_facts: facts.Facts) -> str | None:
    """Why a text finds no session, as `there is no session S9: this trace has S1 to S3`; or None."""
    names = names_of(trace_facts)
    is_found = any(_is_of(names, id_, text) for id_ in names.by_id)
    return None if is_found else _no_session(text, names)


def _part_of_id(text: str, names: SessionNames) -> str:
    return (None if text in names.by_id else names.id_of(text)) or text


def _is_of(names: SessionNames, session_id: str, text: str) -> bool:
    """Whether a session is meant by a text: its name, or a part of its id."""
    return _part_of_id(text, names) in session_id


def _no_session(text: str, names: SessionNames) -> str:
    known = [*names.by_id.values()]
    there = " to ".join(dict.fromkeys([*known[:1], *known[-1:]])) or "none"
    return f"there is no session {safe(text)}: this trace has {there}"


def select(
    trace_facts: facts.Facts,
    *,
    session: str | None = None,
    turn: int | str | None = None,
    since_frame: int = 0,
) -> facts.Facts:
    """The facts of one session (its name or id, or how that begins or ends), of a turn, from a frame on.

    `turn`: its index in its session, or its name, as `S2.0`.
    Of a turn: what belongs to it, and what else has a frame between its prompt and its end. Sessions
    themselves, and how many updates of each kind they had, stay whole. Raises NoSuchSession and NoSuchTurn.
    """
    wanted = None if session is None else _session(trace_facts, session)
    span = None if turn is None else turn_span(trace_facts, turn, wanted)
    if span is not None:
        wanted = span.session_id

    since_ns = _last_before(trace_facts, since_frame)
    # The request for a copy names the session that is copied.
    forks = {one.opened_frame for one in trace_facts.sessions if one.session_id == wanted and one.forked_from}

    def keep(name: str, fact: Any) -> bool:
        is_mine = getattr(fact, "session_id", None) == wanted or (name == "exchanges" and fact.frame in forks)
        if wanted is not None and not is_mine:
            return False
        if span is not None and getattr(fact, "turn", span.turn) != span.turn:
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
    lists = {name: [one for one in getattr(trace_facts, name) if keep(name, one)] for name in facts.ROWS}
    rest = [one for one in trace_facts.exchanges if not keep("exchanges", one)]
    # The longest silence is that of all sessions together.
    trace = replace(
        trace_facts.trace, last_frame_ns=None, silence_from_ns=None, silence_ns=None, silence_frame=None
    )
    malformed = [
        one for one in trace_facts.findings if one.code in stderr.MALFORMED and not keep("findings", one)
    ]
    return facts.Facts(
        trace, **lists, outside=trace_facts.outside + rest, malformed=trace_facts.malformed + malformed
    )


def _overlaps(stream: facts.NetworkStream, first: int, last: int | None) -> bool:
    """Whether a stream has frames that may lie between these."""
    if stream.frame is None or stream.last_frame is None:
        return not first
    return stream.last_frame >= first and (last is None or stream.frame <= last)


def _last_before(trace_facts: facts.Facts, frame: int) -> int:
    """When the last request or response before a frame came, ns. It gives entries without a frame a place."""
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
    names = names_of(trace_facts)
    titles = {session.session_id: session.title for session in trace_facts.sessions}

    def refusal(why: str, near: list[str]) -> NoSuchSession:
        named = [f"{names.of(id_)} {_quoted(titles[id_]) or phrases.short_id(id_)}" for id_ in near]
        return NoSuchSession(why, near, named)

    text = _part_of_id(text, names)
    if text in ids:
        return text
    matches = [one for one in ids if one.startswith(text) or one.endswith(text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise refusal(f"{text} matches {len(matches)} sessions", matches[:5])
    raise refusal(f"there is no session {text} in this trace", ids[:5])


def _quoted(title: str | None) -> str:
    return f'"{safe(shorten(title, _TITLE))}"' if title else ""
