"""Whether a text is JSON, and its value: two questions about every line, answered without raising.

msgspec answers fast. If it is stricter than RFC 8259 (it refuses the escape of a lone surrogate, which
JavaScript agents do send when they cut a text in the middle of an emoji), the standard library gives a second
opinion. No rule about JSON-RPC or ACP lives here.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import msgspec

_valid = msgspec.json.Decoder(msgspec.Raw).decode
_value = msgspec.json.Decoder().decode

#: Python refuses to convert longer integers (a guard against quadratic time); they stay text here.
_LONGEST_INT = 4000
#: Older Pythons stop near this depth by themselves. From 3.14 on the parsers continue until the stack ends,
#: and code that walks through the value then ends the process.
_DEEPEST = 1000
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_OTHERS = bytes(sorted({*range(256)} - {*b"[]{}"}))
#: Brackets as signed numbers of one byte: 1 for an opening bracket, -1 for a closing one.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
#: An escape in a string. Only half of a surrogate pair, without its other half, is in group 1.
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


class NotJson(ValueError):
    """The bytes are not a JSON text in UTF-8, or (`too_deep`) are nested deeper than a parser can follow."""

    def __init__(self, why: str, *, too_deep: bool = False) -> None:
        super().__init__(why)
        self.too_deep = too_deep


def is_json(line: bytes) -> bool:
    """Whether `line` is one JSON text (RFC 8259) in valid UTF-8.

    A text nested deeper than the parser can follow (about 1,000 levels) does not count as JSON.
    """
    if is_too_deep(line):
        return False
    try:
        _valid(line)
        return line.isascii() or bool(line.decode())
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        # The only valid texts that msgspec refuses contain the escape of a lone surrogate.
        return b"\\ud" in line.lower() and _has_value(line)


def is_too_deep(line: bytes) -> bool:
    """Whether a JSON text is nested deeper than is supported here. Meaningless for other texts."""
    if len(line) <= _DEEPEST or line.count(b"[") + line.count(b"{") <= _DEEPEST:
        return False
    steps = array("b", _STRING.sub(b"", line).translate(_STEPS, _OTHERS))
    return max(accumulate(steps), default=0) > _DEEPEST


def depth_of(text: str) -> int:
    """Return how many more brackets a piece of JSON opens than it closes. Strings rarely hold uneven ones."""
    return sum(map(text.count, "{[")) - sum(map(text.count, "}]"))


def value(of: bytes) -> Any:
    """Return the Python value of a JSON text. Raises only NotJson.

    Lone surrogates become U+FFFD, so that every string can be encoded again; integers too long for
    Python stay strings.
    """
    if is_too_deep(of):
        raise NotJson("is nested too deeply", too_deep=True)
    try:
        return _value(of)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return _lenient(of)


def without_lone_surrogates(of: bytes) -> bytes:
    """Return a JSON text with the escape of U+FFFD for each half of a surrogate pair; as long as before."""
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[1] else escape[0], of)


def text(thing: Any) -> bytes:
    """Return the compact JSON text of a `value`. Never raises, although msgspec refuses long integers."""
    try:
        return msgspec.json.encode(thing)
    except RecursionError:
        return b'"nested too deep"'
    except OverflowError:
        return json.dumps(thing, ensure_ascii=False, separators=(",", ":")).encode()


def canonical(thing: Any) -> str:
    """Return a value's JSON text with sorted keys: equal for equal values. `1`, `1.0` and `true` differ."""
    try:
        return msgspec.json.encode(thing, order="sorted").decode("utf-8", "replace")
    except RecursionError:
        return string(thing)
    except OverflowError:
        return json.dumps(thing, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def string(thing: Any) -> str:
    """Return the JSON text of a value, as a string."""
    return text(thing).decode("utf-8", "replace")


def short(thing: Any, most: int = 60) -> str:
    """Return the beginning of a value's JSON text, for a message."""
    whole = string(thing)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def value_or_none(of: bytes | None) -> Any:
    """Return the Python value of a JSON text, or None if it is not one."""
    if not of:
        return None
    try:
        return value(of)
    except NotJson:
        return None


def object_in(of: bytes | None) -> dict[str, Any]:
    """Return the object in a JSON text; empty if it is something else, or not JSON."""
    return as_object(value_or_none(of))


def _has_value(of: bytes) -> bool:
    try:
        _lenient(of)
    except NotJson:
        return False
    return True


def _lenient(of: bytes) -> Any:
    if b"\\ud" in of.lower():
        try:
            return _value(without_lone_surrogates(of))
        except (msgspec.DecodeError, RecursionError, ValueError):
            pass
    try:
        return _clean(
            json.loads(of.decode(), parse_int=_integer, parse_constant=_refuse, object_pairs_hook=_object)
        )
    except RecursionError:
        raise NotJson("is nested too deeply", too_deep=True) from None
    except UnicodeDecodeError as error:
        raise NotJson(f"is not UTF-8 (byte {error.start})") from None
    except ValueError:
        raise NotJson("is not JSON" if of.strip() else "is blank") from None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_INT else digits


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {_clean(key): _clean(item) for key, item in pairs}


def _clean(item: Any) -> Any:
    if isinstance(item, str):
        return item.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(item, list):
        return [_clean(one) for one in item]
    return item


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a list; none if it is not a list."""
    listed: Iterable[Any] = value if isinstance(value, list) else ()
    return (item for item in listed if isinstance(item, dict))


def as_object(value: object) -> dict[str, Any]:
    """Return the value if it is an object, or else an empty one."""
    return value if isinstance(value, dict) else {}


def string_or_none(value: object) -> str | None:
    """Return the value if it is a string, or else None."""
    return value if isinstance(value, str) else None


def as_string(value: object) -> str:
    """Return the value if it is a string, or else an empty one."""
    return value if isinstance(value, str) else ""


def as_integer(value: object) -> int | None:
    """Return the value if it is a whole number that fits the columns it may go into, or else None."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return value
    return None
