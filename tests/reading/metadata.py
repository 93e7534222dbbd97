"""The metadata timeline: each session_info_update folded over all that came before it."""

from __future__ import annotations

from typing import Any

from tests.reading.story import Story
from tests.reading.wire import MISSING, Frame

State = dict[str, Any]


def timeline(story: Story, name: str, rule: str | None) -> dict[str, Any]:
    """The metadata part of a session."""
    entries = []
    state: State = {}
    for frame in info_updates(story, name):
        after = fold(state, frame, rule or default_rule(story, frame))
        entries.append(
            {
                "frame": frame.number,
                "t_ns": frame.t,
                "changes": _changes(_leaves(state), _leaves(after)),
                "replayed": story.replayed(name, frame.number),
                "turn": story.turn_index(name, frame),
            }
        )
        state = after
    return {"timeline": entries, "final": {key: item for key, item in state.items() if item != {}}}


def info_updates(story: Story, name: str) -> list[Frame]:
    """The session_info_update notifications of a session."""
    return [one for one in story.updates(name) if one.update_kind == "session_info_update"]


def default_rule(story: Story, frame: Frame) -> str:
    """The rule of the protocol version that was negotiated when the update came."""
    return "shallow" if story.version(frame.number) == 2 else "rfd"


def fold(state: State, frame: Frame, rule: str) -> State:
    """The state after an update. It has only the keys that there are; `_meta` may be an empty object."""
    after = dict(state)
    for key in ("title", "updatedAt"):
        said = frame.update.get(key, MISSING)
        if isinstance(said, str):
            after[key] = said
        elif said is None:
            after.pop(key, None)
    said = frame.update.get("_meta", MISSING)
    if said is None:
        after.pop("_meta", None)
    elif isinstance(said, dict):
        after["_meta"] = _merge(after.get("_meta", {}), said, rule)
    return after


def _merge(old: dict[str, Any], said: dict[str, Any], rule: str) -> dict[str, Any]:
    if rule == "replace":
        return said
    if rule == "rfd":
        merged: dict[str, Any] = _merge_patch(old, said)
        return merged
    kept = {key: item for key, item in old.items() if key not in said}
    return {**kept, **{key: item for key, item in said.items() if item is not None}}


def _merge_patch(target: Any, patch: Any) -> Any:
    """RFC 7396, section 2, as it stands there."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = _merge_patch(target.get(name), value)
    return target


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    """JSON Pointer → leaf. An empty object is a leaf too, but not the state itself, nor `_meta`."""
    if not isinstance(value, dict) or (not value and path.count("/") > 1):
        return {path: value}
    found: dict[str, Any] = {}
    for key, item in value.items():
        found |= _leaves(item, f"{path}/{key.replace('~', '~0').replace('/', '~1')}")
    return found


def _changes(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "path": path,
            **({"before": before[path]} if path in before else {}),
            **({"after": after[path]} if path in after else {}),
        }
        for path in dict.fromkeys([*before, *after])
        if before.get(path, MISSING) != after.get(path, MISSING)
    ]
