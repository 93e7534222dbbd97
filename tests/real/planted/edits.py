"""The words in which a planted fault is told: where it is, and what is done there. Pure.

A `Change` alters one value in place. `first`, `every` and `of_a_call` apply it to a run, and what it leaves as
it was is not hit: such a fault says nothing about that agent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from tests.real.planted.tape import Json, Tape, update_of

Change = Callable[[Json], None]
Where = Callable[[Tape], Iterable[Json]]
Edit = Callable[[Tape], None]


class Fault(NamedTuple):
    """One fault. `codes`: by which a verdict may tell it first, the best name before others.

    `left_out`: why docs/diff.md does not compare it; such a fault is no miss.
    """

    name: str
    codes: str
    edit: Edit
    left_out: str = ""


# -- what is done


def put(path: str, new: Any) -> Change:
    """Another value at a place that there is: keys, with a dot between; `*` is each of a list.

    `new`: a value, or a function of the old one.
    """
    return _at(
        path.split("."),
        lambda holder, key: holder.__setitem__(key, new(holder[key]) if callable(new) else new),
    )


def gone(path: str) -> Change:
    """Nothing at a place."""
    return _at(path.split("."), lambda holder, key: holder.__delitem__(key))


def _at(keys: list[str], act: Callable[[Any, Any], None]) -> Change:
    def change(value: Any) -> None:
        _walk(value, keys, act)

    return change


def _walk(value: Any, keys: list[str], act: Callable[[Any, Any], None]) -> None:
    key, *rest = keys
    if key == "*":
        for each in value if isinstance(value, list) else ():
            _walk(each, rest, act)
        return
    place: Any = int(key) if isinstance(value, list) and key.lstrip("-").isdigit() else key
    try:
        inner = value[place]
    except (KeyError, IndexError, TypeError):
        return
    if rest:
        _walk(inner, rest, act)
    elif inner not in (None, "", [], {}):
        act(value, place)


# -- where


def updates(*kinds: str) -> Where:
    """Of these updates what they tell."""
    return lambda tape: map(update_of, tape.updates(*kinds))


def params(*methods: str) -> Where:
    """The parameters of the agent's requests."""
    return lambda tape: [line["frame"]["params"] for line in tape.asked(*methods)]


def results(*methods: str) -> Where:
    """The results of the client's requests."""
    return lambda tape: [
        line["frame"]["result"] for line in tape.answers(*methods) if line["frame"].get("result")
    ]


def errors(*methods: str) -> Where:
    """The errors of the client's requests."""
    return lambda tape: [
        line["frame"]["error"] for line in tape.answers(*methods) if line["frame"].get("error")
    ]


def frames(lines: Callable[[Tape], Iterable[Json]]) -> Where:
    """The whole messages of lines."""
    return lambda tape: [line["frame"] for line in lines(tape)]


# -- how often


def first(where: Where, change: Change) -> Edit:
    """The first value that is another one afterwards."""

    def edit(tape: Tape) -> None:
        for value in where(tape):
            if _alters(change, value):
                return

    return edit


def every(where: Where, change: Change) -> Edit:
    """All values."""

    def edit(tape: Tape) -> None:
        for value in where(tape):
            change(value)

    return edit


def of_a_call(change: Change) -> Edit:
    """All that is told of one tool call: of the first of which something is another afterwards."""

    def edit(tape: Tape) -> None:
        calls: dict[Any, list[Json]] = {}
        for update in updates("tool_call", "tool_call_update")(tape):
            calls.setdefault(update.get("toolCallId"), []).append(update)
        for told in calls.values():
            if sum(_alters(change, update) for update in told):
                return

    return edit


def _alters(change: Change, value: Json) -> bool:
    before = msgspec.json.encode(value)
    change(value)
    return msgspec.json.encode(value) != before


# -- lines


def drop(lines: Callable[[Tape], list[Json]], which: slice = slice(0, 1)) -> Edit:
    """Some lines are not sent."""
    return lambda tape: tape.drop(lines(tape)[which])


def again(lines: Callable[[Tape], list[Json]], at: int = 0) -> Edit:
    """A line is sent a second time; a request as a new one."""

    def edit(tape: Tape) -> None:
        found = lines(tape)
        if len(found) > at:
            frame = dict(found[at]["frame"])
            if "method" in frame and "id" in frame:
                frame["id"] = "planted"
            tape.put(found[at], frame)

    return edit
