"""Tokens and cost, as the rows of a table: of the whole trace, and of each session, turn and model. Pure.

The tokens of a turn are those of its calls of the model. In a trace without these, they are what the agent
said at the end of the turn: in `usage` (RFD end-turn-token-usage), or as gemini-cli does, in `_meta`. The
cost is always what the agent said: `usage_update` has that of the session so far (RFD session-usage), so a
turn's cost is the difference. No fact has these two, so they are read from their frames.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from acp_trace.analyze import facts
from acp_trace.analyze.frame import Frame
from acp_trace.protocol import payloads, updates
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import names_of
from acp_trace.report.statements import tokens
from acp_trace.report.statements.tokens import TokenSum
from acp_trace.trace.jsontext import as_integer, as_object

#: So many turns have a row: those that took most tokens, or cost most.
MOST = 100
_CURRENCY = 8
_RICHEST = 1e12  #: no agent costs as much: such an amount is a mistake
_MODEL = 60
_Cost = dict[str, float]  #: by currency


class Spent:
    """What a trace took, whose frames come in their order."""

    def __init__(self, trace_facts: facts.Facts) -> None:
        self._names = names_of(trace_facts)
        self._facts = trace_facts
        self._turns = sorted(trace_facts.turns, key=lambda turn: turn.frame)
        self._ends = {turn.settled_frame: turn.frame for turn in trace_facts.turns}
        self._begins = {turn.frame: turn for turn in self._turns}
        self._opened = {one.session_id for one in trace_facts.sessions if one.opened_by == "session/new"}
        self._last: dict[str, facts.Turn] = {}  #: the last turn of a session that has begun
        self._said: dict[int, TokenSum] = {}  #: by the first frame of a turn
        self._total: dict[str, dict[str, float]] = {}  #: cost of a session so far
        self._cost: dict[int, _Cost] = {}  #: by the first frame of a turn

    def add(self, frames: Collection[Frame]) -> None:
        """The next frames."""
        for frame in frames:
            if (turn := self._begins.get(frame.frame)) is not None:
                self._last[turn.session_id] = turn
            if frame.update == updates.USAGE:
                self._add_cost(frame)
            if (began := self._ends.get(frame.frame)) is not None and (said := _told(frame)) is not None:
                self._said[began] = said

    def _add_cost(self, frame: Frame) -> None:
        session = frame.session_id or ""
        cost = as_object(payloads.update_in(frame.data).members.get("cost"))
        amount, currency = _amount(cost.get("amount")), cost.get("currency")
        if amount is None or not isinstance(currency, str):
            return
        so_far = self._total.setdefault(session, {})
        is_known = currency in so_far or session in self._opened
        more = amount - so_far.get(currency, 0.0)
        so_far[currency] = amount
        turn = self._last.get(session)
        if turn is not None and is_known and more > 0:
            of_turn = self._cost.setdefault(turn.frame, {})
            of_turn[currency] = of_turn.get(currency, 0.0) + more

    def document(self) -> dict[str, Any]:
        """`sum`: a sentence, empty if nothing is known; `has_cached`, `has_cost`; `groups` with rows.

        A row: name, place on the page or None, and texts: tokens in, cached, out, and cost.
        """
        calls = self._facts.model_calls
        of_calls = group(calls, lambda call: (call.session_id, call.turn))
        of_turns = {
            turn.frame: tokens.of_calls(mine)
            if (mine := of_calls.get((turn.session_id, turn.turn)))
            else self._said.get(turn.frame, TokenSum())
            for turn in self._turns
        }
        whole = tokens.of_calls(calls) if calls else _sum(of_turns.values())
        cost = _together(self._total.values())
        return {
            "sum": self._sentence(whole, cost, of_turns),
            "has_cached": any(spent.cached for spent in (whole, *of_turns.values())),
            "has_cost": any(cost.values()),
            "groups": [
                {"heading": heading, "rows": rows}
                for heading, rows in (
                    ("Session", list(self._sessions(of_turns))),
                    ("Turn", list(self._rows(of_turns))),
                    ("Model", list(self._models())),
                )
                if rows
            ],
        }

    def _sentence(self, whole: TokenSum, cost: _Cost, of_turns: dict[int, TokenSum]) -> str:
        told = [part for part in (whole.said(), _money(cost)) if part]
        if not told:
            return ""
        sentence = f"{', '.join(told)}."
        by_weight = sorted(self._turns, key=lambda turn: self._weight(turn, of_turns), reverse=True)
        heaviest = [self._weight(turn, of_turns) for turn in by_weight[:2]]
        if len(heaviest) < 2 or heaviest[0] == heaviest[1]:
            return sentence
        most = by_weight[0]
        paid, took = _money(self._cost.get(most.frame, {})), of_turns[most.frame].said()
        parts = ", ".join(filter(None, (paid, took)))
        return f"{sentence} {self._name(most)} {'cost' if paid else 'took'} most: {parts}."

    def _weight(self, turn: facts.Turn, of_turns: dict[int, TokenSum]) -> tuple[float, int]:
        """What decides which turn took most: its cost, then its tokens; zeros if neither is known."""
        spent = of_turns[turn.frame]
        return round(sum(self._cost.get(turn.frame, {}).values()), 9), spent.read + spent.written

    def _name(self, turn: facts.Turn) -> str:
        return self._names.heading(turn.session_id, turn.turn)

    def _rows(self, of_turns: dict[int, TokenSum]) -> Iterator[list[Any]]:
        ordinals = turn_numbers(self._turns)
        known = [turn for turn in self._turns if any(self._weight(turn, of_turns))]
        most = sorted(known, key=lambda turn: self._weight(turn, of_turns))[-MOST:]
        for turn in sorted(most, key=lambda turn: turn.frame):
            place = ["transcript", {"turn": ordinals[turn.frame]}]
            yield [
                self._name(turn),
                place,
                *_texts(of_turns[turn.frame]),
                _money(self._cost.get(turn.frame, {})),
            ]

    def _sessions(self, of_turns: dict[int, TokenSum]) -> Iterator[list[Any]]:
        """One row a session, if there are several; calls that belong to no turn of it are in it too."""
        if len(self._facts.sessions) < 2:
            return
        calls = group(self._facts.model_calls, lambda call: call.session_id)
        for session in self._facts.sessions[:MOST]:
            mine = (turn.frame for turn in self._turns if turn.session_id == session.session_id)
            spent = (
                tokens.of_calls(calls.get(session.session_id, ()))
                if calls
                else _sum(map(of_turns.__getitem__, mine))
            )
            cost = self._total.get(session.session_id, {})
            if any(spent) or cost:
                name = self._names.of(session.session_id)
                yield [name, ["transcript", {"session": session.session_id}], *_texts(spent), _money(cost)]

    def _models(self) -> Iterator[list[Any]]:
        calls = group(self._facts.model_calls, lambda call: call.model or "?")
        for name, mine in calls.items():
            yield [
                safe(shorten(name, _MODEL)),
                ["model", {"call": mine[0].call}],
                *_texts(tokens.of_calls(mine)),
                "",
            ]


def _told(frame: Frame) -> TokenSum | None:
    """What the end of a turn says of its tokens; None if it says nothing."""
    members = payloads.update_in(frame.data).members if frame.update else payloads.part(frame.data, "result")
    end = payloads.ResultView(members)
    quota = as_object(as_object(end.meta.get("quota")).get("token_count"))
    read, written = end.usage.input, end.usage.output
    if read is None and written is None:
        read, written = as_integer(quota.get("input_tokens")), as_integer(quota.get("output_tokens"))
    if read is None and written is None:
        return None
    return TokenSum(*(max(count or 0, 0) for count in (read, end.usage.cached_read, written)))


def _amount(value: object) -> float | None:
    """A number that a cost can be; None if it is none."""
    is_one = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < _RICHEST
    return float(value) if is_one else None  # type: ignore[arg-type]


def _sum(every: Iterable[TokenSum]) -> TokenSum:
    total = TokenSum()
    for each in every:
        total = total.plus(each)
    return total


def _together(costs: Iterable[_Cost]) -> _Cost:
    total: _Cost = {}
    for cost in costs:
        for currency, amount in cost.items():
            total[currency] = total.get(currency, 0.0) + amount
    return total


def _texts(spent: TokenSum) -> Iterator[str]:
    for count in spent:
        yield units.number(count) if count else "–"


def _money(cost: _Cost) -> str:
    """`0.0042 USD`; empty if nothing was paid, or nobody said."""
    return ", ".join(
        f"{f'{amount:.2f}' if amount >= 1 else _small(amount)} {safe(shorten(currency, _CURRENCY))}"
        for currency, amount in cost.items()
        if amount
    )


def _small(amount: float) -> str:
    """Three digits that are not zero, never as a power of ten."""
    return f"{float(f'{amount:.3g}'):.12f}".rstrip("0").rstrip(".")
