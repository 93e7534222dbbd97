"""Paths into JSON values: what stands at one, where two values differ. As text: `trace/json_pointer.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from acp_trace.trace import jsontext

Path = tuple[str, ...]


class Nothing:
    """There is no value here."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()


class Difference(NamedTuple):
    """A place where two values differ; NOTHING where one side has no such key or item."""

    path: Path
    expected: Any
    got: Any


def at(value: Any, path: Sequence[str]) -> Any:
    """What stands at a path, or NOTHING."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key, NOTHING)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return NOTHING
    return value


def type_of(value: Any) -> str:
    """The JSON type of a value; `nothing` where there is none."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in ((str, "string"), (dict, "object"), (list, "array"), (Nothing, "nothing")):
        if isinstance(value, kind):
            return name
    return "number"


def differences(expected: Any, got: Any) -> Iterator[Difference]:
    """The innermost places where two values differ. No recursion: traffic may nest deeper than Python."""
    waiting: list[tuple[Path, Any, Any]] = [((), expected, got)]
    while waiting:
        path, one, other = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            keys: Iterable[str] = one if one.keys() == other.keys() else dict.fromkeys([*one, *other])
            below = [(key, one.get(key, NOTHING), other.get(key, NOTHING)) for key in keys]
        elif isinstance(one, list) and isinstance(other, list):
            count = max(len(one), len(other))
            below = [(str(index), _item(one, index), _item(other, index)) for index in range(count)]
        else:
            if type_of(one) != type_of(other) or _text(one) != _text(other):
                yield Difference(path, one, other)
            continue
        for key, a, b in reversed(below):
            if not (a is b or (type(a) is str and a == b)):  # most are: they are passed over soon
                waiting.append(((*path, key), a, b))


def pattern(path: Sequence[str], value: Any) -> Path:
    """The path with `*` for every index of an array in `value`."""
    if not any(map(str.isdigit, path)):
        return tuple(path)
    found = []
    for key in path:
        found.append("*" if isinstance(value, list) else key)
        value = at(value, (key,))
    return tuple(found)


def shown(value: Any, most: int = 80) -> str:
    """A value for people: a string without its quotes."""
    if isinstance(value, Nothing):
        return "nothing"
    text = value if isinstance(value, str) and value else jsontext.short(value, most)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def told(expected: Any, got: Any) -> tuple[str, str]:
    """Two values that differ, for people: as JSON where only the type tells them apart."""
    if type_of(expected) == type_of(got) or shown(expected) != shown(got):
        return shown(expected), shown(got)
    return jsontext.short(expected), jsontext.short(got)


def _item(found: list[Any], index: int) -> Any:
    return found[index] if index < len(found) else NOTHING


def _text(value: Any) -> str:
    return "" if isinstance(value, Nothing) else jsontext.canonical(value)
