"""The JSON value at a place of a text, however it was written, within a budget. Pure; knows no format.

Plain; in a string, with escapes or (in CSV) with doubled quotes; as another language prints it (`spellings`);
broken by line ends at the width of a terminal; or over lines that all begin with the prefix of a container or
a logger. What is tried in vain is taken from the budget, so that the time is proportional to the length of
the text.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from acp_trace.formats.reading.json_parts import written
from acp_trace.formats.reading.spellings import BEGINS, spelled, unescaped
from acp_trace.trace.jsontext import depth_of

_decode = json.JSONDecoder().raw_decode
#: What shows that a piece of text is of a message.
MESSAGE = re.compile(r'"(?:jsonrpc|method|result)"')
#: Characters in which a prefix of lines ends, and how many it has at least.
PREFIX, _SHORTEST = 300, 3
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
_BROKEN = 1 << 16  #: characters of a value that line ends have broken
_DEAR = 3  #: cost of a character of a line with a prefix; a character that is only decoded costs 1
_CLOSES = ("}", "]")  #: what the last line of such a value begins with
_FOREIGN = 20  #: lines of other containers between two of one
#: The text before an empty object that means something.
_NAMED = re.compile(r"\b(?:params|result|error)\s?[=:]\s?\Z", re.IGNORECASE)
#: What a value has that is a message, an error, or something around a message.
_NAMES = re.compile(
    r"\b(?:jsonrpc|method|result|params|sessionId|sessionUpdate|code|protocolVersion|stopReason|outcome|cwd)\b"
)
#: What occurs in a value that is not JSON: comments, an extra comma, parts left out, names.
_LOOSE = re.compile(r"[/}\].…,=A-Za-z]")


class ReadValue(NamedTuple):
    """A value, and the place behind it."""

    end: int
    text: str
    value: Any
    is_cut: bool = False


class ValueReader:
    """Reads the values of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._budget = _PASSES * len(text) + 200_000

    @property
    def is_exhausted(self) -> bool:
        """Whether so much was tried that only what ends in its line is still looked for."""
        return self._budget <= 0

    def at(self, at: int, until: int) -> ReadValue | None:
        """Reads the value that begins at this bracket and ends before `until`. None: it cannot be read."""
        fault = at
        if self._text[at] != "(":
            value = self._json(at, until)
            if isinstance(value, ReadValue):
                if not value.value:  # `result={}`
                    return value if value.value == {} and _NAMED.search(self._text, at - 20, at) else None
                return value if isinstance(value.value, dict) or isinstance(value.value[0], dict) else None
            fault = value
        if self.is_exhausted:
            return None
        return (
            self._in_string(at, until)
            or self._broken(at, until, fault)
            or self._spelled(self._text, at, until, fault)
            or self._prefixed(at, until)
        )

    def _json(self, at: int, until: int) -> ReadValue | int:
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
            return ReadValue(at + end, _in_one_line(piece[:end]), value)
        return self._long_json(at, until)

    def _long_json(self, at: int, until: int) -> ReadValue | int:
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
        return ReadValue(end + offset, _in_one_line(text[at - offset : end]), value)

    def _in_string(self, at: int, until: int) -> ReadValue | None:
        """The value in a string, whose rest is not looked at."""
        for begins, literal, plain in _STRINGS:
            match = literal.match(self._text, at, until) if begins.match(self._text, at, until) else None
            if match is None:
                continue
            inner = match[0]
            self._budget -= len(inner)
            for _ in range(_NESTED):
                try:
                    inner = plain(inner)
                    value, end = _decode(inner)
                except (ValueError, RecursionError):
                    continue
                return ReadValue(match.end(), _in_one_line(inner[:end]), value)
        return None

    def _broken(self, at: int, until: int, fault: int) -> ReadValue | None:
        """The value that is whole without its line ends, if it goes wrong at one of them.

        And without what GitLab puts before the rest of a line that it broke: `2026-11-20T14:20:11Z 01O+`.
        """
        if "\n" not in self._text[max(fault - 6, at) : fault + 6]:
            return None
        if MESSAGE.search(self._text[at : at + 1000].replace("\n", "")) is None:
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
        return ReadValue(at + end, text, value)

    def _prefixed(self, at: int, until: int) -> ReadValue | None:
        """The value over several lines, each behind the prefix of a logger or a container."""
        end_of_line = self._text.find("\n", at, until)
        begin = self._text.rfind("\n", max(at - PREFIX, 0), at) + 1
        if end_of_line < 0 or self._text[at + 1 : end_of_line].strip():
            return None
        prefix = self._prefix(begin, at, end_of_line + 1)
        if len(prefix.strip()) < _SHORTEST:
            return None
        pieces, places = self._under(prefix, at, end_of_line, min(until, at + _BROKEN))
        whole = "\n".join(pieces)
        self._budget -= _DEAR * len(whole)
        value: ReadValue | None
        try:
            decoded, end = _decode(whole)
            value = ReadValue(end, _in_one_line(whole[:end]), decoded)
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
            prefix = _common(first, self._text[following : following + PREFIX])
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

    def _spelled(self, text: str, at: int, until: int, fault: int) -> ReadValue | None:
        """The value as another language prints it."""
        is_loose = text[at] == "{" and _LOOSE.search(text, max(fault - 1, at + 1), fault + 2) is not None
        if not is_loose and BEGINS.match(text, at, until) is None:
            return None
        other = spelled(text, at, until)
        self._budget -= other.end - at
        if not other.value or _NAMES.search(text, at, other.end) is None:
            return None
        return ReadValue(other.end, written(other.value).decode(), other.value, other.is_cut)


def _common(first: str, second: str) -> str:
    """The beginning of a line, comparable with other lines': its numbers (times, above all) do not count."""
    length = 0
    for one, other in zip(first, second, strict=False):
        if one != other and not (one.isdigit() and other.isdigit()):
            break
        length += 1
    return second[:length]


def _in_one_line(text: str) -> str:
    """JSON without line breaks: within strings it has none."""
    return re.sub(r"\s*\n\s*", "", text) if "\n" in text else text
