"""JSON in any text: each value that stands there, with what stands before it. Pure; knows no format.

A value may go over several lines, several may stand in one, and what is around them is of no matter: names of
loggers, times, arrows, fences of code blocks. Whatever the text, this takes time in proportion to its length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_trace.formats.reading.spellings import BEGINS, spelled

#: What colours text in a terminal.
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_OPENS = re.compile(r"[{\[]")
_decode = json.JSONDecoder().raw_decode
#: Places of a line that are tried; lines before a value that may belong to it.
_TRIES, _BEFORE = 8, 2
#: How often a text may be gone through in all: a hostile one begins a value in each line and ends none.
_PASSES = 8


class FoundValue(NamedTuple):
    """A JSON value in a text. `before`: what is before it in its line; `above`: the lines right above."""

    line: int
    before: str
    text: str  #: as it stands there, in one line
    value: Any
    above: tuple[FoundText, ...] = ()


class FoundText(NamedTuple):
    """A line without a value."""

    line: int
    text: str


def found(text: str) -> Iterator[FoundValue | FoundText]:
    """All values that are objects or lists, and the lines that are above none; blank lines do not count."""
    lines = _COLOURS.sub("", text.replace("\r\n", "\n")).split("\n")
    return _Walk(lines).walk()


class _Walk:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._text = "\n".join(lines)
        self._budget = _PASSES * len(self._text) + 10_000
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def walk(self) -> Iterator[FoundValue | FoundText]:
        number, at = 0, 0  #: the line, and the place in the text from which on nothing is used
        waiting: list[FoundText] = []
        while number < len(self._lines):
            end_of_line = self._starts[number + 1] - 1
            value = self._next(max(at, self._starts[number]), end_of_line)
            if value is None:
                rest = self._text[max(at, self._starts[number]) : end_of_line]
                if at <= self._starts[number] and rest.strip():
                    waiting.append(FoundText(number + 1, rest))
                    if len(waiting) > _BEFORE:
                        yield waiting.pop(0)
                number += 1
                continue
            start, end, decoded, is_json = value
            before = self._text[max(at, self._starts[number]) : start]
            text = _in_one_line(self._text[start:end]) if is_json else json.dumps(decoded, ensure_ascii=False)
            yield FoundValue(number + 1, before, text, decoded, tuple(waiting))
            waiting = []
            at = end
            while number + 1 < len(self._lines) and self._starts[number + 1] <= at:
                number += 1
        yield from waiting

    def _next(self, start: int, end_of_line: int) -> tuple[int, int, Any, bool] | None:
        """The next value that begins in this line: where it begins and ends, and whether it is JSON."""
        for tries, opens in enumerate(_OPENS.finditer(self._text, start, end_of_line)):
            if tries >= _TRIES:
                return None
            at = opens.start()
            # Beyond the budget, only what ends in its line is found.
            text, offset = (self._text, 0) if self._budget > 0 else (self._text[at:end_of_line], at)
            try:
                value, end = _decode(text, at - offset)
            except json.JSONDecodeError as error:
                self._budget -= error.pos + offset - at
                if BEGINS.match(text, at - offset):
                    other = spelled(text, at - offset)
                    self._budget -= other.end + offset - at
                    if other.value:
                        return at, other.end + offset, other.value, False
            except RecursionError:
                self._budget -= len(self._text) // 4
            else:
                self._budget -= end + offset - at
                if value and (isinstance(value, dict) or isinstance(value[0], dict)):
                    return at, end + offset, value, True
        return None


def _in_one_line(text: str) -> str:
    """JSON without line breaks: within strings it has none."""
    return re.sub(r"\s*\n\s*", "", text) if "\n" in text else text
