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


def turn_span(found: facts.Facts, number: int, session: str | None = None) -> TurnSpan:
    """Where the turn with this index lies; `session` is a part of the session's id. Raises NoSuchTurn."""
    turns = [one for one in found.turns if session is None or session in one.session_id]
    matches = [one for one in turns if one.turn == number]
    if len(matches) == 1:
        return TurnSpan(matches[0].session_id, matches[0].frame, matches[0].settled_frame)
    if matches:
        ids = ", ".join(one.session_id for one in matches[:5])
        raise NoSuchTurn(f"{len(matches)} sessions have a turn {number}: say which with --session ({ids})")
    highest = max((one.turn for one in turns), default=None)
    if highest is None:
        raise NoSuchTurn("there is no turn" + ("" if session is None else f" of a session {session}"))
    raise NoSuchTurn(f"there is no turn {number}: the last one is turn {highest}")


def select(
    found: facts.Facts, *, session: str | None = None, turn: int | None = None, since_frame: int = 0
) -> facts.Facts:
    """The facts of one session (its id, or how that begins or ends), of its turn `turn`, from a frame on.

    Of a turn: what belongs to it, and what else has a frame between its prompt and its end. Sessions
    themselves, and how many updates of each kind they had, stay whole. Raises NoSuchSession and NoSuchTurn.
    """
    wanted = None if session is None else _session(found, session)
    span = None if turn is None else turn_span(found, turn, wanted)
    if span is not None:
        wanted = span.session_id

    def keep(name: str, one: Any) -> bool:
        if wanted is not None and getattr(one, "session_id", None) != wanted:
            return False
        frame = getattr(one, "cancel_frame", getattr(one, "frame", None))
        if name == "sessions" or frame is None:
            return True
        if span is not None and (
            getattr(one, "turn", turn) != turn or not span.first <= frame <= (span.last or math.inf)
        ):
            return False
        return bool(frame >= since_frame)

    if wanted is None and not since_frame:
        return found
    lists = {
        field.name: [one for one in getattr(found, field.name) if keep(field.name, one)]
        for field in fields(found)
        if field.name != "trace"
    }
    return facts.Facts(found.trace, **lists)


def _session(found: facts.Facts, text: str) -> str:
    ids = [one.session_id for one in found.sessions]
    if text in ids:
        return text
    matches = [one for one in ids if one.startswith(text) or one.endswith(text)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise NoSuchSession(f"{text} matches {len(matches)} sessions", matches[:5])
    raise NoSuchSession(f"there is no session {text} in this trace", ids[:5])
