"""Parts of a body that are in earlier bodies, at any place. Pure.

A request changes in several places at once: a date in its system prompt, a message in its middle, a mark that
moves to the last message. The text between two such places is from an earlier body, and is found here.
`model_bodies` decides which bodies may be referred to.

`KnownParts` knows where parts of earlier bodies begin: at spots that the text itself marks, so that they are
the same wherever a part has moved. From there, equal bytes are counted in both directions. Its work and its
memory are bounded for any body: large ones have fewer spots, and the steps become ever wider if much is new.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

#: Where a part may begin, in JSON: at a key or a value, at each line of a text, at some words of it.
_SPOT = re.compile(rb'[{,\\ ]["n]')
#: Length of the fingerprint, in bytes from a spot on, by which a moved part is found again.
_KEY = 32
#: Most spots that are kept of a body, and the distance between two, in bytes.
_SPOTS, _APART = 4096, 128
#: Bytes in which a spot is searched; then some bytes are left out.
_REACH = 1024
#: After this many unknown spots, the next one is searched half a key further on, and so on.
_PATIENCE = 64
#: The places kept for a host; most of those beyond refer to bodies that are gone.
_MOST = 1 << 17
#: The shortest copy (bytes) that is worth its words; and the most copies for a body.
_WORTH, _COPIES = 64, 1024
_FIRST_STEP, _STEP = 64, 1 << 16
#: A character of UTF-8 has at most this many bytes after its first.
_LONGEST_REST = 3


class Copy(NamedTuple):
    """After `skip` bytes that are written come `length` bytes of the body number `body`, from `start` on."""

    skip: int
    body: int
    start: int
    length: int


_NONE = Copy(0, 0, 0, 0)


class _Place(NamedTuple):
    body: int
    at: int


class Middle(NamedTuple):
    """The part of a body that is not yet found: from `begin` to `end`."""

    begin: int
    end: int


class KnownParts:
    """Where parts of earlier bodies begin; `get`: a body by its number, None if it may not be used."""

    def __init__(self, get: Callable[[int], bytes | None]) -> None:
        self._get = get
        self._places: dict[bytes, _Place] = {}

    def add(self, number: int, body: bytes) -> None:
        """Let later bodies copy from this one, in preference to earlier ones."""
        apart = max(_APART, len(body) // _SPOTS)
        at = 0
        while at < len(body):
            spot = _SPOT.search(body, at, at + _REACH)
            if spot is None:
                at += max(apart, _REACH)
                continue
            at = spot.start()
            self._places[body[at : at + _KEY]] = _Place(number, at)
            at += apart
        if len(self._places) > _MOST:
            self._places = {
                key: place for key, place in self._places.items() if self._get(place.body) is not None
            }

    def copies(self, body: bytes, middle: Middle, like: int) -> tuple[Copy, ...]:
        """Return the parts of a body's middle that are in earlier bodies, in order.

        `like`: the body that has what is before and behind it; 0 if none does. In total, no more is taken
        from earlier bodies than the longest of them has.
        """
        copies: list[Copy] = []
        at = done = middle.begin
        unknown = 0
        taken, longest = len(body) - (middle.end - middle.begin), self._size(like)
        behind = _Place(like, middle.begin)
        while at < middle.end and len(copies) < _COPIES:
            spot = _SPOT.search(body, at, min(at + _REACH, middle.end))
            copy = _NONE
            if spot is not None:
                at = spot.start()
                for place in self._candidates(body[at : at + _KEY], behind):
                    most = max(longest, self._size(place.body)) - taken
                    part = self._around(body, at, Middle(done, middle.end), place, most)
                    copy = max(copy, part, key=_length)
            if copy.length < _WORTH:
                unknown += 1
                at += (1 if spot else _REACH) + unknown // _PATIENCE * (_KEY // 2)
                continue
            copies.append(copy)
            unknown, at = 0, done + copy.skip + copy.length
            done, taken, longest = at, taken + copy.length, max(longest, self._size(copy.body))
            behind = _Place(copy.body, copy.start + copy.length)
        return tuple(copies)

    def _candidates(self, key: bytes, behind: _Place) -> Iterator[_Place]:
        """Yield the places where a spot may be: where it was last, and shortly behind the last copy.

        Many spots look the same; then the text after them is most often what followed there.
        """
        last = self._places.get(key)
        if last is not None:
            yield last
        at = (self._get(behind.body) or b"").find(key, behind.at, behind.at + _REACH)
        if at >= 0 and (behind.body, at) != last:
            yield _Place(behind.body, at)

    def _around(self, body: bytes, at: int, middle: Middle, place: _Place, most: int) -> Copy:
        """Return the part around a spot that is also around a place, no more than `most` bytes."""
        other = self._get(place.body)
        if other is None or most < _WORTH:
            return _NONE
        before = same_end(other, place.at, body, at, min(place.at, at - middle.begin))
        after = same_begin(other, place.at, body, at, min(len(other) - place.at, middle.end - at))
        begin = next_character(body, at - before)
        end = last_character(body, min(at + after, begin + most))
        return Copy(begin - middle.begin, place.body, place.at - at + begin, end - begin)

    def _size(self, number: int) -> int:
        return len(self._get(number) or b"")


def _length(copy: Copy) -> int:
    return copy.length


def same_begin(one: bytes, one_at: int, other: bytes, other_at: int, most: int) -> int:
    """Return how many bytes from two places on are equal, but not more than `most`."""
    same, step = 0, _FIRST_STEP
    while same < most and (
        one[one_at + same : one_at + same + step] == other[other_at + same : other_at + same + step]
    ):
        same, step = same + step, min(step * 4, _STEP)
    if same >= most:
        return most
    low, high = 0, min(step, most - same)
    one_at, other_at = one_at + same, other_at + same
    while low < high:  # the first `low` are equal
        half = (low + high + 1) // 2
        if one[one_at : one_at + half] == other[other_at : other_at + half]:
            low = half
        else:
            high = half - 1
    return same + low


def same_end(one: bytes, one_end: int, other: bytes, other_end: int, most: int) -> int:
    """Return how many bytes before two places are equal, but not more than `most`, which both must have."""
    same, step = 0, _FIRST_STEP
    while same < most:
        step = min(step, most - same)
        if one[one_end - same - step : one_end - same] != other[other_end - same - step : other_end - same]:
            break
        same, step = same + step, min(step * 4, _STEP)
    low, high = 0, min(step, most - same)
    one_end, other_end = one_end - same, other_end - same
    while low < high:  # the last `low` are equal
        half = (low + high + 1) // 2
        if one[one_end - half : one_end] == other[other_end - half : other_end]:
            low = half
        else:
            high = half - 1
    return same + low


def last_character(body: bytes, at: int) -> int:
    """Return the last place up to `at` that does not cut a character of UTF-8."""
    for _ in range(_LONGEST_REST):
        if 0 < at < len(body) and _is_inside(body[at]):
            at -= 1
    return at


def next_character(body: bytes, at: int) -> int:
    """Return the next place from `at` on that does not cut a character of UTF-8."""
    for _ in range(_LONGEST_REST):
        if 0 < at < len(body) and _is_inside(body[at]):
            at += 1
    return at


def _is_inside(byte: int) -> bool:
    """Whether a byte continues a character of UTF-8: a text is not cut there."""
    return byte & 0xC0 == 0x80
