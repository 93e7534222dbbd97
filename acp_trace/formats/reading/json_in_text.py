"""Finds the JSON values in any text, each with the text before it. Pure; does not know any format.

A value may span several lines, and a line may have several values. The text around them does not matter:
names of loggers, times, arrows, fences of code blocks. How a value may be written is for `value_reader`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_trace.formats.reading.value_reader import MESSAGE, PREFIX, ReadValue, ValueReader

#: What colours text in a terminal.
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_OPENS = re.compile(
    r"[{\[]|(?<=JsonRpcRequest)\(|(?<=JsonRpcResponse)\(|(?<=JsonRpcNotification)\(|(?<=\barray )\("
)
#: Places of a line that are tried; lines before a value that may belong to it.
_TRIES, _BEFORE = 8, 2


class FoundValue(NamedTuple):
    """A JSON value in a text. `before`: what is before it in its line; `above`: the lines right above.

    If several values are in a line, the text before counts from the value before, if that is a message.
    """

    line: int
    before: str
    text: str  #: as it appears there, in one line
    value: Any
    above: tuple[FoundText, ...] = ()
    is_cut: bool = False  #: the program that printed it left parts out
    between: str = ""  #: what is between the value before it and this one, in its line


class FoundText(NamedTuple):
    """A line without a value."""

    line: int
    text: str


def found(text: str) -> Iterator[FoundValue | FoundText]:
    """All objects and lists, and the lines without one, unless they are `above` a value or blank."""
    lines = _COLOURS.sub("", text.replace("\r\n", "\n")).split("\n")
    return _Walk(lines).walk()


class _Walk:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._text = "\n".join(lines)
        self._reader = ValueReader(self._text)
        self._starts = [0]
        for line in lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def walk(self) -> Iterator[FoundValue | FoundText]:
        number, at = 0, 0  #: the line, and the place in the text from which on nothing is used
        waiting: list[FoundText] = []
        while number < len(self._lines):
            end_of_line = self._starts[number + 1] - 1
            found = self._next(max(at, self._starts[number]), end_of_line)
            if found is None:
                rest = self._text[max(at, self._starts[number]) : end_of_line]
                if at <= self._starts[number] and rest.strip():
                    waiting.append(FoundText(number + 1, rest))
                    if len(waiting) > _BEFORE:
                        yield waiting.pop(0)
                number += 1
                continue
            start, value = found
            before = between = self._text[max(at, self._starts[number]) : start]
            if self._starts[number] < at and start - self._starts[number] <= PREFIX:
                line = self._text[self._starts[number] : start]
                if MESSAGE.search(line) is None:
                    before = line  # what a logger adds to its lines may be a value, too
            yield FoundValue(
                number + 1, before, value.text, value.value, tuple(waiting), value.is_cut, between
            )
            waiting = []
            at = value.end
            while number + 1 < len(self._lines) and self._starts[number + 1] <= at:
                number += 1
        yield from waiting

    def _next(self, start: int, end_of_line: int) -> tuple[int, ReadValue] | None:
        """The next value that begins in this line, and where."""
        for tries, opens in enumerate(_OPENS.finditer(self._text, start, end_of_line)):
            if tries >= _TRIES:
                return None
            until = end_of_line if self._reader.is_exhausted else len(self._text)
            value = self._reader.at(opens.start(), until)
            if value is not None:
                return opens.start(), value
        return None
