"""Requests that are open when a trace ends: for how long, and whether the agent could have answered them.

An agent that waits for its client cannot answer, and one whose client left at once had no time to: there the
missing answer is a note. Pure: what follows from it is up to `wire` and `cancellation`.
"""

from __future__ import annotations

from collections.abc import Iterable

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.protocol import methods
from acp_trace.trace.durations import duration
from acp_trace.trace.entries import End

#: From when on an agent had time to answer before its client left, ns.
_ENOUGH = 1_000_000_000


class Unanswered:
    """The requests that are open at the end of a trace.

    `t`: when it ended (ns); None if it has no times. `end`: its footer. `is_log`: it was read from the log of
    another tool, which may have had answers that the tool did not write.
    """

    def __init__(
        self, exchanges: Iterable[Open], end: End | None, t: int | None, *, is_log: bool = False
    ) -> None:
        #: What to say of a request, after its name.
        self.verb = "has no answer in the log" if is_log else "was never answered"
        self.all = [one for one in exchanges if one.outcome == "open" and methods.is_answered(one.method)]
        self._t = t
        self._client_left = end is not None and end.client_left
        #: What happened then; None if nobody knows that, or when it was.
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
        """How long something had been open at `moment` that began at `since` (ns)."""
        return duration(max((self._t or 0) - since, 0))

    def excuse(self, exchange: Open, since: int) -> tuple[Severity | None, str]:
        """The severity of a missing answer that was due since `since` (ns), and what to add to its message.

        None, if it is as bad as its code says.
        """
        if exchange.answerer == "client":
            is_moot = exchange.method == methods.PERMISSION and exchange.session_id not in self._oldest
            return ("note", "; its turn was over") if is_moot else (None, "")
        awaited = self._awaited.get(exchange.session_id or "")
        if self._loose is not None and (awaited is None or self._loose.frame > awaited.frame):
            awaited = self._loose
        if awaited is not None and awaited.frame > min(
            exchange.frame, self._oldest.get(awaited.session_id or "", exchange.frame)
        ):  # an older one hung before, and this was sent to an agent that no longer waited for it
            return "note", f"; the agent was waiting for {awaited.method} #{awaited.frame}"
        had_time = self._t is not None and self._t - since >= _ENOUGH
        return ("note" if self._client_left and not had_time else None), ""
