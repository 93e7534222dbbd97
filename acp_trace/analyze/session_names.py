"""Names of a trace's sessions in reports: S1, S2 … in the order in which the trace first names them. Pure.

This is the only home of the rule; `report.session_names` decides how reports show such a name.
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


#: The prefix of a connection's session ids in the facts, and its sessions in frame order.
States = tuple[str, "dict[str, SessionState]"]


def name(number: int) -> str:
    """Return the name of the session with this number, from 1."""
    return f"S{number}"


def named(sessions: Iterable[Session]) -> list[Session]:
    """Return the sessions, which come in frame order, each with its name."""
    return [replace(session, name=name(number)) for number, session in enumerate(sessions, 1)]


class GrowingNames:
    """The names of the sessions of a trace that grows, or is still being read."""

    def __init__(self) -> None:
        self.by_id: dict[str, str] = {}

    def add(self, states: Iterable[States]) -> None:
        """Name the sessions that are new since the last call. Only the new ones cost time."""
        new: list[tuple[int, str]] = []
        for prefix, sessions in states:
            ids = map(prefix.__add__, reversed(sessions))
            fresh = [*takewhile(lambda id_: id_ not in self.by_id, ids)]
            new += [(int(sessions[id_.removeprefix(prefix)].frame), id_) for id_ in reversed(fresh)]
        for _, id_ in sorted(new, key=itemgetter(0)):
            self.by_id[id_] = name(len(self.by_id) + 1)
