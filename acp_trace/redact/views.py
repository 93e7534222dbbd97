r"""A text with its escapes read: every view of it, with a way back to the text itself.

A secret in JSON in a string is spelled as the writer of that JSON does: Go writes `\u0026`, .NET `\u002B`,
PHP `\/`, and a URL `%2b` or `%2B`. A terminal puts colours around it, or into it. The spellings of a secret
cannot be listed; so the text is read, and the secret is searched for as it is. A match in a view is a span of
the text. The searches are elsewhere (`shapes`, `urls`, `finder`, `homes`).
"""

from __future__ import annotations

import html
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import NamedTuple

#: Most views of a text, itself included: each level of escapes is one.
_MOST = 16

_HEX = "[0-9A-Fa-f]"
#: RFC 8259 (7), and further escapes of ECMAScript, Python and C.
_BACKSLASH = re.compile(
    rf"(?:\\\\){{8,}}+|\\(?:u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|u\{{{_HEX}{{1,6}}\}}"
    rf"|x{_HEX}{{2}}|U000{_HEX}{{5}}|[0-3][0-7]{{2}}|[\"'\\/abefnrtv0])"
)
_NAMED = dict(zip("abefnrtv0", "\a\b\x1b\f\n\r\t\v\0", strict=True))
#: RFC 3986 (2.1), character by character of UTF-8.
_NEXT = "%[89ABab][0-9A-Fa-f]"
_PERCENT = re.compile(
    rf"%[0-7]{_HEX}|%[CDcd]{_HEX}{_NEXT}|%[Ee]{_HEX}{_NEXT}{_NEXT}|%[Ff][0-7]{_NEXT}{_NEXT}{_NEXT}"
)
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#[xX][0-9A-Fa-f]{1,6});")
#: ECMA-48: CSI and its 8-bit form, strings (OSC, DCS …) up to their end, all others. `cat -v` writes the
#: first character as `^[`.
_TERMINAL = re.compile(
    r"(?:(?:\x1b|\^\[|\u241b)\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,4}[0-~]|\x1b"
)
_NUL = re.compile("\0+")

_Decode = Callable[[re.Match[str]], str]


class TextView(NamedTuple):
    """A text as it reads. `loose`: something was left out, so that adjacent parts may not belong together."""

    text: str
    loose: bool
    back: tuple[_Step, ...]  #: the steps to it, the last one first

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the place of a part of this view in the text."""
        for step in self.back:
            start, end = step.start(start), step.end(end)
        return start, end


class _Step:
    """The way back from one reading. It is made on demand: most texts have no match."""

    __slots__ = ("_at", "_decode", "_froms", "_pattern", "_text", "_tos", "_untils")

    def __init__(self, text: str, pattern: re.Pattern[str], decode: _Decode) -> None:
        self._text, self._pattern, self._decode = text, pattern, decode
        self._at: array[int] | None = None  #: where each escape begins in the output
        #: Where it ends there, and where it begins and ends in the input.
        self._untils, self._froms, self._tos = array("Q"), array("Q"), array("Q")

    def start(self, position: int) -> int:
        """Return where in the text an output position begins."""
        number = bisect_right(self._made(), position) - 1
        if number < 0:
            return position
        if position < self._untils[number]:
            return self._froms[number]
        return self._tos[number] + position - self._untils[number]

    def end(self, position: int) -> int:
        """Return where in the text an output position ends."""
        number = bisect_right(self._made(), position - 1) - 1
        if number < 0:
            return position
        if position <= self._untils[number]:
            return self._tos[number]
        return self._tos[number] + position - self._untils[number]

    def _made(self) -> array[int]:
        if self._at is not None:
            return self._at
        self._at = array("Q")
        done = length = 0
        for match in self._pattern.finditer(self._text):
            start, end = match.span()
            length += start - done
            self._at.append(length)
            length += len(self._decode(match))
            self._untils.append(length)
            self._froms.append(start)
            self._tos.append(end)
            done = end
        return self._at


def views(text: str) -> Iterator[TextView]:
    """Yield the text itself, then all ways to read it, each once."""
    if not _ANY.search(text):
        yield TextView(text, False, ())
        return
    seen = {text}
    waiting = [TextView(text, False, ())]
    while waiting:
        view = waiting.pop(0)
        yield view
        for signs, pattern, decode, loose in _READINGS:
            if len(seen) == _MOST or not any(sign in view.text for sign in signs):
                continue
            made, count = pattern.subn(decode, view.text)
            if count and made not in seen:
                seen.add(made)
                step = _Step(view.text, pattern, decode)
                waiting.append(TextView(made, view.loose or loose, (step, *view.back)))


def _backslash(match: re.Match[str]) -> str:
    escape = match[0][1:]
    first = escape[0]
    if first == "\\":
        return match[0][::2]
    if len(escape) == 1:
        return _NAMED.get(first, first)
    if first in "0123":
        return chr(int(escape, 8))
    if len(escape) == 11:  # the two halves of a pair
        high, low = int(escape[1:5], 16), int(escape[7:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)
    number = int(escape[1:].strip("{}"), 16)
    return chr(number) if number < 0x110000 else "\ufffd"


def _percent(match: re.Match[str]) -> str:
    spelt = bytes.fromhex(match[0].replace("%", ""))
    text = spelt.decode("utf-8", "replace")
    return text if len(text) == 1 else "\ufffd"


def _entity(match: re.Match[str]) -> str:
    text = html.unescape(match[0])
    return text if len(text) == 1 else "\ufffd"


#: A sign of the reading; what it reads; its replacement; whether it is loose. A terminal's escape sequence
#: ends a word, but colours may also begin in the middle of one.
_READINGS: tuple[tuple[str, re.Pattern[str], _Decode, bool], ...] = (
    ("\\", _BACKSLASH, _backslash, False),
    ("%", _PERCENT, _percent, False),
    ("&", _ENTITY, _entity, False),
    ("\x1b\x9b\u241b^\x90\x98\x9d\x9e\x9f", _TERMINAL, lambda _: " ", False),
    ("\x1b\x9b\u241b^\x90\x98\x9d\x9e\x9f", _TERMINAL, lambda _: "", True),
    ("\0", _NUL, lambda _: "", True),
)
#: Every text with more than one view contains one of these.
_ANY = re.compile("[{}]".format(re.escape("".join(dict.fromkeys("".join(row[0] for row in _READINGS))))))


def without_nuls(text: str) -> TextView:
    """Return a text without its zero characters: UTF-16, read as UTF-8, has them."""
    return TextView(_NUL.sub("", text), True, (_Step(text, _NUL, lambda _: ""),))
