"""Rules for the events of a session outside the work of its turns; `state` has the state.

The events are notices, compactions, questions to the user, plans, messages between turns, tokens and cost,
and silence while the agent was writing. A trace can hold a hundred thousand reports of usage, so a turn keeps
only the last one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.state import EventState, SessionState, SessionUpdate, TurnState
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import Message
from acp_trace.protocol.payloads import PlanEntryView, ResultView, first_text
from acp_trace.trace.counts import number
from acp_trace.trace.jsontext import as_integer, as_object, string_or_none

#: Longest text of an event, in characters.
_KEPT = 200
_RICHEST = 1e12  #: a higher cost is a mistake of the agent
_CURRENCY = 8  #: longest name of a currency, in characters
_CURRENCIES = 4  #: currencies that are counted in one session
_PARTS = ("tokens", "context", "cost")  #: the parts of a usage event's text, in this order
#: The names of tokens read, cached and written in `_meta.quota`.
_QUOTA = (("inputTokens", "input_tokens"), ("cachedInputTokens",), ("outputTokens", "output_tokens"))
_Tokens = tuple[int | None, int | None, int | None]


class _Cost(NamedTuple):
    """What a session has cost so far."""

    amount: float
    currency: str


def notice(session_update: SessionUpdate) -> None:
    """Add the event of a `notice` (RFD session-notices)."""
    members = session_update.update.members
    parts = filter(None, (string_or_none(members.get(key)) for key in ("title", "description")))
    _add(session_update, "notice", ": ".join(parts), string_or_none(members.get("severity")))


def compaction(session_update: SessionUpdate) -> None:
    """Add the event of a `compaction_update` (RFD session-compaction), or update the open event of its id."""
    members = session_update.update.members
    id_, status = string_or_none(members.get("compactionId")) or "", string_or_none(members.get("status"))
    text = string_or_none(members.get("error")) or first_text(members.get("summary")) or ""
    event = session_update.session.compactions.get(id_)
    if event is None:
        event = session_update.session.compactions[id_] = _add(session_update, "compaction", text, status)
    event.status, event.text = status, _cut(text) or event.text
    if status in updates.TOOL_CALL_ENDS and event.took_ns is None:
        event.took_ns = session_update.t - event.t
        del session_update.session.compactions[id_]


def plan(session_update: SessionUpdate) -> None:
    """Add the event of a plan, of protocol 1 or draft 2: entries done, and the one in progress."""
    update = session_update.update
    entries = update.plan.entries if update.plan.members else update.entries
    if update.session_update == "plan_removed":
        text = "removed"
    elif entries is None:
        text = string_or_none(update.plan.members.get("content")) or "not a list"
    else:
        every = [PlanEntryView(entry) for entry in entries]
        done = sum(entry.status == "completed" for entry in every)
        now = next((entry.content for entry in every if entry.status == "in_progress"), None)
        text = f"{done} of {len(every)} done" + (f", now: {now}" if now else "")
    _add(session_update, "plan", text)


def message(session_update: SessionUpdate) -> None:
    """Add an event for the first chunk of an agent's message between two turns; ignore the others."""
    session = session_update.session
    if session.turn is not None or session.replays(session_update.kind) or session.spoke_between_turns:
        return
    session.spoke_between_turns = True
    _add(session_update, "message", first_text(session_update.update.members.get("content")) or "")


def usage(session_update: SessionUpdate) -> None:
    """Keep the context in use and the cost so far of a `usage_update` (RFD session-usage)."""
    members = session_update.update.members
    used, size = as_integer(members.get("used")), as_integer(members.get("size"))
    of = "" if size is None else f" of {number(size)}"
    context = None if used is None else f"context {number(used)}{of}"
    session, said = session_update.session, None
    if (cost := _cost(as_object(members.get("cost")))) is not None:
        said = f"{cost.amount:.4g} {cost.currency} so far" if cost.amount else None
        _spend(session_update, cost)
    _update_usage(
        session, session.turn_now, session_update.frame, session_update.t, context=context, cost=said
    )


def ended(session: SessionState, turn: TurnState, frame: int, t: int, end: ResultView) -> None:
    """Keep the tokens that the response of a turn counts."""
    read, _, written = turn.tokens = _turn_tokens(end)
    if read or written:
        tokens = f"{number(read or 0)} tokens in, {number(written or 0)} out"
        _update_usage(session, turn.index, frame, t, tokens=tokens)


