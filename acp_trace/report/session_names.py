"""The names of sessions and turns in reports: S2, and S2.0 for the first turn of S2. Facts in, names out.

The names themselves are facts (`analyze.session_names`). A single session needs no name: `beside` and
`turn` leave it out then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from acp_trace.analyze import facts, session_names
from acp_trace.report.statements import phrases
from acp_trace.trace.counts import counted

#: How many colours sessions have; the ninth has that of the first.
COLOURS = 8
_SESSION = re.compile(r"S([1-9][0-9]{0,8})", re.ASCII | re.IGNORECASE)
_TURN = re.compile(r"(?:(S[1-9][0-9]{0,8})\.)?([0-9]{1,9})", re.ASCII | re.IGNORECASE)


class NamedTurn(NamedTuple):
    """A turn as a user names it: the name of its session, if given, and its index."""

    session: str | None
    turn: int


class SessionNames:
    """The names of the sessions of one trace, by their ids. `read`: the names so far, of one that grows."""

    def __init__(self, names: Mapping[str, str], read: Callable[[], Mapping[str, str]] | None = None) -> None:
        self.by_id = names
        self._read = read

    @property
    def are_several(self) -> bool:
        """Whether a session has to be named. Facts of one session of several still have its name, as S2."""
        return len(self.by_id) > 1 or any(name != session_names.name(1) for name in self.by_id.values())

    def of(self, session_id: str | None) -> str:
        """The name of a session: `S2`; the end of its id if the trace has no such session; "" for None."""
        if session_id is None:
            return ""
        if self._read is not None and session_id not in self.by_id:
            self.by_id = self._read()
        return self.by_id.get(session_id) or phrases.short_id(session_id)

    def beside(self, session_id: str | None) -> str:
        """The same if there are several sessions, else ""."""
        return self.of(session_id) if self.are_several else ""

    def turn(self, session_id: str, turn: int) -> str:
        """A turn in a sentence: `turn 0`, with several sessions `turn S2.0`."""
        return f"turn {self.turn_name(session_id, turn) if self.are_several else turn}"

    def heading(self, session_id: str, turn: int) -> str:
        """The same at the beginning of a line: `Turn 0`, `Turn S2.0`."""
        return f"T{self.turn(session_id, turn)[1:]}"

    def headings(self, turns: Sequence[facts.Turn]) -> str:
        """Several turns at the beginning of a line: `Turn 0 and turn 2`, `Turn 0 and 2 others`."""
        first, *others = turns
        heading = self.heading(first.session_id, first.turn)
        if len(others) == 1:
            return f"{heading} and {self.turn(others[0].session_id, others[0].turn)}"
        return f"{heading} and {counted(len(others), 'other')}" if others else heading

    def label(self, session_id: str, turn: int) -> str:
        """A turn in a table: `turn 0`, with several sessions `S2.0`."""
        return self.turn_name(session_id, turn) if self.are_several else f"turn {turn}"

    def turn_name(self, session_id: str, turn: int) -> str:
        """The name of a turn in addresses and documents: `S2.0`."""
        return f"{self.of(session_id)}.{turn}"

    def colour(self, session_id: str | None) -> int:
        """The number of a session's colour, from 1 to `COLOURS`; 0 of none, and of the only session."""
        match = _SESSION.fullmatch(self.of(session_id))
        return (int(match[1]) - 1) % COLOURS + 1 if match and self.are_several else 0

    def id_of(self, name: str) -> str | None:
        """The id of the session with this name, in upper or lower case (`s2`); None if there is none."""
        wanted = name.upper()
        return next((id_ for id_, known in self.by_id.items() if known == wanted), None)


#: For a trace without facts: sessions are named by their ids.
UNNAMED = SessionNames({})


def names_of(trace_facts: facts.Facts) -> SessionNames:
    """The names of the sessions of these facts."""
    return SessionNames(
        {
            session.session_id: session.name or session_names.name(number)
            for number, session in enumerate(trace_facts.sessions, 1)
        }
    )


def is_name(text: str) -> bool:
    """Whether a text looks like the name of a session."""
    return _SESSION.fullmatch(text) is not None


def turn_of(text: str) -> NamedTurn | None:
    """The turn that a text names: `2`, or `S2.0`. None if it names none."""
    match = _TURN.fullmatch(text.strip())
    return None if match is None else NamedTurn(match[1] and match[1].upper(), int(match[2]))
