"""Typed netstrings, as mitmproxy writes its flows: `5:hello,` -> values. Pure; nothing is evaluated.

A length, a colon, as many bytes, and a mark for their type: bytes (`,`), text (`;`), an integer
(`#`), a float (`^`), a boolean (`!`), nothing (`~`), a list (`]`), a dictionary (`}`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_LENGTH = re.compile(rb"(\d{1,12}):")
_INTEGER = re.compile(rb"[+-]?\d{1,4000}")
_FLOAT = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|[+-]?inf")
#: Deeper nesting is refused, because reading uses Python's own stack.
_DEEPEST = 100


class NotTnetstring(Exception):
    """The bytes are cut off, or something else. The message says which."""


def value_at(data: bytes, at: int) -> tuple[Any, int]:
    """The value that begins at a place, and the place behind it. Keys are texts. Raises NotTnetstring."""
    return _value(data, at, len(data), 0)


def _value(data: bytes, at: int, end: int, depth: int) -> tuple[Any, int]:
    length = _LENGTH.match(data, at, end)
    if length is None or depth > _DEEPEST:
        raise NotTnetstring("is nested too deeply" if length else "is not a flow")
    start, stop = length.end(), length.end() + int(length[1])
    if stop >= end:
        raise NotTnetstring("is cut off")
    mark = data[stop : stop + 1]
    if mark == b"]":
        return list(_items(data, start, stop, depth)), stop + 1
    if mark == b"}":
        items = list(_items(data, start, stop, depth))
        if len(items) % 2:
            raise NotTnetstring("has a key without a value")
        return {_key(key): item for key, item in zip(items[::2], items[1::2], strict=True)}, stop + 1
    return _plain(mark, data[start:stop]), stop + 1


def _items(data: bytes, at: int, end: int, depth: int) -> Iterator[Any]:
    while at < end:
        item, at = _value(data, at, end, depth + 1)
        yield item


def _plain(mark: bytes, data: bytes) -> Any:
    if mark == b",":
        return data
    if mark == b";":
        return data.decode("utf-8", "replace")
    if mark == b"#" and _INTEGER.fullmatch(data):
        return int(data)
    if mark == b"^" and _FLOAT.fullmatch(data):
        return float(data)
    if mark == b"!" and data in (b"true", b"false"):
        return data == b"true"
    if mark == b"~" and not data:
        return None
    raise NotTnetstring("has a value of no known type")


def _key(key: Any) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
