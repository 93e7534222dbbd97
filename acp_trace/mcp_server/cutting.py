"""A value cut to a size: strings, lists and objects lose their ends, and each cut is noted. Pure.

Values are those of JSON. The shape stays: who reads a cut message still sees all its parts that fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from acp_trace.mcp_server.limits import DEEPEST, SIZES
from acp_trace.report.safe import shorten
from acp_trace.trace import json_pointer, jsontext


class CutPlace(NamedTuple):
    """What was cut: its JSON Pointer, what it is, and how long it is as a whole (characters or items)."""

    pointer: str
    type: str
    total: int

    def as_json(self) -> dict[str, Any]:
        """As an object."""
        return self._asdict()


class CutValue(NamedTuple):
    """A value that fits, and what was cut of it."""

    value: Any
    places: list[CutPlace]


def cut(value: Any, most: int, path: Sequence[str] = ()) -> CutValue:
    """The value with at most `most` bytes of JSON; `path`: where it is, for the places."""
    if len(jsontext.text(value)) <= most:
        return CutValue(value, [])
    for text, items in SIZES:
        places: list[CutPlace] = []
        made = _cut(value, text, items, tuple(path), places)
        if len(jsontext.text(made)) <= most:
            return CutValue(made, places)
    place = CutPlace(json_pointer.written(path), type_of(value), length(value) or 0)
    return CutValue(shorten(jsontext.string(value), max(most // 4, 1)), [place])


def type_of(value: Any) -> str:
    """The name of its type in JSON."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return "number"


def length(value: Any) -> int | None:
    """Of a string its characters, of a list or an object its items; None for anything else."""
    return len(value) if isinstance(value, (str, list, dict)) else None


def _cut(value: Any, text: int, items: int, path: tuple[str, ...], places: list[CutPlace]) -> Any:
    total = length(value)
    if total is None:
        return value
    too_deep = len(path) > DEEPEST and not isinstance(value, str)
    if too_deep or total > (text if isinstance(value, str) else items):
        places.append(CutPlace(json_pointer.written(path), type_of(value), total))
    if too_deep:
        return "…"
    if isinstance(value, str):
        return shorten(value, text)
    if isinstance(value, list):
        return [_cut(item, text, items, (*path, str(at)), places) for at, item in enumerate(value[:items])]
    return {
        shorten(key, text): _cut(item, text, items, (*path, key), places)
        for key, item in list(value.items())[:items]
    }
