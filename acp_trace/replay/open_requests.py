"""Which own requests, and which turns, are open at a point of a recording. Session by session."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from acp_trace.protocol.open_turns import OpenTurns
from acp_trace.replay.recording import RecordedMessage, Recording

_MOST = 50  #: own requests in whose course one request may have come: more would only make it slow


class OpenRequests:
    """Takes in own requests and their ends, in the order of their frames. A turn is named by its prompt."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._open: dict[str | None, dict[int, None]] = defaultdict(dict)
        self._turns: dict[str | None, OpenTurns[int]] = defaultdict(OpenTurns)
        self._anywhere: dict[int, None] = {}

    def begin(self, request: RecordedMessage) -> list[int]:
        """Takes in an own request. The turns that end by it are returned: those that never settle."""
        ended: list[int] = []
        frame = request.frame
        if (turn := self._recording.turns.get(frame)) is not None:
            ended = self._turns[request.session].begin(frame, frame, settles=turn.settled is not None)
        exchange = self._recording.exchanges[frame]
        if exchange.response_frame is not None:  # nothing can be said of one that never was answered
            self._open[request.session][frame] = None
            self._anywhere[frame] = None
        return ended

    def end(self, frame: int) -> None:
        """Takes in that an own request was answered, or that a turn settled."""
        session = self._recording.at(frame).session
        self._turns[session].settle(frame)
        self._open[session].pop(frame, None)
        self._anywhere.pop(frame, None)

    def turn_of(self, session: str | None) -> int | None:
        """The turn of a session that something belongs to."""
        turns = self._turns.get(session)
        return None if turns is None else turns.oldest

    def within(self, session: str | None) -> frozenset[int]:
        """In whose course a request of the peer comes: its session's turns, else its session's requests.

        If there are none, anything that is open.
        """
        for candidates in (self._turns.get(session), self._open.get(session), self._anywhere):
            if candidates:
                return frozenset(islice(candidates, _MOST))
        return frozenset()
