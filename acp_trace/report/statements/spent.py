"""Tokens and cost: of the whole trace, and of its sessions and turns. Pure.

The tokens of a turn are those of its calls of the model, if these were recorded; else what the agent said at
its end. The cost is always what the agent said: `analyze` gives each turn its part of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from acp_trace.analyze import facts
from acp_trace.report.grouping import group
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import SessionNames
from acp_trace.report.statements import tokens
from acp_trace.report.statements.tokens import TokenSum

_CURRENCY = 8
Cost = dict[str, float]  #: amounts by currency


class Spent(NamedTuple):
    """What a trace took. `turns`, `costs`: by the frame of a turn's prompt."""

    whole: TokenSum
    cost: Cost
    turns: dict[int, TokenSum]
    costs: dict[int, Cost]
    most: facts.Turn | None  #: the turn that cost most, or used most tokens, if one did
    tied: tuple[facts.Turn, ...] = ()  #: the turns that did, if several did, and others did not

    def weight(self, turn: facts.Turn) -> tuple[float, int]:
        """Return what decides which turn used most: its cost, then its tokens; zeros if neither is known."""
        took = self.turns[turn.frame]
        return round(sum(self.costs[turn.frame].values()), 9), took.read + took.written


def spent(trace_facts: facts.Facts) -> Spent:
    """Return the sums of a trace, or of a part of one."""
    calls = trace_facts.model_calls
    of_calls = group(calls, lambda call: (call.session_id, call.turn))
    turns = {
        turn.frame: tokens.of_turn(turn, of_calls.get((turn.session_id, turn.turn), ()))
        for turn in trace_facts.turns
    }
    costs: dict[int, Cost] = {
        turn.frame: json.loads(turn.cost) if turn.cost else {} for turn in trace_facts.turns
    }
    whole = tokens.of_calls(calls) if calls else tokens.together(turns.values())
    made = Spent(whole, _together(costs.values()), turns, costs, None)
    most = max(map(made.weight, trace_facts.turns), default=(0.0, 0))
    heaviest = tuple(turn for turn in trace_facts.turns if made.weight(turn) == most)
    if len(heaviest) == len(trace_facts.turns):
        return made
    return made._replace(most=heaviest[0]) if len(heaviest) == 1 else made._replace(tied=heaviest)


def of_sessions(trace_facts: facts.Facts, made: Spent) -> Iterator[tuple[str, TokenSum, Cost]]:
    """Yield id, tokens and cost of each session; its calls that belong to no turn are in it too."""
    turns = group(trace_facts.turns, lambda turn: turn.session_id)
    calls = group(trace_facts.model_calls, lambda call: call.session_id)
    for session in trace_facts.sessions:
        mine = [turn.frame for turn in turns.get(session.session_id, ())]
        of_turns = tokens.together(made.turns[frame] for frame in mine)
        took = tokens.of_calls(calls.get(session.session_id, ())) if calls else of_turns
        yield session.session_id, took, _together(made.costs[frame] for frame in mine)


def sentence(made: Spent, names: SessionNames) -> str:
    """`800 tokens in, 160 out, 2.50 USD. Turn 1 cost most: …`; empty if nothing is known.

    `Turn 1 and turn 3 cost most: … each`, if they cost the same.
    """
    amounts = [part for part in (made.whole.said(), money(made.cost)) if part]
    if not amounts:
        return ""
    whole = f"{', '.join(amounts)}."
    heaviest = made.tied or ((made.most,) if made.most else ())
    if not heaviest:
        return whole
    first = heaviest[0]
    paid, took = money(made.costs[first.frame]), made.turns[first.frame].said()
    name = names.headings(heaviest)
    each = " each" if made.tied else ""
    return f"{whole} {name} {'cost' if paid else 'used'} most: {', '.join(filter(None, (paid, took)))}{each}."


def money(cost: Cost) -> str:
    """`0.0042 USD`; empty if nothing was paid, or no cost was reported."""
    return ", ".join(
        f"{f'{amount:.2f}' if amount >= 1 else _small(amount)} {safe(shorten(currency, _CURRENCY))}"
        for currency, amount in cost.items()
        if amount
    )


def _small(amount: float) -> str:
    """Three digits that are not zero, never as a power of ten."""
    return f"{float(f'{amount:.3g}'):.12f}".rstrip("0").rstrip(".")


def _together(costs: Iterable[Cost]) -> Cost:
    total: Cost = {}
    for cost in costs:
        for currency, amount in cost.items():
            total[currency] = round(total.get(currency, 0.0) + amount, 9)
    return total
