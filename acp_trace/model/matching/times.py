"""Moments and stretches of time in a text, and what else a run counts: one form for all of them.

A recording is replayed on another day. So every usual form of a date is one: ISO 8601 with any zone,
`Sun Nov 22 2026`, `22/11/2026`, `November 22, 2026`, times of day beside them, seconds and milliseconds since
1970. A number alone is never a date.
"""

from __future__ import annotations

import re

from acp_trace.model.listings import LISTED, OWN_DIRECTORY

TIME = "‹time›"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\.?"
_YEAR = r"(?:19|20)\d\d"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?(?:[AaPp][Mm]\b|[AaPp]\.[Mm]\.))?"
_ZONE = r"(?:\s?(?:Z\b|UTC|GMT|[A-Z]{3,4}\b)?(?:\s?[+-]\d\d(?::?\d\d)?\b)?(?:\s?\([A-Z][^()\n]{2,40}\))?)"
_DATE = (
    rf"(?:{_YEAR}-\d\d-\d\d|{_YEAR}/\d\d?/\d\d?|\d\d?/\d\d?/{_YEAR}|\d\d?\.\d\d?\.{_YEAR}"
    rf"|(?:{_DAY},?\s)?(?:{_MONTH}\s\s?\d{{1,2}}(?:st|nd|rd|th)?,?|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH},?(?!\s\s?\d\d?\s))"
    rf"(?:\s{_CLOCK}{_ZONE})?(?:\s{_YEAR})?|{_MONTH}\s{_YEAR})(?:\s\({_DAY}\))?"
)
#: `datetime.datetime(2026, 11, 26, 21, 4)`, as Python shows a moment.
SHOWN_BY_PYTHON = r"datetime\.(?:date|datetime|time)\([\d, ]+(?:, tzinfo=[\w.]+)?\)"
_MOMENT = re.compile(
    # The `n` of an escaped line end does not belong to the word behind it: `\nSun Nov 22`.
    rf"(?:(?<![\w.-])|(?<=\\[nrt]))(?:{_DAY},?\s)?{_DATE}(?:(?:T|,?\s(?:at\s)?){_CLOCK}{_ZONE})?(?![\w-])"
    r"|(?<=[Cc]urrent year is )20\d\d\b|(?<=[Cc]urrent year \()20\d\d\b|(?<=[Cc]urrent year: )20\d\d\b"
    r"|(?<![\w.:-])(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:[.,]\d+)?(?:\s?[AaPp][Mm])?" + _ZONE + r"(?![\w:])"
    rf"|\b{SHOWN_BY_PYTHON}"
    # Since 1970, from 2017 to 2033: s, ms, µs, ns.
    r"|(?<![\w.])1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?!\w|\.\w)"
)
#: What is said of a run beside its times: its word stays, its number goes.
_MEASURE = re.compile(
    r"(?i)(\b(?:pid|process(?: id)?|ppid|pgid|port|elapsed|took|duration|wall time|uptime"
    r"|(?:finished|completed) in|ran for)"
    r"(?:[\"']?\s*[:=]?\s*|\s)\(?)\d+(?:\.\d+)?(\s?(?:ms|s|secs?|seconds?|milliseconds?|minutes?|m)\b)?"
)
_OWN_DIRECTORY = re.compile(rf"(?:(?<![\w.])|(?<=\\n)){OWN_DIRECTORY}(?!\w)")
_WITH_DIGITS = re.compile(r"\b[^\W\d]*\d[\w.,:]*")
_FIRST, _LAST = 1_500_000_000, 2_000_000_000


def mask(text: str, found: list[str] | None = None) -> str:
    """The text with one form for all moments, and without numbers that belong to a run.

    The moments are added to those found.
    """
    if not any(digit in text for digit in "0123456789"):
        return text
    if " ." in text:
        text = _OWN_DIRECTORY.sub(LISTED, text)
    if found is not None:
        found += (match[0] for match in _MOMENT.finditer(text))
    text = _MOMENT.sub(TIME, text)
    return _MEASURE.sub(r"\1‹n›", text)


def without_numbers(text: str) -> str:
    """The text with `0` for each word that has digits: sizes, times, short ids such as `5b6e60`."""
    return _WITH_DIGITS.sub("0", text)


def is_moment(number: float) -> bool:
    """Whether a number of JSON is a moment: s, ms, µs or ns since 1970, from 2017 to 2033."""
    return any(_FIRST * scale <= number < _LAST * scale for scale in (1, 1_000, 1_000_000, 1_000_000_000))
