"""Cancellations: what each cancel was aimed at, how that ended, and what ended with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reading.sessions import answer
from tests.reading.story import CANCELLED, Exchange, Story, Turn
from tests.reading.wire import MISSING, Frame, as_id

#: Updates that belong to a turn: messages, thoughts, tool calls, plans.
TURN_UPDATES = {
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
    "user_message",
    "agent_message",
    "agent_thought",
    "tool_call_content_chunk",
    "plan_update",
    "plan_removed",
}
REQUEST_CANCELS = {"$/cancel_request", "$/cancelRequest"}


@dataclass(frozen=True, slots=True)
class Cancel:
    """A cancel and one request that it was aimed at; of an internal one, `frame` is what settled it."""

    kind: str
    frame: Frame
    target: Exchange | None


def all_cancels(story: Story) -> list[Cancel]:
    """Every cancellation of the trace, in order of the cancel, then of the target."""
    asked = [one for frame in story.frames for one in _asked(story, frame)]
    return sorted([*asked, *_internal(story, asked)], key=lambda one: one.frame.number)


def _asked(story: Story, frame: Frame) -> list[Cancel]:
    if frame.method == "session/cancel" and frame.sender == "client":
        turns = story.turns.get(frame.session or "", [])
        aims = [Cancel("session/cancel", frame, one.prompt) for one in turns if one.open_at(frame.number)]
        return aims or [Cancel("session/cancel", frame, None)]
    if frame.method in REQUEST_CANCELS:
        id = as_id(frame.params.get("requestId", frame.params.get("id", MISSING)))
        target = next(
            (
                one
                for one in story.exchanges
                if one.sender == frame.sender and one.request.id == id and one.open_at(frame.number)
            ),
            None,
        )
        return [Cancel("$/cancel_request", frame, target)]
    return []


def _internal(story: Story, asked: list[Cancel]) -> Iterator[Cancel]:
    """What ended cancelled, though no cancel was aimed at it and it hung on none that was."""
    for exchange in story.exchanges:
        turn = story.turn_of(exchange)
        end = turn.settled if turn else exchange.response
        cancelled = turn.cancelled if turn else end is not None and end.error_code == CANCELLED
        if end is None or not cancelled:
            continue
        aimed_at = any(one.target is exchange and one.frame.number < end.number for one in asked)
        if not aimed_at and not _dragged(story, exchange, end, asked):
            yield Cancel("internal", end, exchange)


def _dragged(story: Story, exchange: Exchange, end: Frame, asked: list[Cancel]) -> bool:
    """Whether a request of the agent ended with a prompt that had been cancelled: that is what a cascade is for."""
    return any(
        one.target
        and one.target.method == "session/prompt"
        and exchange.sender == "agent"
        and one.frame.number < end.number
        and exchange in cascade(story, one)
        for one in asked
    )


def settled(story: Story, cancel: Cancel) -> Frame | None:
    """The frame that settled the target: the end of its turn, else its response."""
    turn = turn_of(story, cancel)
    return turn.settled if turn else cancel.target.response if cancel.target else None


def turn_of(story: Story, cancel: Cancel) -> Turn | None:
    """The turn that the target began. In draft 2 it can be over while the request waits: then there is none."""
    turn = story.turn_of(cancel.target) if cancel.target else None
    over = turn and turn.settled and turn.settled.number < cancel.frame.number
    return None if over else turn


def outcome(story: Story, cancel: Cancel) -> str:
    """How the target ended."""
    if cancel.target is None:
        return "no_target"
    end = settled(story, cancel)
    if end is None:
        return "unanswered"
    says = end.update or end.result
    stopped = cancel.target.method == "session/prompt" and says.get("stopReason") == "cancelled"
    if stopped or end.error_code == CANCELLED:
        return "cancelled"
    return "error" if end.failed else "completed"


def ended(story: Story, exchange: Exchange) -> str:
    """How a request of a cascade ended."""
    if exchange.response is None:
        return "unanswered"
    turn = story.turn_of(exchange)
    stopped = turn and turn.stop_reason
    refused = exchange.method == "session/request_permission" and answer(exchange)
    if exchange.response.error_code == CANCELLED or "cancelled" in (stopped, refused):
        return "cancelled"
    return "error" if exchange.response.failed else "completed"


def cascade(story: Story, cancel: Cancel) -> list[Exchange]:
    """Requests of the session that were open at the cancel, or that the target's handler sent after it."""
    target, start = cancel.target, cancel.frame.number
    if target is None or target.session is None or cancel.kind == "internal":
        return []
    end = settled(story, cancel)
    last = end.number if end else len(story.frames) + 1
    return [
        one
        for one in story.exchanges
        if one is not target
        and one.session == target.session
        and (one.open_at(start) or (one.sender != target.sender and start < one.request.number < last))
    ]


def document(story: Story, cancel: Cancel) -> dict[str, Any]:
    """A cancellation as the report has it."""
    start, target = cancel.frame, cancel.target
    end = settled(story, cancel)
    updates = _updates_after(story, cancel, end)
    return {
        "kind": cancel.kind,
        "frame": start.number,
        "t_ns": start.t,
        "sender": start.sender,
        "target": None
        if target is None
        else {"frame": target.request.number, "method": target.method, "id": target.request.id},
        "outcome": outcome(story, cancel),
        "settled_frame": end.number if end else None,
        "settle_ns": end.t - start.t if end else None,
        "quiesce_ns": updates[-1].t - start.t if updates else None,
        "updates_after_cancel": len(updates),
        "late_updates": _late(story, cancel, end),
        "cascade": [
            {
                "frame": one.request.number,
                "sender": one.sender,
                "method": one.method,
                "outcome": ended(story, one),
                "settle_ns": one.response.t - start.t if one.response else None,
            }
            for one in cascade(story, cancel)
        ],
    }


def _updates_after(story: Story, cancel: Cancel, end: Frame | None) -> list[Frame]:
    turn = turn_of(story, cancel)
    last = end.number if end else len(story.frames) + 1
    updates = story.updates(turn.session) if turn else []
    return [one for one in updates if cancel.frame.number < one.number < last]


def _late(story: Story, cancel: Cancel, end: Frame | None) -> int:
    turn = turn_of(story, cancel)
    if turn is None or end is None:
        return 0
    prompts = [one.prompt.request.number for one in story.turns[turn.session]]
    last = min((one for one in prompts if one > end.number), default=len(story.frames) + 1)
    return sum(
        end.number < one.number < last
        for one in story.updates(turn.session)
        if one.update_kind in TURN_UPDATES and not story.replayed(turn.session, one.number)
    )


def session_of(story: Story, cancel: Cancel) -> str | None:
    """The session that a cancellation belongs to, if that is a session of the report."""
    target = cancel.target.session if cancel.target else None
    name = cancel.frame.session if cancel.kind == "session/cancel" else target
    return name if name in story.sessions else None
