"""Finds the JSON values in any text, each with the text before it. Pure; does not know any format.

A value may span several lines, and a line may have several values. The text around them does not matter:
names of loggers, times, arrows, fences of code blocks. A value may be in a string, with
escapes or (in CSV) with doubled quotes; as another language prints it (`spellings`); broken by line ends at
the width of a terminal; or over lines that all begin with the prefix of a container or a logger. The time is
proportional to the length of the text, whatever it contains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_trace.formats.reading.spellings import BEGINS, spelled, unescaped
from acp_trace.trace.jsontext import depth_of

#: What colours text in a terminal.
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_OPENS = re.compile(
    r"[{\[]|(?<=JsonRpcRequest)\(|(?<=JsonRpcResponse)\(|(?<=JsonRpcNotification)\(|(?<=\barray )\("
)
_decode = json.JSONDecoder().raw_decode
#: Places of a line that are tried; lines before a value that may belong to it.
_TRIES, _BEFORE = 8, 2
#: How often a text may be gone through in all: a hostile one begins a value in each line and ends none.
_PASSES = 16
#: JSON in a string, with escapes or with its quotes doubled: how it begins, how far the string goes, and how
#: it is read. A string may be in a string.
_STRINGS = (
    (re.compile(r"\{\s*\\"), re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL), unescaped),
    (re.compile(r'\{\s*""\w'), re.compile(r'(?:[^"]++|"")*+'), lambda text: text.replace('""', '"')),
)
_NESTED = 3
#: How GitLab goes on with a line.
_GOES_ON = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z \d\d[OE]\+")
#: Characters of a text that are decoded first, and how near their end a value may be cut off.
_PIECE, _MARGIN = 4096, 8
#: Characters of a value that line ends have broken, and what shows that it is a message.
_BROKEN, _MESSAGE = 1 << 16, re.compile(r'"(?:jsonrpc|method|result)"')
#: Characters in which a prefix of lines ends, and how many it has at least.
_PREFIX, _SHORTEST = 300, 3
_DEAR = 3  #: cost of a character of a line with a prefix; a character that is only decoded costs 1
_CLOSES = ("}", "]")  #: what the last line of such a value begins with
_FOREIGN = 20  #: lines of other containers between two of one
#: What stands before an empty object that says something.
_NAMED = re.compile(r"\b(?:params|result|error)\s?[=:]\s?\Z", re.IGNORECASE)
#: What a value has that is a message, an error, or something around a message.
_NAMES = re.compile(
    r"\b(?:jsonrpc|method|result|params|sessionId|sessionUpdate|code|protocolVersion|stopReason|outcome|cwd)\b"
)
#: What stands where a value is no JSON: comments, a comma too many, parts left out, names.
_LOOSE = re.compile(r"[/}\].…,=A-Za-z]")


class FoundValue(NamedTuple):
    """A JSON value in a text. `before`: what is before it in its line; `above`: the lines right above.

    If several values are in a line, the text before counts from the value before, if that is a message.
    """

    line: int
    before: str
    text: str  #: as it stands there, in one line
    value: Any
    above: tuple[FoundText, ...] = ()
    is_cut: bool = False  #: whoever printed it left parts out
    between: str = ""  #: what is between the value before it and this one, in its line


class FoundText(NamedTuple):
    """A line without a value."""

    line: int
    text: str


class _Value(NamedTuple):
    """A value, and the place behind it."""

    end: int
    text: str
    value: Any
    is_cut: bool = False


def found(text: str) -> Iterator[FoundValue | FoundText]:
    """All objects and lists, and the lines without one, unless they are `above` a value or blank."""
    lines = _COLOURS.sub("", text.replace("\r\n", "\n")).split("\n")
    return _Walk(lines).walk()


class _Walk:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._text = "\n".join(lines)
        self._budget = _PASSES * len(self._text) + 200_000
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
            if self._starts[number] < at and start - self._starts[number] <= _PREFIX:
                line = self._text[self._starts[number] : start]
                if _MESSAGE.search(line) is None:
                    before = line  # what a logger adds to its lines may be a value, too
            yield FoundValue(
                number + 1, before, value.text, value.value, tuple(waiting), value.is_cut, between
            )
            waiting = []
            at = value.end
            while number + 1 < len(self._lines) and self._starts[number + 1] <= at:
                number += 1
        yield from waiting

    def _next(self, start: int, end_of_line: int) -> tuple[int, _Value] | None:
        """The next value that begins in this line, and where."""
        for tries, opens in enumerate(_OPENS.finditer(self._text, start, end_of_line)):
            if tries >= _TRIES:
                return None
            # Beyond the budget, only what ends in its line is found.
            until = len(self._text) if self._budget > 0 else end_of_line
            value = self._at(opens.start(), until)
            if value is not None:
                return opens.start(), value
        return None

    def _at(self, at: int, until: int) -> _Value | None:
        """The value that begins here."""
        fault = at
        if self._text[at] != "(":
            value = self._json(at, until)
            if isinstance(value, _Value):
                if not value.value:  # `result={}`
                    return value if value.value == {} and _NAMED.search(self._text, at - 20, at) else None
                return value if isinstance(value.value, dict) or isinstance(value.value[0], dict) else None
            fault = value
        if self._budget <= 0:
            return None
        return (
            self._in_string(at, until)
            or self._broken(at, until, fault)
            or self._spelled(self._text, at, until, fault)
            or self._prefixed(at, until)
        )

    def _json(self, at: int, until: int) -> _Value | int:
        """The JSON that begins here, or where it goes wrong.

        First a piece of the text is read: for an error, the decoder counts the lines before it.
        """
        piece = self._text[at : min(until, at + _PIECE)]
        try:
            value, end = _decode(piece)
        except json.JSONDecodeError as error:
            is_cut_off = error.msg.startswith("Unterminated") or error.pos > len(piece) - _MARGIN
            if len(piece) < _PIECE or not is_cut_off:
                self._budget -= error.pos
                return at + error.pos
        except RecursionError:
            self._budget -= len(self._text) // 4
            return at
        else:
            self._budget -= end
            return _Value(at + end, _in_one_line(piece[:end]), value)
        return self._long_json(at, until)

    def _long_json(self, at: int, until: int) -> _Value | int:
        """The same, of a value that is longer than a piece."""
        text, offset = (self._text, 0) if until == len(self._text) else (self._text[at:until], at)
        try:
            value, end = _decode(text, at - offset)
        except json.JSONDecodeError as error:
            self._budget -= error.pos + offset - at
            return error.pos + offset
        except RecursionError:
            self._budget -= len(self._text) // 4
            return at
        self._budget -= end + offset - at
        return _Value(end + offset, _in_one_line(text[at - offset : end]), value)

    def _in_string(self, at: int, until: int) -> _Value | None:
        """The value in a string, whose rest is not looked at."""
        for begins, literal, plain in _STRINGS:
            if begins.match(self._text, at, until) is None or not (
                match := literal.match(self._text, at, until)
            ):
                continue
            inner = match[0]
            self._budget -= len(inner)
            for _ in range(_NESTED):
                try:
                    inner = plain(inner)
                    value, end = _decode(inner)
                except (ValueError, RecursionError):
                    continue
                return _Value(match.end(), _in_one_line(inner[:end]), value)
        return None

    def _broken(self, at: int, until: int, fault: int) -> _Value | None:
        """The value that is whole without its line ends, if it goes wrong at one of them.

        And without what GitLab puts before the rest of a line that it broke: `2026-11-20T14:20:11Z 01O+`.
        """
        if "\n" not in self._text[max(fault - 6, at) : fault + 6]:
            return None
        if _MESSAGE.search(self._text[at : at + 1000].replace("\n", "")) is None:
            return None
        piece = self._text[at : min(until, at + _BROKEN)]
        first, *others = piece.split("\n")
        skipped = [0] * len(others)
        if (went_on := _GOES_ON.match(others[0])) is not None:
            skipped = [len(went_on[0])] * len(others)
        lines = [first, *(line[most:] for line, most in zip(others, skipped, strict=True))]
        joined = "".join(lines)
        try:
            value, end = _decode(joined)
        except (json.JSONDecodeError, RecursionError):
            self._budget -= len(piece)
            return None
        self._budget -= end
        text, left = joined[:end], end
        for line, most in zip(lines, [*skipped, 0], strict=True):
            if left <= len(line):
                break
            left -= len(line)
            end += 1 + most
        return _Value(at + end, text, value)

    def _prefixed(self, at: int, until: int) -> _Value | None:
        """The value over several lines, before each of which a logger or a container has its prefix."""
        end_of_line = self._text.find("\n", at, until)
        begin = self._text.rfind("\n", max(at - _PREFIX, 0), at) + 1
        if end_of_line < 0 or self._text[at + 1 : end_of_line].strip():
            return None
        prefix = self._prefix(begin, at, end_of_line + 1)
        if len(prefix.strip()) < _SHORTEST:
            return None
        pieces, places = self._under(prefix, at, end_of_line, min(until, at + _BROKEN))
        whole = "\n".join(pieces)
        self._budget -= _DEAR * len(whole)
        value: _Value | None
        try:
            decoded, end = _decode(whole)
            value = _Value(end, _in_one_line(whole[:end]), decoded)
        except json.JSONDecodeError as error:
            value = self._spelled(whole, 0, len(whole), error.pos)
        except RecursionError:
            return None
        if value is None or not value.value:
            return None
        last = whole.count("\n", 0, value.end)
        return value._replace(end=places[last] + value.end - (whole.rfind("\n", 0, value.end) + 1))

    def _prefix(self, begin: int, at: int, following: int) -> str:
        """What the line that begins here has in common with the next one, or with one soon after it."""
        first = self._text[begin:at]
        for _ in range(_FOREIGN):
            prefix = _common(first, self._text[following : following + _PREFIX])
            following = self._text.find("\n", following) + 1
            if len(prefix.strip()) >= _SHORTEST or not following or "|" not in first:
                return prefix
        return ""

    def _under(self, prefix: str, at: int, end: int, limit: int) -> tuple[list[str], list[int]]:
        """The line from here on, and those after it with this prefix: their rests, and where these begin.

        Up to where its brackets are closed. The lines of other containers are passed over.
        """
        pieces, places, place, foreign = [self._text[at:end]], [at], end + 1, 0
        depth = depth_of(pieces[0])
        while place < limit and foreign < _FOREIGN and not (depth <= 0 and pieces[-1].strip()[:1] in _CLOSES):
            end = self._text.find("\n", place, limit)
            end = limit if end < 0 else end
            if len(_common(prefix, self._text[place : place + len(prefix)])) == len(prefix):
                pieces.append(self._text[place + len(prefix) : end])
                places.append(place + len(prefix))
                depth += depth_of(pieces[-1])
                foreign = 0
            else:
                foreign += 1 if "|" in prefix else _FOREIGN
            place = end + 1
        return pieces, places

    def _spelled(self, text: str, at: int, until: int, fault: int) -> _Value | None:
        """The value as another language prints it."""
        is_loose = text[at] == "{" and _LOOSE.search(text, max(fault - 1, at + 1), fault + 2) is not None
        if not is_loose and BEGINS.match(text, at, until) is None:
            return None
        other = spelled(text, at, until)
        self._budget -= other.end - at
        if not other.value or _NAMES.search(text, at, other.end) is None:
            return None
        text = json.dumps(other.value, ensure_ascii=False, separators=(",", ":"))
        return _Value(other.end, text, other.value, other.is_cut)


def _common(first: str, second: str) -> str:
    """How a line begins that begins like another one, whatever numbers are in it (times, above all)."""
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other and not (one.isdigit() and other.isdigit()):
            break
        length += 1
    return second[:length]


def _in_one_line(text: str) -> str:
    """JSON without line breaks: within strings it has none."""
    return re.sub(r"\s*\n\s*", "", text) if "\n" in text else text
