"""The config ledger: every state that a session's agent sent, compared with the one before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.reading.story import OPENERS, Exchange, Story
from tests.reading.wire import MISSING, Frame, fields, text

_NOT_DETAILS = {"id", "configId", "currentValue", "options", "choices"}


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that an option can take, with its group where it is in one."""

    group: str | None
    value: str
    name: str | None

    @property
    def flat(self) -> str:
        return self.value if self.group is None else f"{self.group}/{self.value}"


@dataclass(frozen=True, slots=True)
class Option:
    """One config option, as it was sent."""

    id: str
    raw: dict[str, Any]

    @property
    def value(self) -> Any:
        return self.raw.get("currentValue", MISSING)

    @property
    def choices(self) -> list[Choice]:
        return list(_choices(self.raw.get("options"), None)) if self.raw.get("type") == "select" else []

    @property
    def details(self) -> dict[str, Any]:
        return {key: item for key, item in self.raw.items() if key not in _NOT_DETAILS}


State = list[Option]


@dataclass(frozen=True, slots=True)
class Step:
    """A frame that carried a state, or answered an attempt to set one. `after` is None where it says nothing."""

    frame: Frame
    cause: str
    before: State | None
    after: State | None
    set: Exchange | None = None

    @property
    def honoured(self) -> bool | None:
        if self.set is None or (self.after is None and not self.frame.failed):
            return None
        asked = self.set.request.params
        held = find(self.after or [], asked.get("configId"))
        return (
            held is not None and "value" in asked and not self.frame.failed and held.value == asked["value"]
        )


def steps(story: Story, name: str) -> list[Step]:
    """All steps of a session's configuration, in order."""
    found: list[Step] = []
    for frame in story.frames:
        cause, set = _cause(story, name, frame)
        carried = read((frame.update or frame.result).get("configOptions"))
        if cause and (carried is not None or set):
            found.append(Step(frame, cause, known(found), carried, set))
    return found


def known(found: list[Step]) -> State | None:
    """The latest state that some steps carried."""
    states = [one.after for one in found if one.after is not None]
    return states[-1] if states else None


def _cause(story: Story, name: str, frame: Frame) -> tuple[str | None, Exchange | None]:
    if frame.session == name and frame.update_kind == "config_option_update":
        return "agent", None
    exchange = story.answered_by(frame)
    if exchange is None or exchange.sender != "client":
        return None, None
    if exchange.method in OPENERS and exchange.opens == name:
        return "setup", None
    if exchange.method == "session/set_config_option" and exchange.request.session == name:
        return "set", exchange
    return None, None


def timeline(story: Story, name: str) -> list[dict[str, Any]]:
    """The entries about config options."""
    return [
        {
            "frame": step.frame.number,
            "t_ns": step.frame.t,
            "cause": step.cause,
            "legacy": False,
            "requested": requested(step.set, "configId", "value"),
            "honoured": step.honoured,
            "error_code": step.frame.error_code,
            "changes": [] if step.after is None else list(changes(step.before or [], step.after)),
            "turn": story.turn_index(name, step.frame),
        }
        for step in steps(story, name)
    ]


def requested(set: Exchange | None, key: str, value: str) -> dict[str, Any] | None:
    """What a set request asked for."""
    if set is None:
        return None
    asked = set.request.params
    return {"config_id": text(asked.get(key)), "value": asked.get(value)}


def final(story: Story, name: str) -> dict[str, Any]:
    """The current values at the end."""
    return {one.id: one.raw.get("currentValue") for one in known(steps(story, name)) or []}


def read(sent: Any) -> State | None:
    """A configOptions list: without what cannot be read, the first of duplicates. None if it is no list."""
    if not isinstance(sent, list):
        return None
    state: State = []
    for item in map(fields, sent):
        id = text(item.get("id"))
        id = text(item.get("configId")) if id is None else id
        if id is not None and find(state, id) is None:
            state.append(Option(id, item))
    return state


def find(state: State, id: Any) -> Option | None:
    """The option of that id."""
    return next((one for one in state if one.id == id), None)


def _choices(sent: Any, group: str | None) -> Iterator[Choice]:
    for item in map(fields, sent if isinstance(sent, list) else []):
        value = text(item.get("value"))
        inner = text(item.get("group"))
        inner = text(item.get("groupId")) if inner is None else inner
        if value is not None:
            yield Choice(group, value, text(item.get("name")))
        elif group is None and inner is not None:
            yield from _choices(item.get("options"), inner)


def changes(before: State, after: State) -> Iterator[dict[str, Any]]:
    """What differs between two states."""
    for old in before:
        if find(after, old.id) is None:
            yield change(old.id, "removed", old.value, MISSING)
    for new in after:
        held = find(before, new.id)
        if held is None:
            yield change(new.id, "added", MISSING, new.value)
        else:
            yield from _within(held, new)
    old_order, new_order = [one.id for one in before], [one.id for one in after]
    if [id for id in old_order if id in new_order] != [id for id in new_order if id in old_order]:
        yield change(None, "order", old_order, new_order)


def _within(old: Option, new: Option) -> Iterator[dict[str, Any]]:
    if old.value != new.value:
        yield change(new.id, "value", old.value, new.value)
    old_flat, new_flat = ([choice.flat for choice in one.choices] for one in (old, new))
    if old_flat != new_flat:
        yield change(new.id, "choices", old_flat, new_flat)
    keys = [
        key
        for key in dict.fromkeys([*old.details, *new.details])
        if old.details.get(key, MISSING) != new.details.get(key, MISSING)
    ]
    before, after = ({key: one.details[key] for key in keys if key in one.details} for one in (old, new))
    old_names, new_names = ([choice.name for choice in one.choices] for one in (old, new))
    if old_flat == new_flat and old_names != new_names:
        before["choice_names"], after["choice_names"] = old_names, new_names
    if before or after:
        yield change(new.id, "details", before, after)


def change(option: str | None, what: str, before: Any, after: Any) -> dict[str, Any]:
    """One change; what was not there, or is not, is left out."""
    told = {"option": option, "change": what, "before": before, "after": after}
    return {key: item for key, item in told.items() if item is not MISSING}
