"""Paths into JSON values: the value at a path, where two values differ. As text: `trace/json_pointer.py`."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from acp_trace.trace import jsontext

Path = tuple[str, ...]

_LONGEST = 80  #: characters of a value that are shown
_BEFORE_IT = 20  #: of these, characters before a difference
_MOST = 400  #: of these, examined after a difference
#: The words before the position of a difference in a long text.
FROM_CHARACTER = " (from character "


class Nothing:
    """The absence of a value."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING = Nothing()


class Difference(NamedTuple):
    """A place where two values differ; NOTHING if one side has no such key or item."""

    path: Path
    expected: Any
    actual: Any


def at(value: Any, path: Sequence[str]) -> Any:
    """Return what is at a path of a value, or NOTHING."""
    for key in path:
        if isinstance(value, dict):
            value = value.get(key, NOTHING)
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return NOTHING
    return value


def resolved(path: Sequence[str], compared: Any, original: Any) -> Path:
    """Return where a path of a compared value leads in the original one, whose keys may be other words.

    Both have their members in the same order. From where `compared` has no such path, it stays as it is.
    """
    keys = []
    for key in path:
        if isinstance(compared, dict) and isinstance(original, dict) and key in compared:
            name = list(original)[list(compared).index(key)]
        else:
            name = key
        keys.append(name)
        compared, original = at(compared, (key,)), at(original, (name,))
    return tuple(keys)


def type_of(value: Any) -> str:
    """Return the JSON type of a value; `nothing` if there is none."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    for kind, name in ((str, "string"), (dict, "object"), (list, "array"), (Nothing, "nothing")):
        if isinstance(value, kind):
            return name
    return "number"


def differences(expected: Any, actual: Any) -> Iterator[Difference]:
    """Yield the innermost places where two values differ. No recursion: traffic may nest deeper than Python.

    `{"a": 1, "b": [2]}` and `{"a": 1, "b": [3, 4]}` differ in `("b", "0")`, 2 and 3, and in
    `("b", "1")`, NOTHING and 4.
    """
    waiting: list[tuple[Path, Any, Any]] = [((), expected, actual)]
    while waiting:
        path, was, now = waiting.pop()
        if isinstance(was, dict) and isinstance(now, dict):
            keys: Iterable[str] = was if was.keys() == now.keys() else dict.fromkeys([*was, *now])
            below = [(key, was.get(key, NOTHING), now.get(key, NOTHING)) for key in keys]
        elif isinstance(was, list) and isinstance(now, list):
            count = max(len(was), len(now))
            below = [(str(index), _item(was, index), _item(now, index)) for index in range(count)]
        else:
            if not same(was, now):
                yield Difference(path, was, now)
            continue
        for key, inner, actual_inner in reversed(below):
            # Most are the same: they are skipped quickly.
            if not (inner is actual_inner or (type(inner) is str and inner == actual_inner)):
                waiting.append(((*path, key), inner, actual_inner))


def same(expected: Any, actual: Any) -> bool:
    """Whether two values are equal as JSON: in any order of keys, and `1` is not `true`."""
    return type_of(expected) == type_of(actual) and _text(expected) == _text(actual)


def pattern(path: Sequence[str], value: Any) -> Path:
    """Return a path with `*` for each index of an array: `("a", "*")` for `("a", "0")` of `{"a": [1]}`."""
    if not any(map(str.isdigit, path)):
        return tuple(path)
    keys = []
    for key in path:
        keys.append("*" if isinstance(value, list) else key)
        value = at(value, (key,))
    return tuple(keys)


def shown(value: Any, most: int = _LONGEST) -> str:
    """Return a value for people: a string without its quotes."""
    if isinstance(value, Nothing):
        return "nothing"
    text = value if isinstance(value, str) and value else jsontext.short(value, most)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shown_pair(expected: Any, actual: Any) -> tuple[str, str]:
    """Return two values that differ, for people, so that the difference is visible.

    Long texts begin shortly before it, with its position; JSON is used if only the type differs, or invisible
    characters: blanks, characters that look alike.
    """
    if type_of(expected) != type_of(actual):
        if shown(expected) != shown(actual):
            return shown(expected), shown(actual)
        return jsontext.short(expected), jsontext.short(actual)
    texts = [each if isinstance(each, str) else jsontext.string(each) for each in (expected, actual)]
    at_ = _first_difference(*texts)
    if max(map(len, texts)) > _LONGEST and at_ >= _LONGEST // 2:
        texts = [f"…{text[at_ - _BEFORE_IT : at_ + _MOST]}" for text in texts]
        place = f"{FROM_CHARACTER}{at_ + 1} on)"
    elif isinstance(expected, str) and not (expected and actual):
        return shown(expected), shown(actual)
    else:
        place = ""
    if _looks(texts[0]) == _looks(texts[1]):
        texts = [json.dumps(text) for text in texts]
    was, now = (shown(text) for text in texts)
    return was, now + place


def _first_difference(expected: str, actual: str) -> int:
    unlike = (i for i, pair in enumerate(zip(expected, actual, strict=False)) if pair[0] != pair[1])
    return next(unlike, min(len(expected), len(actual)))


def _looks(text: str) -> str:
    """Return a text as it looks: composed, without blanks at its ends and characters without width."""
    unseen = [char for char in set(text) if unicodedata.category(char) in ("Cf", "Cc")]
    drawn = text.translate(dict.fromkeys(map(ord, unseen)))
    return " ".join(unicodedata.normalize("NFKC", drawn).split())


def _item(items: list[Any], index: int) -> Any:
    return items[index] if index < len(items) else NOTHING


def _text(value: Any) -> str:
    return "" if isinstance(value, Nothing) else jsontext.canonical(value)
