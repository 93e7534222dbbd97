"""Private keys in a text (RFC 7468, RFC 4880): whole, cut at either end, with a prefix on every line.

One pass over the marks of a text, so that even many beginnings without an end take linear time. A key without
its end extends as far as the text looks like a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

#: PuTTY's keys have marks of their own.
_MARK = re.compile(
    r"-{4,5} ?(?:(BEGIN)|END) (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    r"|(PuTTY-User-Key-File-\d: )|Private-MAC: [0-9a-fA-F]{16,128}"
)
#: Every text with a mark contains one of these.
SIGNS = ("PRIVATE KEY", "PuTTY-User", "Private-MAC")
#: Everything between two marks that are at most this far apart is a key.
NEAR = 8000
_REST = 400  #: before its end mark a key may have short lines, each with a prefix

_BASE64 = r"[A-Za-z0-9+/]"
#: Between the words of a key, even in source code, in a comment, in JSON in a string.
_SPACE = r"(?:\s|\\[nrt]|[\"'+,>|#*])*+"
_HEADER = (
    r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID|Encryption|Public-Lines|Private-Lines"
    r"|Key-Derivation|Argon2-\w{1,20}): [^\r\n\\]{0,200}"
)
_LINE_END = r"(?=[ \t\"',\\]*+(?:[\r\n]|\\[nr]|\Z))"
#: The content of a key: headers, long words, lines that are one word; if lines have a prefix, lines with the
#: length of a key's lines.
_BODY = re.compile(
    rf"{_SPACE}(?:{_HEADER}|{_BASE64}{{40,}}+={{0,2}}|{_BASE64}{{16,}}+={{0,2}}{_LINE_END}"
    rf"|(?<=[\r\n])[^\r\n]{{1,120}}?(?<!{_BASE64})(?:{_BASE64}{{60,80}}+={{0,2}}{_LINE_END}"
    rf"|{_BASE64}{{16,}}+\Z))"
)
#: Its end: a last short line, a checksum; or the end of the text.
_LAST = re.compile(rf"(?:{_SPACE}={{0,1}}{_BASE64}++={{0,2}}{_LINE_END}){{1,2}}")
_CUT = re.compile(rf"{_SPACE}{_BASE64}++={{0,2}}\Z")
_WORDS = re.compile(rf"{_BASE64}{{16,}}={{0,2}}")
_LINE = re.compile(rf"(?:.{{0,120}}[^A-Za-z0-9+/])??(={{0,1}}{_BASE64}+={{0,2}})\s*")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where private keys, and remains of them, are in a text, from left to right."""
    if not any(sign in text for sign in SIGNS):
        return
    begin: re.Match[str] | None = None
    done = 0
    for mark in _MARK.finditer(text):
        if not (mark[1] or mark[2]):  # an end
            start = _before(text, done, mark.start()) if begin is None else begin.start()
            if begin is None and start < mark.start():
                yield start, mark.end()
            elif begin is not None:
                end = _body(text, begin.end(), mark.start())
                if mark.start() - begin.end() <= NEAR or mark.start() - end <= _REST:
                    yield start, mark.end()
                elif end > begin.end():
                    yield start, end
            begin, done = None, mark.end()
            continue
        if begin is not None and (end := _body(text, begin.end(), mark.start())) > begin.end():
            yield begin.start(), end
        begin = mark
    if begin is not None and (end := _body(text, begin.end(), len(text))) > begin.end():
        yield begin.start(), end


def open_at(text: str) -> int | None:
    """Return where a key begins whose end may still come with more text."""
    at = text.rfind("BEGIN ", max(len(text) - NEAR - 100, 0))
    if at < 0 or "PRIVATE KEY" not in text[at:]:
        return None
    marks = [mark for mark in _MARK.finditer(text, max(at - 6, 0)) if mark.start() >= at - 6]
    return marks[0].start() if len(marks) == 1 and marks[0][1] else None


def lines(key: str) -> list[str]:
    """Return the lines of a key without their prefixes: logs may hold them one by one."""
    return _WORDS.findall(key) if _MARK.search(key) else []


def _body(text: str, at: int, limit: int) -> int:
    """Return the end of a text that begins at `at` and looks like a key."""
    begin = at
    while match := _BODY.match(text, at, limit):
        at = match.end()
    last = (_LAST if at > begin else _CUT).match(text, at, limit)
    return last.end() if last else at


def _before(text: str, at: int, end: int) -> int:
    """Return where a key begins whose first lines were cut off, and whose end mark is at `end`."""
    start = line_start = text.rfind("\n", at, end) + 1 or at
    short = 2
    while line_start > at:
        above = text.rfind("\n", at, line_start - 1) + 1 or at
        match = _LINE.fullmatch(text, above, line_start)
        if match is None:
            break
        if len(match[1]) < 60 and above > at:
            short -= 1
            if short < 0:
                break
        start, line_start = match.start(1), above
    return start if end - start > 32 else end
