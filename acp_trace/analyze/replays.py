"""Which updates of a trace are history, by its facts: they happened earlier, and are sent again. No I/O.

Agents send the history of a session before they answer the request that opens it: a load, a fork, a resume
that asks for it, and some agents a resume that does not (docs/report.md, Sessions). `SessionState.replays`
is the same rule while a trace is read.
"""

from __future__ import annotations

from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.analyze.inner_messages import INSIDE
from acp_trace.protocol import methods
from acp_trace.trace.entries import AFTER_ALL


class _Replay(NamedTuple):
    """The frames of a request and of its answer."""

    asked: int
    answered: int


class Replays:
    """The history of the sessions of a trace. Only updates that can be a turn's work are asked about."""

    def __init__(self, of: facts.Facts) -> None:
        self._of: dict[str, list[_Replay]] = {}
        copies = {one.opened_frame: one.session_id for one in of.sessions if one.forked_from is not None}
        for exchange in (*of.exchanges, *of.outside):
            method = exchange.method.removeprefix(INSIDE)
            if exchange.sender != "client" or method not in (*methods.REOPENERS, methods.FORK):
                continue
            is_fork = method == methods.FORK
            session_id = copies.get(exchange.frame) if is_fork else exchange.session_id
            if session_id is not None:
                replay = _Replay(exchange.frame, exchange.response_frame or AFTER_ALL)
                self._of.setdefault(session_id, []).append(replay)

    def by(self, session_id: str, frame: int) -> int | None:
        """The frame of the request for which an update of a session is history; None if it is new.

        In a batch, updates have the frame of the answer behind them.
        """
        replays = self._of.get(session_id, ())
        return next((one.asked for one in replays if one.asked < frame <= one.answered), None)
