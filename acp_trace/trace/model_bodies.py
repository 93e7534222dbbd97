"""Bodies of requests to a language model: each one repeats most of the one before. Pure.

A request to a model holds the whole conversation, so a session would be written once for each of its
requests. Instead only the differences from earlier bodies are kept: the beginning and the end are shared with
one of them, parts of the middle are copied from any, and the rest is written. `Shortener` shortens, `Bodies`
restores. Both keep the same bodies: how far back a body may refer is a rule of the format
(docs/trace-format.md). `model_copies` finds the parts.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from acp_trace.trace.jsontext import as_integer
from acp_trace.trace.model_copies import (
    Copy,
    KnownParts,
    Middle,
    last_character,
    next_character,
    same_begin,
    same_end,
)

#: A body may refer to one of this many latest bodies to its host, within this many bytes of all bodies.
_LAST, _MOST = 16, 64 << 20
#: A saving of fewer bytes is not worth its words.
_WORTH = 128
#: Copies are searched if more bytes than this would have to be written.
_ENOUGH = 512


class Likeness(NamedTuple):
    """A body begins with `prefix` bytes of the body number `like`, and ends with `suffix` bytes of it.

    Between them are the bytes that are written, with parts of other bodies: `copies`, in order.
    """

    like: int
    prefix: int
    suffix: int
    copies: tuple[Copy, ...] = ()

    @classmethod
    def of(cls, words: Mapping[str, object]) -> Likeness | None:
        """Return what an entry says of a body; `ALONE` if it says nothing, None if it is impossible."""
        like, prefix, suffix = (_count(words.get(name, 0)) for name in ("like", "prefix", "suffix"))
        copies = _copies(words.get("copies", []))
        if like is None or prefix is None or suffix is None or copies is None:
            return None
        return cls(like, prefix, suffix, copies)

    def words(self) -> dict[str, Any]:
        """The members of an entry: see `of`."""
        like = {"like": self.like, "prefix": self.prefix, "suffix": self.suffix} if self.like else {}
        return {**like, "copies": self.copies} if self.copies else like

    def written(self, body: bytes) -> bytes:
        """Return the part of a body with this likeness that is left to write."""
        at, pieces = self.prefix, []
        for copy in self.copies:
            pieces.append(body[at : at + copy.skip])
            at += copy.skip + copy.length
        return b"".join([*pieces, body[at : len(body) - self.suffix]])


#: A body that shares nothing with others.
ALONE = Likeness(0, 0, 0)


class Shortener:
    """Finds the parts that a new body shares with earlier ones."""

    def __init__(self) -> None:
        self._window = _Window()
        self._places: dict[str, KnownParts] = {}

    def likeness(self, host: str, number: int, body: bytes) -> Likeness:
        """Return how body `number` resembles the latest to `host`; later ones may refer to it."""
        best = ALONE
        for other_number, other in self._window.last(host):
            likeness = _compared(other_number, other, body)
            if likeness.prefix + likeness.suffix > best.prefix + best.suffix:
                best = likeness
            if best.prefix + best.suffix > len(body) * 9 // 10:
                break
        if best.prefix + best.suffix < _WORTH:
            best = ALONE
        places = self._places.get(host)
        if places is None:
            self._places = {name: kept for name, kept in self._places.items() if self._window.has(name)}
            places = self._places[host] = KnownParts(self._window.get)
        middle = Middle(best.prefix, len(body) - best.suffix)
        if middle.end - middle.begin > _ENOUGH:
            best = best._replace(copies=places.copies(body, middle, best.like))
        self._window.add(host, number, body)
        places.add(number, body)
        return best

    def forget(self) -> None:
        """Refer to none of the bodies so far: the last one may be lost."""
        self._window = _Window()
        self._places = {}


class Bodies:
    """Restores bodies, each from what was written of it, in the order in which they were written."""

    def __init__(self) -> None:
        self._window = _Window()

    def restore(self, host: str, number: int, likeness: Likeness | None, written: bytes) -> bytes | None:
        """Return body `number`, which went to `host`.

        None if a body that it refers to is missing, or too far back; or if it takes more from earlier bodies
        than the longest of them has: a trace must not make its reader build more than the trace itself holds.
        """
        is_number = as_integer(number) is not None and number > 0
        parts = None if likeness is None or not is_number else self._parts(likeness, memoryview(written))
        if parts is None:
            return None
        body = b"".join(parts)
        self._window.add(host, number, body)
        return body

    def _parts(self, likeness: Likeness, written: memoryview) -> list[memoryview] | None:
        other = self._window.get(likeness.like) if likeness.like else b""
        if other is None:
            return None
        taken, longest, at = likeness.prefix + likeness.suffix, len(other), 0
        parts = [memoryview(other)[: likeness.prefix]]
        for skip, number, start, length in likeness.copies:
            source = self._window.get(number)
            if source is None or at + skip > len(written) or start + length > len(source):
                return None
            parts += written[at : at + skip], memoryview(source)[start : start + length]
            at, taken, longest = at + skip, taken + length, max(longest, len(source))
        if likeness.prefix + likeness.suffix > len(other) or taken > longest:
            return None
        return [*parts, written[at:], memoryview(other)[len(other) - likeness.suffix :]]


class _Kept(NamedTuple):
    host: str
    body: bytes
    begin: int  #: total bytes of all bodies before it


class _Window:
    """The bodies that a later one may refer to, the last at the end.

    A reader that has lost some keeps those that the writer does, and perhaps older ones, but never fewer:
    each is counted from itself to the last.
    """

    def __init__(self) -> None:
        self._kept: dict[int, _Kept] = {}
        self._size = 0  #: of all bodies so far

    def add(self, host: str, number: int, body: bytes) -> None:
        """Add the next body, and drop those that are too far back now."""
        self._kept.pop(number, None)
        self._kept[number] = _Kept(host, body, self._size)
        self._size += len(body)
        same = [number for number, kept in self._kept.items() if kept.host == host]
        far = [number for number, kept in self._kept.items() if self._size - kept.begin > _MOST]
        for each in {*same[:-_LAST], *far}:
            del self._kept[each]

    def get(self, number: int) -> bytes | None:
        """Return a body; None if it is missing."""
        kept = self._kept.get(number)
        return None if kept is None else kept.body

    def has(self, host: str) -> bool:
        """Whether a body that went to a host is here."""
        return any(kept.host == host for kept in self._kept.values())

    def last(self, host: str) -> Iterator[tuple[int, bytes]]:
        """Yield the bodies to a host with their numbers, the last one first."""
        return ((number, kept.body) for number, kept in reversed(self._kept.items()) if kept.host == host)


def _compared(number: int, other: bytes, body: bytes) -> Likeness:
    most = min(len(other), len(body))
    prefix = last_character(body, same_begin(other, 0, body, 0, most))
    suffix = same_end(other, len(other), body, len(body), most - prefix)
    return Likeness(number, prefix, len(body) - next_character(body, len(body) - suffix))


def _count(value: object) -> int | None:
    number = as_integer(value)
    return None if number is None or number < 0 else number


def _copies(value: object) -> tuple[Copy, ...] | None:
    """Return the copies that an entry lists; None if one of them is impossible."""
    if not isinstance(value, list):
        return None
    copies = []
    for item in value:
        numbers = [_count(number) for number in item] if isinstance(item, list) else []
        whole = [number for number in numbers if number is not None]
        if len(whole) != len(numbers) or len(whole) != len(Copy._fields):
            return None
        copies.append(Copy(*whole))
    return tuple(copies)


def body_piece(event: Mapping[str, object], key: str) -> bytes | None:
    """Return the bytes of a body that `encode.piece` wrote under `key`; None if there are none.

    Empty if the value is damaged.
    """
    if isinstance(plain := event.get(key), str):
        return plain.encode("utf-8", "replace")
    if isinstance(encoded := event.get(f"{key}_base64"), str):
        try:
            return base64.b64decode(encoded, validate=True)
        except ValueError:
            return b""
    return None
