"""Requests that are open when a trace ends: since when, and whether they could have been answered.

An agent that waits for its client cannot answer, and an agent whose client left at once had no time to; a
client cannot answer an agent that crashed. In these cases the missing answer is a note, and a consequence of
the actual fault. Pure: `wire` and `cancellation` write the findings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.crash import is_ended_by_others
from acp_trace.analyze.findings.lost_lines import LostLines
from acp_trace.protocol import methods
from acp_trace.trace.durations import duration
from acp_trace.trace.entries import End

#: How long a side must have had to answer before the other side left, ns; and how long an agent that works on
#: a turn may be silent while it thinks, or waits for its model.
ENOUGH_NS, _PAUSE = 1_000_000_000, 10_000_000_000
#: Methods whose answer may take any time: a person decides, or a command runs.
_ENDLESS = (methods.PERMISSION, methods.ELICITATION, methods.TERMINAL_WAIT)


class Excuse(NamedTuple):
    """The reason for a missing answer: the severity (None: the code's), and text to add to the message."""

    severity: Severity | None = None
    text: str = ""
    consequence_of: int | None = None  #: the frame of the finding that caused this


class Unanswered:
    """The requests that are open at the end of a trace.

    `t`: when it ended (ns); None if it has no times. `end`: its footer. `is_log`: it was read from the log of
    another tool, which may not have written all answers. `crash`: the frame of the finding that the agent
    crashed. `lost`: unreadable lines, one of which may be the answer. `worked`: for prompts, by their frames,
    when the agent last showed something of their turn (ns).
    """

    def __init__(
        self,
        exchanges: Iterable[Open],
        end: End | None,
        t: int | None,
        *,
        is_log: bool = False,
        crash: int | None = None,
        lost: LostLines | None = None,
        worked: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        #: The words for a missing answer, after the request's name.
        self.verb = "has no answer in the log" if is_log else "was never answered"
        self.all = [one for one in exchanges if one.outcome == "open" and methods.is_answered(one.method)]
        self._t = t
        #: Whether others ended the agent.
        self.client_left = end is not None and is_ended_by_others(end)
        self.crash = crash
        self._lost = lost or LostLines()
        self._worked = worked
        # An agent that ends by itself takes its own requests with it.
        ended = end is not None and end.exit_code is not None and not self.client_left
        self._agent_left = crash is not None or ended
        #: The event at the end; None if it, or its time, is unknown.
        self.moment = None
        if end is not None and t is not None:
            self.moment = "the client left" if end.client_left else "the trace ended"
        self._oldest: dict[str, int] = {}  #: the first open request of the client, by session
        self._awaited: dict[str, Open] = {}  #: the last open request of the agent, by session
        self._loose: Open | None = None  #: the last open request of the agent that names no session
        for exchange in self.all:
            if exchange.session_id is None:
                self._loose = exchange if exchange.sender == "agent" else self._loose
                continue
            if exchange.sender == "client":
                self._oldest.setdefault(exchange.session_id, exchange.frame)
            else:
                self._awaited[exchange.session_id] = exchange

    def open_for(self, since: int) -> str:
        """Return how long something that began at `since` (ns) had been open at `moment`."""
        return duration(max((self._t or 0) - since, 0))

    def excuse(self, exchange: Open, since: int) -> Excuse:
        """Return why an answer is missing that was due since `since` (ns)."""
        cause = exchange.lost_to or self._lost.with_id(exchange.answerer, exchange.id, exchange.frame)
        if cause is not None:
            return Excuse("note", f"; see #{cause}", cause)
        worked = self._worked.get(exchange.frame)
        begin, enough = (since, ENOUGH_NS) if worked is None or worked < since else (worked, _PAUSE)
        had_time = self._t is not None and self._t - begin >= enough
        if exchange.answerer == "client":
            return self._excuse_client(exchange, had_time=had_time)
        if self.crash is not None:
            return Excuse("note", "", self.crash)
        awaited = self._awaited.get(exchange.session_id or "")
        if self._loose is not None and (awaited is None or self._loose.frame > awaited.frame):
            awaited = self._loose
        if awaited is not None and awaited.frame > min(
            exchange.frame, self._oldest.get(awaited.session_id or "", exchange.frame)
        ):  # an older request hung before, and this one was sent to an agent that no longer waited for it
            is_fault = self.excuse(awaited, awaited.t).severity is None
            if not is_fault and self._agent_left:
                return Excuse()
            text = f"; the agent was waiting for {awaited.method} #{awaited.frame}"
            return Excuse("note", text, awaited.frame if is_fault else None)
        return Excuse("note" if self.client_left and not had_time else None)

    def _excuse_client(self, exchange: Open, *, had_time: bool) -> Excuse:
        if exchange.method == methods.PERMISSION and exchange.session_id not in self._oldest:
            return Excuse("note", "; its turn was over")
        if self._agent_left and (exchange.method in _ENDLESS or not had_time):
            return Excuse("note", "; the agent ended by itself", self.crash)
        if self.client_left and not had_time:
            return Excuse("note", "; it came just before")
        if self.client_left and exchange.method == methods.TERMINAL_WAIT:
            return Excuse("note", "; its command may have been running")
        return Excuse()