def asked(session: SessionState, frame: int, message: Message, exchange: Open) -> EventState:
    """Add the event of an `elicitation/create` and return it; `answered` completes it."""
    text = string_or_none(message.part("params").get("message")) or ""
    event = EventState("elicitation", frame, exchange.t, session.turn, _cut(text), "open")
    session.events.append(event)
    return event


def answered(event: EventState, message: Message, exchange: Open) -> None:
    """Complete the event of an elicitation with its answer: accept, decline, cancel, or error."""
    action = string_or_none(message.part("result").get("action"))
    event.status = "error" if message.is_error else action or "unknown"
    event.took_ns = exchange.latency_ns


def silent(session: SessionState, frame: int, since: int, until: int) -> None:
    """Add a silence of the agent while it was writing: from `since` to `until` (ns), after `frame`."""
    session.events.append(EventState("silence", frame, since, session.turn, "", "agent", until - since))


def _add(session_update: SessionUpdate, kind: str, text: str, status: str | None = None) -> EventState:
    event = EventState(
        kind, session_update.frame, session_update.t, session_update.session.turn_now, _cut(text), status
    )
    if not session_update.session.replays(session_update.kind):  # history happened earlier
        session_update.session.events.append(event)
    return event


def _update_usage(session: SessionState, turn: int | None, frame: int, t: int, **parts: str | None) -> None:
    """Update the one usage event of a turn with these parts."""
    if session.history.loading:
        return
    event = session.usages.get(turn)
    if event is None:
        event = session.usages[turn] = EventState("usage", frame, t, turn)
        session.events.append(event)
    event.frame, event.t = frame, t
    event.parts = (event.parts or {}) | {name: text for name, text in parts.items() if text}
    event.text = _cut(" · ".join(event.parts[name] for name in _PARTS if name in event.parts))


def _spend(session_update: SessionUpdate, cost: _Cost) -> None:
    """Add what the session has cost since the previous update to the latest turn.

    A copy begins at the cost of its original, unless it counts from 0 again. A session that is opened again
    begins at its earlier cost, which is known if an update in this trace gave it.
    """
    session, (amount, currency) = session_update.session, cost
    if currency not in session.cost and len(session.cost) >= _CURRENCIES:
        return
    before = session.cost.get(currency, 0.0 if session.opened_by == methods.NEW else None)
    session.cost[currency] = float(amount)
    if before is None or not session.turns or session.replays(session_update.kind):
        return
    if amount < before and session.forked_from is not None:
        before = 0.0
    if amount > before:
        spent = session.turns[-1].cost
        spent[currency] = spent.get(currency, 0.0) + amount - before


def _turn_tokens(end: ResultView) -> _Tokens:
    """The tokens of a turn: read, cached, written.

    `usage` may leave out the calls of subagents and of other models, which the cost includes. gemini-cli,
    codex-acp and claude-agent-acp also count all calls by model, in `_meta.quota.model_usage`. That sum is
    taken unless it is less.
    """
    said = _count(end.usage.input), _count(end.usage.cached_read), _count(end.usage.output)
    quota = as_object(end.meta.get("quota"))
    models = quota.get("model_usage")
    if isinstance(models, list) and models:
        counts = [_quota_tokens(as_object(each)) for each in models]
        read, cached, written = (_sum(column) for column in zip(*counts, strict=True))
        if (read or 0) >= (said[0] or 0) and (written or 0) >= (said[2] or 0):
            return read, said[1] if cached is None else cached, written
    return _quota_tokens(quota) if said[0] is None and said[2] is None else said


def _quota_tokens(quota: dict[str, Any]) -> _Tokens:
    count = as_object(quota.get("token_count"))
    read, cached, written = (
        next((_count(as_integer(count[name])) for name in names if name in count), None) for names in _QUOTA
    )
    return read, cached, written


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _count(tokens: int | None) -> int | None:
    """Return a number of tokens; 0 instead of a negative number."""
    return None if tokens is None else max(tokens, 0)


def _cost(said: dict[str, Any]) -> _Cost | None:
    """Return a cost as the agent gives it, or None if it cannot be a cost."""
    amount, currency = said.get("amount"), said.get("currency")
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not isinstance(currency, str):
        return None
    return _Cost(amount, currency[:_CURRENCY]) if 0 <= amount < _RICHEST else None


def _cut(text: str) -> str:
    return text if len(text) <= _KEPT else f"{text[: _KEPT - 1]}…"
