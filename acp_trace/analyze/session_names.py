"""What reports call the sessions of a trace: S1, S2 … in the order in which the trace first names them. Pure.

The rule has one home, here; how reports show such a name is `report.session_names`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile
from operator import itemgetter
from typing import TYPE_CHECKING

from acp_trace.analyze.facts import Session

if TYPE_CHECKING:
    from acp_trace.analyze.state import SessionState


#: How the ids of the sessions of a connection begin in the facts, and those sessions in the order of frames.
States = tuple[str, "dict[str, SessionState]"]


def name(number: int) -> str:
    """The name of the session with this number, from 1."""
    return f"S{number}"


def named(sessions: Iterable[Session]) -> list[Session]:
    """The sessions, which come in the order of their frames, each with its name."""
    return [replace(session, name=name(number)) for number, session in enumerate(sessions, 1)]


class GrowingNames:
    """The names of the sessions of a trace that grows, or is still being read."""

    def __init__(self) -> None:
        self.by_id: dict[str, str] = {}

    def add(self, states: Iterable[States]) -> None:
        """Names the sessions that are new since the last call. The cost is that of the new ones alone."""
        new: list[tuple[int, str]] = []
        for prefix, sessions in states:
            ids = map(prefix.__add__, reversed(sessions))
            fresh = [*takewhile(lambda id_: id_ not in self.by_id, ids)]
            new += [(int(sessions[id_.removeprefix(prefix)].frame), id_) for id_ in reversed(fresh)]
        for _, id_ in sorted(new, key=itemgetter(0)):
            self.by_id[id_] = name(len(self.by_id) + 1)
