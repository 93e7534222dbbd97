"""Texts made comparable: ids, times, durations and figures of usage that stand in them, and directories.

Only `content` looks at texts in this way. What a text names is known from the trace (ids and directories),
or has a form of its own (`_FORMS`); a number by itself is compared.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from acp_trace.compare.values import pointers
from acp_trace.compare.values.directories import Directories
from acp_trace.model.listings import OWN_DIRECTORY
from acp_trace.model.matching.times import SHOWN_BY_PYTHON, is_moment

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun"
_CLOCK = r"\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp][Mm]\b)?"
#: `UTC`, `+0100`, `GMT-0300 (…)`. For a zone without a name, `date` writes its offset: `-03`.
_ZONE = r"\s?(?:Z|UTC|(?:GMT|UTC)?[+-]\d\d(?::?\d\d)?|GMT)\b(?![.-]\w)(?:\s\([A-Z][^()\n]{2,40}\))?"
_UNITS = "ms|µs|us|ns|seconds?|secs?|s|minutes?|mins?|min|m|hours?|hrs?|h"  #: the longer ones first
#: What has a form of its own, by the word that takes its place.
_FORMS = {
    "address": r"0x[0-9a-fA-F]{8,16}",  # of an object in memory, as Python says it
    "uuid": r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
    "time": (
        rf"\d{{4}}-\d\d-\d\d(?:[T ]{_CLOCK}(?:{_ZONE})?)?(?:\s\((?:{_DAYS})[a-z]*\))?"
        rf"|(?:(?:{_DAYS}),?\s+)?(?:{_MONTHS})\s+\d{{1,2}}"
        rf"(?:,?\s+(?:\d{{4}}\b|{_CLOCK}(?:{_ZONE})?|[A-Z]{{3,5}}(?=\s+\d{{4}}\b)))*"
        rf"|(?:{_DAYS}),?\s+\d{{1,2}}\s+(?:{_MONTHS})\s+\d{{4}}(?:\s+{_CLOCK}(?:{_ZONE})?)?"
        rf"|{_CLOCK}(?:{_ZONE})?"
        rf"|{SHOWN_BY_PYTHON}"
        r"|1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?"  # since 1970: s, ms, µs, ns
    ),
    "duration": rf"(?:\d+(?:[.,]\d+)?\s?(?:{_UNITS})\b\s?)+(?<!\s)",
    "tokens": r"\d[\d.,]*\s?[kKM]?\s?tokens\b",
    "process": r"(?i:pp?id|pgid)\b\W{0,2}\d+",
    "cost": r"\$\s?\d+(?:\.\d+)?",
    "listed": OWN_DIRECTORY,
}
_FORM = re.compile(
    # The `n` of an escaped line end does not belong to the word behind it: `\nSun Nov 22`.
    r"(?:(?<![\w.])|(?<=\\[nrt]))(?:"
    + "|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
    + r")(?!\w)"
)
_WORD = re.compile(r"[\w-]{8,}")
_DIGIT = re.compile(r"\d")
_HYPHENS = 4  #: of a uuid, the only form that may do without a digit
_SHORT = 4096  #: characters of a text that may come again: a title, a name, a command
_REMEMBERED = 1024  #: such texts
#: Members whose figures are another in each run, wherever they stand in raw input or output.
_FIGURES = re.compile(r"(?i)time|duration|elapsed|_at(?:_ms)?$|At(?:Ms)?$|^pid$|tokens?$|cost|usage")
#: Members whose value an agent makes up, wherever they stand in raw input.
_ID = r"(?:tool_?)?(?:call|turn|process|session|message|request|terminal|task)_?id"
_IDS = re.compile(rf"(?i)^{_ID}$")
#: The same in a text that shows an object as JSON or Python does: `'task_id': '5ac630897ae2'`, and measured
#: times: `'timestamp': 30025.243660276`. All other values are compared, because a text may quote a file.
_QUOTED = (
    (re.compile(rf"(?i)((\\*[\"']){_ID}\2: ?\2)(?=[\w-]*\d)[\w-]{{6,}}(?=\2)"), r"\1‹id›"),
    (re.compile(r"(?i)((\\*[\"'])\w*(?:time|elapsed|duration)\w*\2: ?)\d+\.\d{3,}"), r"\1‹figure›"),
)


#: Figures of usage that differ by no more are the same: an agent counts the letters of a directory, too.
_NEAR = 0.25


def are_near(expected: Any, actual: Any) -> bool:
    """Whether figures of usage are the same, but for what runs differ in: none is gone, and each is near.

    `{"input": 1000}` and `{"input": 1100, "thought": 1}` are, `{"input": 2000}` is not.
    """
    if isinstance(expected, dict) and isinstance(actual, dict):
        return all(are_near(value, actual.get(key)) for key, value in expected.items())
    if expected is pointers.NOTHING:
        return True
    types = {pointers.type_of(expected), pointers.type_of(actual)}
    if types == {"number"}:
        with contextlib.suppress(OverflowError):  # JSON has numbers of any length
            return bool(abs(expected - actual) <= _NEAR * max(abs(expected), abs(actual)))
    return pointers.same(expected, actual)


class Wording:
    """How the texts of one trace are looked at. `ids`: those that its sides made up, and texts may quote."""

    def __init__(self, directories: Directories, ids: Collection[str] = ()) -> None:
        self._directories = directories
        self._ids = frozenset(id_ for id_ in ids if _WORD.fullmatch(id_))
        self._remembered = lru_cache(_REMEMBERED)(self._neutral_text)

    def text(self, text: str) -> str:
        """A text without what is another in each run: `took 3.1s in /tmp/x` is `took ‹duration› in ‹cwd›`."""
        return self._remembered(text) if len(text) <= _SHORT else self._neutral_text(text)

    def _neutral_text(self, text: str) -> str:
        text = self._directories.named(text)
        if self._ids and not self._ids.isdisjoint(_WORD.findall(text)):
            text = _WORD.sub(self._id, text)
        if _DIGIT.search(text) is None and text.count("-") < _HYPHENS:
            return text  # most texts: to look for each form at each character would take ten times as long
        for quoted, compared in _QUOTED:
            text = quoted.sub(compared, text)
        return _FORM.sub(lambda match: f"‹{match.lastgroup}›", text)

    def neutral(self, value: Any) -> Any:
        """The value with each of its texts so, and without figures of times and usage."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.neutral(inner) for inner in value]
        if isinstance(value, dict):
            return {key: self._member(key, inner) for key, inner in value.items()}
        return value

    def _member(self, key: str, value: Any) -> Any:
        if isinstance(value, (str, int)) and _IDS.search(key):
            return "‹id›"
        if isinstance(value, (int, float)) and not isinstance(value, bool) and is_moment(value):
            return "‹time›"
        return self._figure(value) if _FIGURES.search(key) else self.neutral(value)

    def _figure(self, value: Any) -> Any:
        """A figure, or an object of figures: `{"duration": {"secs": 0, "nanos": 17347982}}`."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return "‹figure›"
        if isinstance(value, dict):
            return {key: self._figure(inner) for key, inner in value.items()}
        return self.neutral(value)

    def _id(self, match: re.Match[str]) -> str:
        return "‹id›" if match[0] in self._ids else match[0]
