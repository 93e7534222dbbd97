"""Bodies of requests to a language model: each one repeats most of the one before. Pure.

A request to a model holds the whole conversation, so a session would be written once for each of its
requests. A body is kept as what differs from an earlier one instead: so many bytes of its beginning and of
its end are those of that one, and what is between them is written. `Shortener` makes that, `Bodies` takes it
back.
"""

from __future__ import annotations

import base64
from collections import OrderedDict, deque
from collections.abc import Mapping
from typing import NamedTuple

from acp_trace.trace.jsontext import as_integer

#: So many of the last bodies of a host are compared, and so many bytes of all hosts are kept for that.
_LAST, _MOST = 16, 64 << 20
#: What saves fewer bytes is not worth its words.
_WORTH = 128
_STEP = 1 << 16
#: So many bodies that were put together are kept for those that refer to them.
_KEPT = 32


class Likeness(NamedTuple):
    """A body begins with `prefix` bytes of the body number `like`, and ends with `suffix` bytes of it."""

    like: int
    prefix: int
    suffix: int

    @classmethod
    def of(cls, words: Mapping[str, object]) -> Likeness:
        """What an entry says of a body; `ALONE` if it says nothing that can be so."""
        like, prefix, suffix = (as_integer(words.get(name)) for name in cls._fields)
        if like is None or prefix is None or suffix is None or min(like, prefix, suffix) < 0:
            return ALONE
        return cls(like, prefix, suffix)


#: A body that is like no other.
ALONE = Likeness(0, 0, 0)


class Shortener:
    """Finds the earlier body that a new one is most like."""

    def __init__(self) -> None:
        self._bodies: deque[tuple[str, int, bytes]] = deque()
        self._size = 0

    def likeness(self, host: str, number: int, body: bytes) -> Likeness:
        """How body `number` is like one of the last that went to `host`; later ones may be like it."""
        best = ALONE
        for other_host, other_number, other in reversed(self._bodies):
            if other_host != host:
                continue
            found = _compared(other_number, other, body)
            if found.prefix + found.suffix > best.prefix + best.suffix:
                best = found
            if best.prefix + best.suffix > len(body) * 9 // 10:
                break
        if best.prefix + best.suffix < _WORTH:
            best = ALONE
        self._keep(host, number, body)
        return best

    def forget(self) -> None:
        """What was written last may be lost: nothing is to refer to it."""
        self._bodies.clear()
        self._size = 0

    def _keep(self, host: str, number: int, body: bytes) -> None:
        self._bodies.append((host, number, body))
        self._size += len(body)
        same = [kept for kept in self._bodies if kept[0] == host]
        if len(same) > _LAST:
            self._bodies.remove(same[0])
            self._size -= len(same[0][2])
        while self._size > _MOST:
            self._size -= len(self._bodies.popleft()[2])


class Bodies:
    """Puts bodies together again, each from what was written of it."""

    def __init__(self) -> None:
        self._parts: dict[int, tuple[Likeness, bytes]] = {}
        self._built: OrderedDict[int, bytes] = OrderedDict()

    def add(self, number: int, likeness: Likeness, middle: bytes) -> None:
        """Takes in what was written of body `number`."""
        self._parts[number] = likeness, middle
        self._built.pop(number, None)

    def get(self, number: int) -> bytes | None:
        """The body; None if it, or one that it refers to, is not there."""
        chain: list[int] = []
        while number not in self._built:
            part = self._parts.get(number)
            if part is None or number in chain:
                return None
            chain.append(number)
            if not part[0].like:
                break
            number = part[0].like
        for each in reversed(chain):
            likeness, middle = self._parts[each]
            other = self._built[likeness.like] if likeness.like else b""
            if likeness.prefix + likeness.suffix > len(other):
                return None
            end = other[len(other) - likeness.suffix :] if likeness.suffix else b""
            self._built[each] = other[: likeness.prefix] + middle + end
            number = each
        self._built.move_to_end(number)
        body = self._built[number]
        while len(self._built) > _KEPT:
            self._built.popitem(last=False)
        return body


def _compared(number: int, other: bytes, body: bytes) -> Likeness:
    most = min(len(other), len(body))
    prefix = _same(other, body, most)
    while prefix and prefix < len(body) and _is_inside(body[prefix]):
        prefix -= 1
    suffix = _same(other[: -1 - most + prefix : -1], body[: -1 - most + prefix : -1], most - prefix)
    while suffix and _is_inside(body[len(body) - suffix]):
        suffix -= 1
    return Likeness(number, prefix, suffix)


def _is_inside(byte: int) -> bool:
    """Whether a byte goes on with a character of UTF-8: a text is not cut there."""
    return byte & 0xC0 == 0x80


def _same(first: bytes, second: bytes, most: int) -> int:
    """With how many equal bytes both begin; `most`: not more than that."""
    at = 0
    while at < most and first[at : at + _STEP] == second[at : at + _STEP]:
        at += _STEP
    if at >= most:
        return most
    low, high = 0, min(_STEP, most - at)
    while low < high:  # the first `low` are equal
        half = (low + high + 1) // 2
        if first[at : at + half] == second[at : at + half]:
            low = half
        else:
            high = half - 1
    return at + low


def body_piece(event: Mapping[str, object], key: str) -> bytes | None:
    """The bytes of a body that `encode.piece` wrote under `key`; None if there are none.

    Empty if what stands there is damaged.
    """
    if isinstance(plain := event.get(key), str):
        return plain.encode("utf-8", "replace")
    if isinstance(encoded := event.get(f"{key}_base64"), str):
        try:
            return base64.b64decode(encoded, validate=True)
        except ValueError:
            return b""
    return None
