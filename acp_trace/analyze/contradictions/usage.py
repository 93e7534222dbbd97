"""Tokens and cost that contradict each other or earlier reports (RFD session-usage).

`findings.model_calls` compares them with the recorded model calls.
"""

from __future__ import annotations

from acp_trace.analyze.contradictions.rules import Answered, RuleContext, Rules, Updated
from acp_trace.analyze.findings.codes import Severity
from acp_trace.protocol import methods, updates
from acp_trace.protocol.payloads import UsageView
from acp_trace.trace.counts import number
from acp_trace.trace.jsontext import as_integer, as_object, short

_Cost = tuple[str, float]  #: currency, amount


class UsageRules(Rules):
    """The usage of a turn, and the context and the cost of a session."""

    def __init__(self, known: RuleContext) -> None:
        super().__init__(known)
        self._costs: dict[str, _Cost] = {}  #: the last cost of each session, which covers the whole session
        #: Sessions, and the finding that was already added for each.
        self._reported: set[tuple[str, str]] = set()
        self.requests = dict.fromkeys(methods.OPENERS, lambda asked: self._forget(asked.session_id))
        self.answers = {methods.PROMPT: self._answered}
        self.updates = {updates.USAGE: self._updated, updates.STATE: self._settled}

    def _forget(self, session_id: str | None) -> None:
        self._costs.pop(session_id or "", None)

    def _answered(self, answer: Answered) -> None:
        self._sums(answer.frame, answer.session_id or "", UsageView(answer.result.get("usage")), "/result")

    def _settled(self, updated: Updated) -> None:
        usage = UsageView(updated.update.members.get("usage"))
        self._sums(updated.frame, updated.session.id, usage, "/params/update")

    def _sums(self, frame: int, session_id: str, usage: UsageView, where: str) -> None:
        """Check that the total is at least input and output, and at most the sum of all counts."""
        if usage.total is None or usage.input is None or usage.output is None:
            return
        others = [each or 0 for each in (usage.thought, usage.cached_read, usage.cached_write)]
        if min(usage.input, usage.output, *others) < 0:
            return  # a separate fault
        least = usage.input + usage.output
        most = least + sum(others)
        if not least <= usage.total <= most:
            expected = number(least) if least == most else f"{number(least)} to {number(most)}"
            text = f"{number(usage.total)} tokens in total, but the parts add up to {expected}"
            self._say("total", frame, session_id, text, f"{where}/usage/totalTokens", expected)

    def _updated(self, updated: Updated) -> None:
        members, session_id = updated.update.members, updated.session.id
        used, size = as_integer(members.get("used")), as_integer(members.get("size"))
        if used is not None and size is not None and used > size > 0:
            text = f"{number(used)} tokens are in a context of {number(size)}"
            # The size may belong to a different model than the tokens do.
            most = f"at most {number(size)}"
            self._say("context", updated.frame, session_id, text, "/params/update/used", most, "note")
        cost = as_object(members.get("cost"))
        currency, amount = cost.get("currency"), cost.get("amount")
        if (
            not isinstance(currency, str)
            or not isinstance(amount, int | float)
            or updated.session.history.loading
        ):
            return
        before = self._costs.get(session_id)
        if before is not None and before[0] == currency and amount < before[1]:
            text = f"the cost of the session is {amount} {short(currency)}, but was {before[1]} before"
            path = "/params/update/cost/amount"
            self._say("cost", updated.frame, session_id, text, path, f"at least {before[1]}")
        self._costs[session_id] = currency, amount

    def _say(
        self,
        about: str,
        frame: int,
        session_id: str,
        text: str,
        path: str,
        expected: str,
        severity: Severity | None = None,
    ) -> None:
        if (session_id, about) not in self._reported:
            self._reported.add((session_id, about))
            self.say("usage-disagrees", "agent", frame, session_id, text,
                     path=path, expected=expected, severity=severity)  # fmt: skip
