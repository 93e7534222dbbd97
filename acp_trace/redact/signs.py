"""Signs of what may be a secret: whether a text, or the bytes of a line, are worth a closer look.

A text without a sign holds no shape (`shapes`) and no URL with a secret; a text with one may hold nothing.
Nearly all lines of a trace have no sign, so the search has to be fast: few regular expressions, made from the
prefixes of `token_shapes`, look for one character of a prefix and then around it. That is several times as
fast as a choice of words, or as a search for each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from acp_trace.redact import pem
from acp_trace.redact.token_shapes import MAKERS, ODD

#: A prefix of at most this length is a part of many words. It needs a border before it, and a key after it.
SHORT = 4
#: Parts of the names of headers that hold only a key. `x-` headers are judged by their whole name.
HEADERS = ("api-key", "auth-token", "private-token", "authorization")
_WORDS = ("bearer", "basic", *HEADERS)
_WORDS_BYTES = [word.encode() for word in _WORDS]

#: Characters to look for: each prefix is found by the first of these that it has, or as it is.
_MARKS = ("-", "_", ".", "/", "A")
#: What may stand before a short prefix: no letter, or the end of an escape (of JSON, a terminal, a URL).
_BORDERS = (
    r"(?<={0})(?<![A-Za-z0-9]{0})",
    r"(?<=\\[nrt]{0})",
    r"(?<=[0-9;\[]m{0})",
    r"(?<=[0x%][0-9A-Fa-f][0-9A-Fa-f]{0})",
)
_GOES_ON = r"(?=[\w+/.%&\\-]{6})"
#: A short prefix whose key is also found inside a word (`Maker.inside`) needs no border, but all of its key.
_INSIDE = {
    prefix: f"(?=[{maker.of}]{{{maker.least}}})"
    for maker in MAKERS
    for prefix in maker.prefixes
    if maker.inside and len(prefix) <= SHORT
}
#: What else is found by a mark: the name of an `x-` header; an id of 32 digits and its secret.
_MORE = {"-": r"(?<=[Xx]-)(?<![A-Za-z0-9][Xx]-)(?=[A-Za-z])", ".": r"(?<=[0-9a-f]{32}\.)(?=\w)"}
#: Escapes that may hide a sign in the bytes of a line.
_ESCAPES = re.compile(rb"\\(?:/|u00(?:[2-7]|1[bB]))")


def mark_of(prefix: str) -> str | None:
    """Return the character by which a prefix is found; None if the prefix has none of them."""
    return next((mark for mark in _MARKS if mark in prefix), None)


def _written(mark: str, prefixes: Iterable[str]) -> str:
    """Return a regular expression that finds prefixes by a mark in each, and the characters around it."""
    by_previous: dict[str, list[str]] = {}
    for prefix in prefixes:
        at = prefix.rindex(mark)
        head, tail = re.escape(prefix[: at + 1]), re.escape(prefix[at + 1 :])
        is_short = len(prefix) <= SHORT
        before = "(?:" + "|".join(one.format(head) for one in _BORDERS) + ")" if is_short else f"(?<={head})"
        found = by_previous.setdefault(prefix[:at][-1:], [])
        found.append(before + tail + (_GOES_ON if is_short else ""))
        if prefix in _INSIDE:
            found.append(f"(?<={head}){tail}{_INSIDE[prefix]}")
    spelt = re.escape(mark)
    branches = [
        f"(?<={re.escape(previous)}{spelt})(?:{'|'.join(each)})" if previous else "|".join(each)
        for previous, each in by_previous.items()
    ]
    inner = f"(?:{'|'.join(branches)})"
    if "" not in by_previous:
        inner = f"(?<=[{re.escape(''.join(by_previous))}]{spelt}){inner}"
    return f"{spelt}(?:{inner}|{_MORE[mark]})" if mark in _MORE else spelt + inner


_PREFIXES = tuple(dict.fromkeys(prefix for maker in MAKERS for prefix in maker.prefixes))
_FOUND = [_written(mark, (one for one in _PREFIXES if mark_of(one) == mark)) for mark in _MARKS]
#: What is looked for as it is; at last the placeholders of an earlier redaction.
_LITERALS = (*(one for one in _PREFIXES if mark_of(one) is None), *ODD, *pem.SIGNS)
_LITERALS_BYTES = [literal.encode() for literal in (*_LITERALS, "<secret:")]


@lru_cache(None)
def _in_text() -> list[Callable[[str], object]]:
    """Return searches for what begins with a mark. They are made on demand, because that takes a while."""
    return [re.compile(found, re.ASCII).search for found in _FOUND]


@lru_cache(None)
def _in_bytes() -> list[Callable[[bytes], object]]:
    """The same in the bytes of a line."""
    return [re.compile(found.encode()).search for found in _FOUND]


#: A URL that can hold a secret. Up to the next one, so that no line takes longer than its length. Many
#: programs write letters that are not ASCII as escapes (`\u00e9`), in JSON in JSON with more backslashes.
_LETTER = rb"|\\++u"
_PATH = rb"(?:[^\s\"\\?#:]|:(?!//)" + _LETTER + rb")*"
_QUERY = rb"(?:[^\s\"\\=:]|:(?!//)" + _LETTER + rb")*"
_URL = re.compile(rb"://(?:(?:[^/?#\s\"\\@]" + _LETTER + rb")*@|" + _PATH + rb"[?#]" + _QUERY + rb"=)")


def in_text(text: str) -> bool:
    """Whether a text may hold a shape, apart from escapes."""
    for search in _in_text():
        if search(text):
            return True
    for literal in _LITERALS:
        if literal in text:
            return True
    text = text.lower()
    return any(word in text for word in _WORDS)


def in_line(line: bytes) -> bool:
    """Whether a line may hold a shape or a URL with a secret: all such lines pass, and few others."""
    for search in _in_bytes():
        if search(line):
            return True
    for literal in _LITERALS_BYTES:
        if literal in line:
            return True
    if b"mcpServers" in line or _ESCAPES.search(line) or (b"://" in line and _URL.search(line)):
        return True
    line = line.lower()
    for word in _WORDS_BYTES:
        if word in line:
            return True
    return b"%3a%2f%2f" in line
