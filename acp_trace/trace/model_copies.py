"""Parts of a body that are in earlier bodies, at any place. Pure.

A request changes in several places at once: a date in its system prompt, a message in its middle, a mark that
moves to the last message. What is between two such places is an earlier body's, and is found here. Which
bodies may be referred to is not decided here: see `model_bodies`.

`KnownParts` knows where parts of earlier bodies begin: at spots that the text itself marks, so that they are
the same wherever a part has moved to. From there, equal bytes are counted in both directions. Its work and
its memory are bounded, whatever the bodies are: large ones have fewer spots, and where much is new, ever
wider steps are taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

#: Where a part may begin, in JSON: at a key or a value, at each line of a text, at some words of it.
_SPOT = re.compile(rb'[{,\\ ]["n]')
#: So many bytes from a spot on say where else it is.
_KEY = 32
#: Of a body no more than so many spots are kept, each so many bytes after the last one.
_SPOTS, _APART = 4096, 128
#: A spot is searched in so many bytes; then some are left out.
_REACH = 1024
#: After so many spots that are not known, the next one is searched half a key further on, and so on.
_PATIENCE = 64
#: The places of a host; what is above that refers to bodies that are gone, for the most part.
_MOST = 1 << 17
#: What is shorter is not worth its words; and a body is not said in more words than so many copies.
_WORTH, _COPIES = 64, 1024
_FIRST_STEP, _STEP = 64, 1 << 16
#: A character of UTF-8 has no more bytes than so many after its first.
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
    """What is not yet found of a body: from `begin` to `end`."""

    begin: int
    end: int


class KnownParts:
    """Where parts of earlier bodies begin; `get`: a body by its number, None if nothing may refer to it."""

    def __init__(self, get: Callable[[int], bytes | None]) -> None:
        self._get = get
        self._places: dict[bytes, _Place] = {}

    def add(self, number: int, body: bytes) -> None:
        """Later bodies may copy from this one; and rather from this one than from an earlier one."""
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
        """What of the middle of a body is in earlier ones, in order.

        `like`: the body that has what is before and behind it; 0 if nothing is. All in all no more is
        taken from earlier bodies than the longest of them has.
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
        """Where a spot may be: where it was last, and shortly behind what was copied last.

        Many spots look the same; then what comes next is most often what came next there.
        """
        last = self._places.get(key)
        if last is not None:
            yield last
        at = (self._get(behind.body) or b"").find(key, behind.at, behind.at + _REACH)
        if at >= 0 and (behind.body, at) != last:
            yield _Place(behind.body, at)

    def _around(self, body: bytes, at: int, middle: Middle, place: _Place, most: int) -> Copy:
        """The part around a spot that is also around a place, no more than `most` bytes."""
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
    """How many bytes from two places on are equal, but not more than `most`."""
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
    """How many bytes before two places are equal, but not more than `most`; so many are before both."""
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
    """The last place up to `at` where no character of UTF-8 is cut."""
    for _ in range(_LONGEST_REST):
        if 0 < at < len(body) and _is_inside(body[at]):
            at -= 1
    return at


def next_character(body: bytes, at: int) -> int:
    """The next place from `at` on where no character of UTF-8 is cut."""
    for _ in range(_LONGEST_REST):
        if 0 < at < len(body) and _is_inside(body[at]):
            at += 1
    return at


def _is_inside(byte: int) -> bool:
    """Whether a byte goes on with a character of UTF-8: a text is not cut there."""
    return byte & 0xC0 == 0x80
