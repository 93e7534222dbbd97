"""Whether two texts differ only in what they quote: what tools returned, and what the model said.

Agents also ask their model beside the conversation: for a title, for a summary. Such a request quotes a
tool's output as plain text, and `ls -la` prints the minute. So the lines that tools returned in the recording
and in the run are known: if one text quotes a line of its side, so may the other. A line that tools returned
on both sides does not vary, so a difference in it means that something else was asked for.

Such a request also quotes what the model has said so far, which depends on the moment of the request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any

from acp_trace.model.matching.outputs import AROUND, ToolOutputs, lines

_LONG = 6  #: of a part of a line, and of what a model said
_ANCHOR = 16  #: characters that both texts must have besides what they quote
_REST = 40  #: the same, if they quote what the model said
_DIGITS = re.compile(r"\d+")
_MOST = 20_000  #: characters of texts that are searched for the model's words
_MOST_LINES = 5000  #: of two texts that are compared line by line
_BLANK = re.compile(r"\s+")


class Quotes:
    """What may be quoted: what tools `gave` in the recording and in the run; what the model `said`."""

    def __init__(self, gave: ToolOutputs, gives: ToolOutputs, said: Iterable[str]) -> None:
        self._gave, self._gives = gave, gives
        texts = {text.strip() for each in said for text in (each, *each.split("\n"))}
        self._said = sorted((text for text in texts if len(text) >= _LONG), key=len, reverse=True)

    def agree(self, recorded: Any, actual: Any) -> bool:
        """Whether two values differ only in texts that differ only in what they quote."""
        if isinstance(recorded, str) and isinstance(actual, str):
            return recorded == actual or self._texts(recorded, actual) or self._words(recorded, actual)
        if isinstance(recorded, list) and isinstance(actual, list):
            return len(recorded) == len(actual) and all(map(self.agree, recorded, actual))
        if isinstance(recorded, dict) and isinstance(actual, dict):
            return recorded.keys() == actual.keys() and all(
                self.agree(recorded[key], actual[key]) for key in recorded
            )
        return bool(recorded == actual)

    def _texts(self, recorded: str, actual: str) -> bool:
        """Whether two texts differ only in lines of tools' results.

        A run may quote output that no request has contained yet: then only digits may differ.
        """
        was, now = lines(recorded), lines(actual)
        if max(len(was), len(now)) > _MOST_LINES:
            return False
        common = 0
        for code, begin, end, actual_begin, actual_end in SequenceMatcher(
            None, was, now, False
        ).get_opcodes():
            old, new = was[begin:end], now[actual_begin:actual_end]
            if code == "equal":
                common += sum(map(len, old))
                continue
            if len(old) == len(new):
                cores = [_cores(*pair) for pair in zip(old, new, strict=True)]
                common += sum(len(line) - len(core) for line, (core, _) in zip(old, cores, strict=True))
                old, new = [core for core, _ in cores], [core for _, core in cores]
            if not self._vary(old, new):
                return False
        return common >= _ANCHOR

    def _vary(self, old: list[str], new: list[str]) -> bool:
        """Whether these are lines that tools returned, and that differ from run to run."""
        if not all(self._gave.has(line) and not self._gives.has(line) for line in old if line):
            return False
        if any(self._gave.has(line) for line in new if line):
            return False
        if all(self._gives.has(line) for line in new if line):
            return True
        return [_DIGITS.sub("0", line) for line in old] == [_DIGITS.sub("0", line) for line in new]

    def _words(self, recorded: str, actual: str) -> bool:
        """Whether two texts are equal without what the model said in them."""
        if min(len(recorded), len(actual)) < _REST or max(len(recorded), len(actual)) > _MOST:
            return False
        for text in self._said:
            recorded, actual = recorded.replace(text, ""), actual.replace(text, "")
        rest = _BLANK.sub("", recorded)
        return len(rest) >= _REST and rest == _BLANK.sub("", actual)


def _cores(old: str, new: str) -> tuple[str, str]:
    """Return two lines without their common ends: of `<result>total 8`, `total 8`."""
    before, after = _common(old, new)
    cores = [line[before : len(line) - after].strip(AROUND) for line in (old, new)]
    return (cores[0], cores[1]) if min(map(len, cores)) >= _LONG else (old, new)


def _common(first: str, second: str) -> tuple[int, int]:
    """Return how many characters at both ends are equal, up to a character that is not part of a word."""
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
