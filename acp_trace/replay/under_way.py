"""Which own requests, and which turns, are going on at a point of a recording. Session by session."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from acp_trace.replay.recording import Recording, Said

_MOST = 50  #: own requests in whose course one live request may have come: more would only make it slow


class UnderWay:
    """Takes in own requests and their ends, in the order of their frames."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._open: dict[str | None, dict[int, None]] = defaultdict(dict)
        self._turns: dict[str | None, dict[int, None]] = defaultdict(dict)
        self._anywhere: dict[int, None] = {}

    def asked(self, said: Said) -> list[int]:
        """Takes in an own request. Prompts of its session that never settle are given up at the next one.

        They are returned: what comes from now on belongs to the new one.
        """
        given_up: list[int] = []
        if said.frame in self._recording.turns:
            turns = self._turns[said.session]
            given_up = [one for one in turns if self._recording.turns[one].settled is None]
            for one in given_up:
                del turns[one]
            turns[said.frame] = None
        exchange = self._recording.exchanges[said.frame]
        if exchange.response_frame is not None:  # nothing can be said of one that never was answered
            self._open[said.session][said.frame] = None
            self._anywhere[said.frame] = None
        return given_up

    def over(self, frame: int) -> None:
        """Takes in that an own request was answered, or that a turn settled."""
        session = self._recording.at(frame).session
        self._turns[session].pop(frame, None)
        self._open[session].pop(frame, None)
        self._anywhere.pop(frame, None)

    def turn_of(self, session: str | None) -> int | None:
        """The oldest open turn of a session."""
        return next(iter(self._turns.get(session, ())), None)

    def within(self, session: str | None) -> frozenset[int]:
        """In whose course a request of the live side comes: its session's turns, else its session's requests.

        Where there are none, anything that is open.
        """
        for some in (self._turns.get(session), self._open.get(session), self._anywhere):
            if some:
                return frozenset(islice(some, _MOST))
        return frozenset()
