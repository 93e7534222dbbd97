"""Sessions with their turns, tool calls, permissions, counted updates and usage, as the report has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.reading.story import Exchange, Story, Turn
from tests.reading.wire import Frame, fields, text

_OUTPUT = {"agent_message_chunk", "agent_thought_chunk", "tool_call"}
_ENDED = {"completed", "failed", "cancelled"}
_CALLS = {"tool_call", "tool_call_update"}


@dataclass(slots=True)
class _Call:
    """A tool call: the updates that name it, and the turn of the first."""

    id: str
    turn: int | None
    updates: list[Frame]


def session(story: Story, name: str) -> dict[str, Any]:
    """A session, without its ledgers and cancellations."""
    first = _first_mention(story, name)
    opener = min(
        (one for one in story.exchanges if one.opens == name),
        key=lambda one: one.response.number if one.response else 0,
        default=None,
    )
    calls = _tool_calls(story, name)
    kinds = [one.update_kind for one in story.updates(name)]
    return {
        "session_id": name,
        "opened_by": opener.method if opener else "unknown",
        "cwd": text(opener.request.params.get("cwd")) if opener else None,
        "t_ns": first.t,
        "turns": [_turn(story, name, turn, calls) for turn in story.turns[name]],
        "outside_turns": _happened(story, name, None, calls),
        "updates": {kind: kinds.count(kind) for kind in kinds},
        "replayed": sum(story.replayed(name, one.number) for one in story.updates(name)),
        "usage": _usage(story, name),
    }


def _first_mention(story: Story, name: str) -> Frame:
    for frame in story.frames:
        if frame.method.startswith("session/") and frame.session == name:
            return frame
        if (exchange := story.answered_by(frame)) and exchange.opens == name:
            return frame
    raise AssertionError(name)


def _turn(story: Story, name: str, turn: Turn, calls: list[_Call]) -> dict[str, Any]:
    start = turn.prompt.request.t
    mine = [
        one for one in story.updates(name) if turn.covers(one.number) and not story.replayed(name, one.number)
    ]
    output = [one for one in mine if one.update_kind in _OUTPUT]
    return {
        "frame": turn.prompt.request.number,
        "settled_frame": turn.settled.number if turn.settled else None,
        "t_ns": start,
        "duration_ns": turn.settled.t - start if turn.settled else None,
        "stop_reason": turn.stop_reason,
        "error_code": turn.error_code,
        "first_update_ns": mine[0].t - start if mine else None,
        "first_output_ns": output[0].t - start if output else None,
        **_happened(story, name, turn.index, calls),
    }


def _happened(story: Story, name: str, turn: int | None, calls: list[_Call]) -> dict[str, Any]:
    asked = [one for one in permissions(story, name) if story.turn_index(name, one.request) == turn]
    return {
        "tool_calls": [_call(story, name, one) for one in calls if one.turn == turn],
        "permissions": [_permission(one) for one in asked],
    }


def _tool_calls(story: Story, name: str) -> list[_Call]:
    """An update means the call that was named last; a `tool_call` means the one of its own turn, which may be new."""
    calls: list[_Call] = []
    for frame in story.updates(name):
        id = text(frame.update.get("toolCallId"))
        if frame.update_kind not in _CALLS or id is None:
            continue
        turn = story.turn_index(name, frame)
        known = [
            one for one in calls if one.id == id and (one.turn == turn or frame.update_kind != "tool_call")
        ]
        if known:
            max(known, key=lambda one: one.updates[-1].number).updates.append(frame)
        else:
            calls.append(_Call(id, turn, [frame]))
    return calls


def _call(story: Story, name: str, call: _Call) -> dict[str, Any]:
    start = call.updates[0].t
    ends = [one.t for one in call.updates if text(one.update.get("status")) in _ENDED]
    duration = ends[0] - start if ends else None
    if story.replayed(name, call.updates[0].number):
        duration = None
    if call.turn is not None and text(call.updates[0].update.get("status")) in _ENDED:
        duration = _unannounced(story, name, call)
    return {
        "id": call.id,
        **{key: _latest(call.updates, key) for key in ("title", "kind", "status")},
        "t_ns": start,
        "duration_ns": duration,
    }


def _unannounced(story: Story, name: str, call: _Call) -> int | None:
    """How long a call took that was over when it was first named: only an answer to its permission says so."""
    first = call.updates[0]
    about = [
        one
        for one in permissions(story, name)
        if one.request.number < first.number
        and text(fields(one.request.params.get("toolCall")).get("toolCallId")) == call.id
    ]
    if not about:
        return None
    asked = max(about, key=lambda one: one.request.number)
    answered = asked.response
    if (
        answered is None
        or answered.number > first.number
        or story.turn_index(name, asked.request) != call.turn
    ):
        return None
    chosen = text(fields(answered.result.get("outcome")).get("optionId"))
    offered = asked.request.params.get("options")
    kinds = {
        text(fields(one).get("optionId")): text(fields(one).get("kind")) or ""
        for one in (offered if isinstance(offered, list) else [])
    }
    is_allowed = answer(asked) == "selected" and not kinds.get(chosen, "").startswith("reject")
    return first.t - answered.t if is_allowed else 0


def _latest(updates: list[Frame], key: str) -> str | None:
    said = [one.update[key] for one in updates if isinstance(one.update.get(key), str)]
    return said[-1] if said else None


def permissions(story: Story, name: str) -> list[Exchange]:
    """The session/request_permission of a session."""
    return [
        one
        for one in story.exchanges
        if one.method == "session/request_permission"
        and one.sender == "agent"
        and one.request.session == name
    ]


def answer(permission: Exchange) -> str:
    """How a permission was answered."""
    if permission.response is None:
        return "open"
    if permission.response.failed:
        return "error"
    return text(fields(permission.response.result.get("outcome")).get("outcome")) or "unknown"


def _permission(permission: Exchange) -> dict[str, Any]:
    response = permission.response
    outcome = fields(response.result.get("outcome")) if response else {}
    return {
        "frame": permission.request.number,
        "outcome": answer(permission),
        "option_id": text(outcome.get("optionId")),
        "wait_ns": response.t - permission.request.t if response else None,
    }


def _usage(story: Story, name: str) -> dict[str, Any] | None:
    said = [one.update for one in story.updates(name) if one.update_kind == "usage_update"]
    usage: dict[str, Any] = {}
    for update in said:
        usage |= {key: item for key, item in update.items() if key in {"used", "size", "cost"}}
    return usage if said else None
