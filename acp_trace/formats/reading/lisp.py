"""What Emacs prints -> values. Pure; nothing is evaluated, and nothing refers to itself.

Conses are as they print: a proper list is a Python list, any other is `Dotted`. The rest: strings, integers,
floats, `Symbol`, `Vector`, and a hash table as a dict. Labels (`#1=`, `#1#`) are resolved: shared
values are one. Written from the manual of Emacs Lisp, 2.3 to 2.5 and 20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from acp_trace.formats.reading.lisp_strings import unescaped

#: A value that is nested deeper is refused: Python's own stack is used.
_DEEPEST = 200
#: Python converts no longer integers.
_LONGEST_INT = 4000
_SPACE = re.compile(r"(?:[\s\0]+|;[^\n]*)*")
_STRING = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_SYMBOL = re.compile(r"""(?:[^\s\0"';()\[\]`,\\]|\\.)+""", re.DOTALL)
_INTEGER = re.compile(r"[+-]?\d+\.?")
_FLOAT = re.compile(r"[+-]?(?:\d+\.\d+|\.\d+|\d+)(?:e[+-]?\d+)?", re.IGNORECASE)
_NO_NUMBER = re.compile(r"[+-]?\d+\.\d+e\+(?:INF|NaN)")
_LABEL = re.compile(r"#(\d{1,9})([=#])")
_RADIX = re.compile(r"#([bBoOxX])([+-]?[0-9a-fA-F]{1,4000})")
_DOT = re.compile(r"\.[\s\0(\[\"#]")
_CHARACTER = re.compile(r"\?(\\.[^\s\0()\[\]\"';]*|.)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
#: How a number may begin.
_NUMERIC = frozenset("0123456789+-.")
_BASES = {"b": 2, "o": 8, "x": 16}


class NotLisp(Exception):
    """The text here is not a printed value, or is one that cannot be read. The message says why."""


class Symbol(NamedTuple):
    """A symbol; the empty list is the symbol `nil`."""

    name: str


class Dotted(NamedTuple):
    """`(a b . tail)`: at least one item, and a tail that is not a list."""

    items: list[Any]
    tail: Any


class Vector(NamedTuple):
    """`[a b]`."""

    items: list[Any]


NIL = Symbol("nil")


class LispReader:
    """Reads values of a text one by one. `at` is the place in it."""

    def __init__(self, text: str) -> None:
        self.at = 0
        self._text = text
        self._labels: dict[str, Any] = {}

    def opens(self) -> bool:
        """Whether a list begins here; goes into it."""
        return self._is("(")

    def closes(self) -> bool:
        """Whether the list ends here; goes out of it."""
        return self._is(")")

    def is_at_end(self) -> bool:
        """Whether there is nothing more."""
        self._skip()
        return self.at >= len(self._text)

    def value(self, depth: int = 0) -> Any:
        """The value at `at`. Raises NotLisp; then `at` is where reading stopped."""
        self._skip()
        char = self._text[self.at : self.at + 1]
        if depth > _DEEPEST:
            raise NotLisp("is nested too deeply")
        if char == "(":
            self.at += 1
            return self._list(depth)
        if char == "[":
            self.at += 1
            return Vector(list(self._until("]", depth)))
        if char == '"':
            return self._string()
        if char == "#":
            return self._special(depth)
        if char in ("'", "`", ",") and char:
            self.at += 1
            return self.value(depth + 1)
        if char == "?":
            return self._character()
        return self._atom()

    def _is(self, char: str) -> bool:
        self._skip()
        is_there = self._text[self.at : self.at + 1] == char
        self.at += is_there
        return is_there

    def _skip(self) -> None:
        match = _SPACE.match(self._text, self.at)
        self.at = match.end() if match else self.at

    def _list(self, depth: int) -> Any:
        items: list[Any] = []
        while not self._is(")"):
            if items and self._is_dot():
                tail = self.value(depth + 1)
                if not self._is(")"):
                    raise NotLisp("has more than one value behind a dot")
                return _joined(items, tail)
            items.append(self.value(depth + 1))
        return items or NIL

    def _is_dot(self) -> bool:
        self._skip()
        is_dot = _DOT.match(self._text, self.at) is not None
        self.at += is_dot
        return is_dot

    def _until(self, end: str, depth: int) -> Iterator[Any]:
        while not self._is(end):
            yield self.value(depth + 1)

    def _string(self) -> str:
        match = _STRING.match(self._text, self.at)
        if match is None:
            raise NotLisp("a string does not end")
        self.at = match.end()
        return unescaped(match[1])

    def _special(self, depth: int) -> Any:
        if label := _LABEL.match(self._text, self.at):
            self.at = label.end()
            if label[2] == "#":
                if label[1] not in self._labels:
                    raise NotLisp("refers to what is not there")
                return self._labels[label[1]]
            self._labels.pop(label[1], None)
            value = self._labels[label[1]] = self.value(depth + 1)
            return value
        if number := _RADIX.match(self._text, self.at):
            self.at = number.end()
            try:
                return int(number[2], _BASES[number[1].lower()])
            except ValueError:
                raise NotLisp("has a number that is none") from None
        begins = self._text[self.at : self.at + 2]
        if begins == "#(":  # a string with properties: they are left out
            self.at += 2
            string, *_ = [*self._until(")", depth), None]
            if isinstance(string, str):
                return string
        elif begins == "#s":
            self.at += 2
            return _table(self.value(depth + 1))
        elif begins in ("#'", "#:", "#_"):
            self.at += 2
            return self.value(depth + 1)
        elif begins == "##":
            self.at += 2
            return Symbol("")
        raise NotLisp("has a value that Emacs itself cannot read again")

    def _character(self) -> int:
        match = _CHARACTER.match(self._text, self.at)
        if match is None:
            raise NotLisp("ends within a character")
        self.at = match.end()
        return ord((unescaped(match[1]) or " ")[0])

    def _atom(self) -> Any:
        match = _SYMBOL.match(self._text, self.at)
        if match is None:
            what = self._text[self.at : self.at + 1]
            raise NotLisp(f"has a {what!r} where a value should be" if what else "ends too early")
        self.at = match.end()
        word = match[0]
        if word[0] in _NUMERIC and len(word) < _LONGEST_INT:
            if _INTEGER.fullmatch(word):
                return int(word.rstrip("."))
            if _FLOAT.fullmatch(word):
                return float(word)
            if _NO_NUMBER.fullmatch(word):
                return float("nan")
        return Symbol(_ESCAPED.sub(r"\1", word) if "\\" in word else word)


def _joined(items: list[Any], tail: Any) -> Any:
    """The items in front of a tail that may be a list itself."""
    if tail == NIL:
        return items
    if type(tail) is list:
        return [*items, *tail]
    if isinstance(tail, Dotted):
        return Dotted([*items, *tail.items], tail.tail)
    return Dotted(items, tail)


def _table(printed: Any) -> dict[str, Any]:
    """`#s(hash-table … data (key value …))`."""
    words = printed if type(printed) is list else []
    if not words or words[0] != Symbol("hash-table"):
        raise NotLisp("has a record")
    data = next((value for key, value in pairwise(words) if key == Symbol("data")), NIL)
    if type(data) is not list:
        return {}
    pairs = zip(data[::2], data[1::2], strict=False)
    return {key if isinstance(key, str) else getattr(key, "name", str(key)): value for key, value in pairs}
