"""How two JSON values differ, in a schema reader's terms: by path, a new or removed part as a whole.

The order of keys does not matter. Lists of plain values (`required`, `enum`) are compared by content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from acp_trace.model.text_diff import Hunk, hunks
from acp_trace.trace import json_pointer, jsontext

_Path = tuple[str, ...]


class ValueChange(msgspec.Struct, frozen=True):
    """A place that differs: its JSON Pointer, and the JSON text of both values; None if one is missing.

    `text` has the lines that differ, if both are strings of several lines.
    """

    path: str
    expected: str | None
    actual: str | None
    text: tuple[Hunk, ...] = ()


def changes(expected: Any, actual: Any) -> tuple[ValueChange, ...]:
    """Return the places in which two values differ, in order; empty if they are equal as JSON."""
    return tuple(_changes(expected, actual))


def _changes(expected: Any, actual: Any) -> Iterator[ValueChange]:
    waiting: list[tuple[_Path, Any, Any]] = [((), expected, actual)]
    while waiting:
        path, was, now = waiting.pop()
        if isinstance(was, dict) and isinstance(now, dict):
            below = [(key, was[key], now[key]) for key in was if key in now]
            yield from (_change((*path, key), was, now, key) for key in was if key not in now)
            yield from (_change((*path, key), was, now, key) for key in now if key not in was)
            waiting += [((*path, key), inner, other) for key, inner, other in reversed(below)]
        elif isinstance(was, list) and isinstance(now, list):
            if _is_plain(was) and _is_plain(now):
                yield from _members(path, was, now)
                continue
            shorter = min(len(was), len(now))
            yield from (_item((*path, str(index)), was, now, index) for index in range(shorter, len(was)))
            yield from (_item((*path, str(index)), was, now, index) for index in range(shorter, len(now)))
            waiting += [((*path, str(index)), was[index], now[index]) for index in reversed(range(shorter))]
        elif jsontext.canonical(was) != jsontext.canonical(now):
            lines = isinstance(was, str) and isinstance(now, str) and "\n" in was + now
            text = hunks(was, now) if lines else ()
            yield ValueChange(json_pointer.written(path), jsontext.string(was), jsontext.string(now), text)


def _change(path: _Path, was: dict[str, Any], now: dict[str, Any], key: str) -> ValueChange:
    """Return the change of a key that only one side has."""
    texts = [jsontext.string(side[key]) if key in side else None for side in (was, now)]
    return ValueChange(json_pointer.written(path), texts[0], texts[1])


def _item(path: _Path, was: list[Any], now: list[Any], index: int) -> ValueChange:
    """Return the change of an item that only one side has."""
    texts = [jsontext.string(side[index]) if index < len(side) else None for side in (was, now)]
    return ValueChange(json_pointer.written(path), texts[0], texts[1])


def _is_plain(items: list[Any]) -> bool:
    return not any(isinstance(item, (dict, list)) for item in items)


def _members(path: _Path, was: list[Any], now: list[Any]) -> Iterator[ValueChange]:
    """Return what lists of plain values have more or less; whole lists if only their order differs."""
    pointer = json_pointer.written(path)
    before, after = (Counter(map(jsontext.canonical, items)) for items in (was, now))
    yield from (ValueChange(pointer, text, None) for text in (before - after).elements())
    yield from (ValueChange(pointer, None, text) for text in (after - before).elements())
    if before == after and jsontext.canonical(was) != jsontext.canonical(now):
        yield ValueChange(pointer, jsontext.string(was), jsontext.string(now))
