"""Masks: `/params/update/title:string` hides that value. The grammar, what is hidden, and how often.

    mask    := pointer [":" TYPE]
    pointer := "/" KEY …           from the top of a frame: params, result or error
    KEY     := a key or the index of an array, ~1 for "/" and ~0 for "~"; * for any
    TYPE    := string | number | time | uuid

A mask only hides a value: never an added or removed key, never a change of type, and with a type no value of
another type. So it cannot grow into hiding everything. A mask that hid nothing is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import NOTHING, Path, type_of
from acp_trace.trace import json_pointer, near_misses
from acp_trace.trace.carets import CaretError

Side = Literal["expected", "actual"]

_ROOTS = ("params", "result", "error")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d", re.ASCII)
_ESCAPE = re.compile(r"~(?![01])")


#: Places for which no mask is suggested, because it would hide a defect: outcomes, kinds, agreements and
#: choices. People who know better can still write one.
_NEVER_PROPOSED = tuple(
    tuple(place.split("/"))
    for place in (
        "error/code",
        "result/stopReason",
        "result/outcome",
        "result/exitCode",
        "result/exitStatus",
        "result/signal",
        "result/protocolVersion",
        "result/agentCapabilities",
        "result/capabilities",
        "result/authMethods",
        "result/modes",
        "params/protocolVersion",
        "params/clientCapabilities",
        "params/capabilities",
        "params/options",
        "params/toolCall/status",
        "params/toolCall/kind",
        "params/toolCall/content/*/type",
        "params/update/sessionUpdate",
        "params/update/status",
        "params/update/kind",
        "params/update/state",
        "params/update/stopReason",
        "params/update/currentModeId",
        "params/update/entries/*/status",
        "params/update/content/type",
        "params/update/content/*/type",
        "params/update/content/*/content/type",
        "params/update/configOptions/*/type",
        "result/configOptions/*/type",
    )
)


@dataclass(frozen=True, slots=True)
class MaskUse:
    """The result of a mask: values that it hid, and how often it was refused."""

    mask: str
    uses: int
    refused: int


class MaskError(CaretError):
    """An expression that is not a mask."""


def _is_time(value: Any) -> bool:
    if not isinstance(value, str) or not _TIME.match(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: type_of(value) == "number",
    "time": _is_time,
    "uuid": lambda value: isinstance(value, str) and _UUID.fullmatch(value) is not None,
}


@dataclass(frozen=True, slots=True)
class Mask:
    """One mask. `text` is its expression."""

    text: str
    path: Path
    type: str | None = None

    def covers(self, path: Sequence[str]) -> bool:
        """Whether it hides the value at a path, or a value around it."""
        return len(self.path) <= len(path) and _fits(self.path, path)


def parse(text: str) -> Mask:
    """Return the mask of an expression: `/params/update/title:string`. Raises MaskError."""
    head, colon, kind = text.rpartition(":")
    if not colon or "/" in kind:
        head, kind, colon = text, "", ""
    if colon and kind not in TYPES:
        raise MaskError(f"expected a type: one of {', '.join(TYPES)}", text, len(head) + 1, len(text))
    if not head.startswith("/"):
        raise MaskError("expected a JSON pointer, such as /params/update/title", text, 0, len(head))
    start = 1
    for key in head[1:].split("/"):
        if not key:
            raise MaskError("expected a key, an index or *", text, start, start)
        if bad := _ESCAPE.search(key):
            raise MaskError("expected ~0 for ~, or ~1 for /", text, start + bad.start(), start + bad.end())
        start += len(key) + 1
    path = json_pointer.read(head)
    if path[0] not in (*_ROOTS, "*"):
        why = "expected params, result or error: a pointer starts at the top of a frame"
        raise MaskError(why + near_misses.suggestion(path[0], _ROOTS), text, 1, 1 + len(path[0]))
    return Mask(text, path, kind or None)


def places(mask: Mask, value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the places in a message where a mask hides something."""
    if len(path) == len(mask.path):
        if mask.type is None or TYPES[mask.type](value):
            yield path
        return
    key = mask.path[len(path)]
    if isinstance(value, dict):
        for name in value if key == "*" else [key] * (key in value):
            yield from places(mask, value[name], (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            if key in ("*", str(index)):
                yield from places(mask, inner, (*path, str(index)))


def suggest(path: Sequence[str], expected: Any, actual: Any) -> str | None:
    """Return the mask that would hide a difference; None if none could or should. `path` has `*` for indices.

    For `("params", "updatedAt")` with two times it is `/params/updatedAt:time`.
    """
    kind = type_of(expected)
    if kind != type_of(actual) or kind in ("nothing", "null") or _hides_defects(path, kind):
        return None
    differences = pointers.differences(expected, actual)
    if any(type_of(each.expected) != type_of(each.actual) for each in differences):
        return None
    for type_ in ("uuid", "time", "number", "string"):
        if TYPES[type_](expected) and TYPES[type_](actual):
            return f"{json_pointer.written(path)}:{type_}"
    return json_pointer.written(path)


def _hides_defects(path: Sequence[str], kind: str) -> bool:
    """Whether a mask there hides what should never be hidden; a mask on an object hides everything in it."""
    holds_more = kind in ("object", "array")
    return any((len(path) >= len(never) or holds_more) and _fits(never, path) for never in _NEVER_PROPOSED)


class Masks:
    """The masks of one comparison, and the result of each."""

    def __init__(self, masks: Iterable[Mask] = ()) -> None:
        self._masks = list({mask.text: mask for mask in masks}.values())
        self._uses: dict[str, dict[Side, int]] = {
            mask.text: {"expected": 0, "actual": 0} for mask in self._masks
        }
        self._refused = dict.fromkeys(self._uses, 0)

    def __bool__(self) -> bool:
        return bool(self._masks)

    def hide(self, side: Side, value: Any, path: Path = (), *, counts: bool = True) -> Any:
        """Return the value at `path`, with its type in place of everything that is hidden.

        `counts`: whether that is a use of the mask; false if the same value comes again.
        """
        for mask in self._masks:
            if mask.covers(path):
                value = self._hidden(value, mask, side, counts)
            elif _fits(mask.path[: len(path)], path):
                value = self._below(value, mask.path[len(path) :], mask, side, counts)
        return value

    def refusal(self, path: Sequence[str], expected: Any, actual: Any) -> str | None:
        """Return why no mask for this path hides this difference; None if there is no mask for it."""
        for mask in self._masks:
            if mask.covers(path):
                self._refused[mask.text] += 1
                return f"mask {mask.text} {_why_not(mask, expected, actual)}"
        return None

    def uses(self) -> list[MaskUse]:
        """Return the result of each mask, in their order."""
        return [
            MaskUse(mask.text, max(self._uses[mask.text].values()), self._refused[mask.text])
            for mask in self._masks
        ]

    def _below(self, value: Any, path: Path, mask: Mask, side: Side, counts: bool) -> Any:
        if not path:
            return self._hidden(value, mask, side, counts)
        key, rest = path[0], path[1:]
        if isinstance(value, dict):
            named = {name: value[name] for name in (value if key == "*" else (key,)) if name in value}
            return value | {
                name: self._below(inner, rest, mask, side, counts) for name, inner in named.items()
            }
        if isinstance(value, list):
            return [
                self._below(inner, rest, mask, side, counts) if key in ("*", str(index)) else inner
                for index, inner in enumerate(value)
            ]
        return value

    def _hidden(self, value: Any, mask: Mask, side: Side, counts: bool) -> Any:
        if value is NOTHING or not (mask.type is None or TYPES[mask.type](value)):
            return value
        self._uses[mask.text][side] += counts
        return _veiled(value)


def _veiled(value: Any) -> Any:
    """Return the shape of a value: types in place of values, arrays and objects as they are."""
    if isinstance(value, dict):
        return {key: _veiled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_veiled(inner) for inner in value]
    veiled = isinstance(value, str) and value.startswith("\0")  # hidden by another mask, whose type it has
    return value if veiled else f"\0{type_of(value)}"


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Whether the beginning of a path matches a pattern, as far as both go."""
    return all(key in ("*", actual) for key, actual in zip(pattern, path, strict=False))


def _why_not(mask: Mask, expected: Any, actual: Any) -> str:
    if expected is NOTHING or actual is NOTHING:
        return "hides no added or removed key"
    if type_of(expected) != type_of(actual):
        return f"hides no change of type, from {type_of(expected)} to {type_of(actual)}"
    wrong = expected if mask.type and not TYPES[mask.type](expected) else actual
    return f"hides nothing that is not of type {mask.type}: {pointers.shown(wrong, 40)}"
