"""What tools gave: where it stands in a request, and whether another text quotes it.

Agents ask their model beside the conversation, too: for a title, for a summary. Such a request quotes what a
tool printed as plain text, and `ls -la` prints the minute. So the lines that tools gave are known, those of
the recording and those of the run: where the one quotes a line of its own, so may the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

from acp_trace.trace import jsontext

MASK = "‹output›"
_LINE = re.compile(r"\r?\n|\\r\\n|\\n|\\r")
_AROUND = " \t\r\"'`,\\>|"
_LONG = 6  #: of a part of a line; a shorter one must be the whole line
_DIGITS = re.compile(r"\d+")
_MOST_LINES = 5000  #: of two texts that are compared line by line


def key_of(value: dict[str, Any]) -> str | None:
    """Under which key of an object stands what a tool gave; None if it is not such an object."""
    kind = value.get("type")
    if isinstance(kind, str) and kind.endswith(("_output", "tool_result")):
        return "output" if "output" in value else "content"
    if value.get("role") in ("tool", "function"):
        return "content"
    return None


#: Keys of objects that hold what a tool gave, and the key in them.
_HOLDERS = {"functionResponse": "response", "function_response": "response", "toolResult": "content"}


def masked(value: Any) -> Any:
    """A value without what tools gave."""
    if isinstance(value, list):
        return [masked(item) for item in value]
    if not isinstance(value, dict):
        return value
    key = key_of(value)
    made: dict[str, Any] = {}
    for name, inner in value.items():
        holder = _HOLDERS.get(name)
        if name == key:
            made[name] = MASK
        elif holder is not None and isinstance(inner, dict) and holder in inner:
            made[name] = {**inner, holder: MASK}
        else:
            made[name] = masked(inner)
    return made


def texts(value: Any, *, inside: bool = False) -> Iterator[str]:
    """All texts that tools gave."""
    if isinstance(value, str):
        if inside:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item, inside=inside)
    elif isinstance(value, dict):
        key = key_of(value)
        for name, inner in value.items():
            holder = _HOLDERS.get(name)
            if holder is not None and isinstance(inner, dict):
                yield from texts(inner.get(holder), inside=True)
            else:
                yield from texts(inner, inside=inside or name == key)


class ToolOutputs:
    """The lines that tools gave on one side, so far."""

    def __init__(self) -> None:
        self.pieces: set[int] = set()  #: the numbers of those taken in
        self._lines: set[str] = set()
        self._shapes: set[str] = set()  #: lines without their digits
        self._text = "\n"

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, text: str) -> None:
        """Takes in what a tool gave."""
        for line in lines(text):
            if line and line not in self._lines:
                self._lines.add(line)
                self._shapes.add(_DIGITS.sub("0", line))
                self._text += line + "\n"

    def has(self, line: str) -> bool:
        """Whether a tool gave this line, or a long part of a line."""
        return line in self._lines or (len(line) >= _LONG and line in self._text)

    def has_like(self, line: str) -> bool:
        """Whether a tool gave this line, but for its digits."""
        return self.has(line) or _DIGITS.sub("0", line) in self._shapes


def lines(text: str) -> list[str]:
    """The lines of a text, also of one in JSON in a string, without what quotes stand around them."""
    return [line.strip(_AROUND) for line in _LINE.split(text)]


def values_agree(recorded: Any, actual: Any, gave: ToolOutputs, gives: ToolOutputs) -> bool:
    """Whether two values differ only in texts that do so where each quotes what its tools gave."""
    if isinstance(recorded, str) and isinstance(actual, str):
        return recorded == actual or agree(recorded, actual, gave, gives)
    if isinstance(recorded, list) and isinstance(actual, list):
        pairs = zip(recorded, actual, strict=False)
        return len(recorded) == len(actual) and all(values_agree(*pair, gave, gives) for pair in pairs)
    if isinstance(recorded, dict) and isinstance(actual, dict):
        return recorded.keys() == actual.keys() and all(
            values_agree(recorded[key], actual[key], gave, gives) for key in recorded
        )
    return bool(recorded == actual)


def agree(recorded: str, actual: str, gave: ToolOutputs, gives: ToolOutputs) -> bool:
    """Whether two texts differ only where each quotes what its tools gave.

    A run may quote what no request has told yet: then it must be what the recording quotes, but for digits.
    """
    was, now = lines(recorded), lines(actual)
    if max(len(was), len(now)) > _MOST_LINES:
        return False
    for _, begin, end, actual_begin, actual_end in _differing(was, now):
        old, new = was[begin:end], now[actual_begin:actual_end]
        if not all(map(gave.has, filter(None, map(_core(old, new, 0), old)))):
            return False
        if all(map(gives.has, filter(None, map(_core(old, new, 1), new)))):
            continue
        if list(map(_shape, old)) != list(map(_shape, new)):
            return False
    return True


def _differing(was: list[str], now: list[str]) -> Iterable[tuple[str, int, int, int, int]]:
    matcher = SequenceMatcher(None, was, now, autojunk=False)
    return (code for code in matcher.get_opcodes() if code[0] != "equal")


def _shape(line: str) -> str:
    return _DIGITS.sub("0", line)


def _core(old: list[str], new: list[str], side: int) -> Any:
    """What is left of a line without what the other side has at its ends, too: `<result>total 8`."""
    if len(old) != len(new):
        return lambda line: line
    cores = {}
    for pair in zip(old, new, strict=True):
        before, after = _common(pair[0], pair[1])
        line = pair[side]
        cores[line] = line[before : len(line) - after].strip(_AROUND)
    return lambda line: cores[line] if len(cores[line]) >= _LONG else line


def _common(first: str, second: str) -> tuple[int, int]:
    """How many characters at the beginning and at the end are equal, up to a sign that is part of no word."""
    most = min(len(first), len(second))
    before = 0
    while before < most and first[before] == second[before]:
        before += 1
    while before and first[before - 1] not in "<>:=|\"'`([{":
        before -= 1
    after = 0
    while after < most - before and first[-1 - after] == second[-1 - after]:
        after += 1
    while after and first[len(first) - after] not in "<>|\"'`)]}":
        after -= 1
    return before, after


def value_of(data: bytes) -> Any:
    """The JSON of a piece; its text, if it is not JSON."""
    value = jsontext.value_or_none(data)
    return data.decode("utf-8", "replace") if value is None and data != b"null" else value
