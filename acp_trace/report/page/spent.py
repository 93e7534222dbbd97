"""Tokens and cost, as the rows of a table: of each session, turn and model of a trace. Pure.

The sums, and the sentence above the table, are those of `statements.spent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from acp_trace.analyze import facts
from acp_trace.report import units
from acp_trace.report.grouping import group
from acp_trace.report.page.columns import turn_numbers
from acp_trace.report.page.documents import Place, SpentDocument, SpentRow
from acp_trace.report.safe import safe, shorten
from acp_trace.report.session_names import SessionNames, names_of
from acp_trace.report.statements import tokens
from acp_trace.report.statements.spent import Spent, money, of_sessions, sentence, spent
from acp_trace.report.statements.tokens import TokenSum

#: The most turns that have a row: those that took most tokens, or cost most.
MOST = 100
_MODEL = 60


def document(trace_facts: facts.Facts) -> SpentDocument:
    """The sum, and a row for each session, turn and model."""
    made, names = spent(trace_facts), names_of(trace_facts)
    groups = (
        ("Session", list(_sessions(trace_facts, made, names))),
        ("Turn", list(_turns(trace_facts, made, names))),
        ("Model", list(_models(trace_facts))),
    )
    return {
        "sum": sentence(made, names),
        "has_cached": any(each.cached for each in (made.whole, *made.turns.values())),
        "has_cost": any(made.cost.values()),
        "groups": [{"heading": heading, "rows": rows} for heading, rows in groups if rows],
    }


def _turns(trace_facts: facts.Facts, made: Spent, names: SessionNames) -> Iterator[SpentRow]:
    ordinals = turn_numbers(trace_facts.turns)
    known = [turn for turn in trace_facts.turns if any(made.weight(turn))]
    most = sorted(known, key=made.weight)[-MOST:]
    for turn in sorted(most, key=lambda turn: turn.frame):
        name, cost = names.heading(turn.session_id, turn.turn), money(made.costs[turn.frame])
        yield _row(name, ("transcript", {"turn": ordinals[turn.frame]}), made.turns[turn.frame], cost)


def _sessions(trace_facts: facts.Facts, made: Spent, names: SessionNames) -> Iterator[SpentRow]:
    """One row a session, if there are several."""
    if len(trace_facts.sessions) < 2:
        return
    for session_id, took, cost in islice(of_sessions(trace_facts, made), MOST):
        if any(took) or cost:
            yield _row(names.of(session_id), ("transcript", {"session": session_id}), took, money(cost))


def _models(trace_facts: facts.Facts) -> Iterator[SpentRow]:
    calls = group(trace_facts.model_calls, lambda call: call.model or "?")
    for name, mine in calls.items():
        place = ("model", {"call": mine[0].call})
        yield _row(safe(shorten(name, _MODEL)), place, tokens.of_calls(mine), "")


def _row(name: str, place: Place, took: TokenSum, cost: str) -> SpentRow:
    read, cached, written = (units.number(count) if count else "–" for count in took)
    return SpentRow(name, place, read, cached, written, cost)
