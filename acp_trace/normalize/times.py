"""Moments in a text: one form for all of them.

A recording is replayed on another day. So all usual forms of a date are recognised: ISO 8601 with any zone,
`Sun Nov 22 2026`, `22/11/2026`, `November 22, 2026`, times of day, beside dates and alone, and seconds, ms,
µs and ns since 1970. Any other single number is never a date.
"""

from __future__ import annotations

import re

TIME = "‹time›"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DAY = r"(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?\.?"
_YEAR = r"(?:19|20)\d\d"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?(?:[AaPp][Mm]\b|[AaPp]\.[Mm]\.))?"
#: Names of zones that systems print beside offsets; before a year, any name is one.
_NAMES = (
    "UTC|GMT|WES?T|CES?T|EES?T|MSK|BST|IST|SAST|WAT|EAT|CAT|PKT|HKT|SGT|JST|KST|A[CEW][SD]T|NZ[SD]T"
    "|[ECMP][SD]T|AK[SD]T|HST|[AN][SD]T|BRT|ART|CLT"
)
_OFFSET = r"[+-]\d\d(?::?\d\d)?"
_ZONE = (
    rf"(?:\s?(?:(?:Z|{_NAMES})(?:{_OFFSET})?|{_OFFSET}|[A-Z]{{3,5}}(?=\s\d{{4}}\b))\b(?![.-]\w)"
    r"(?:\s\([A-Z][^()\n]{2,40}\))?)?"
)
_DATE = (
    rf"(?:{_YEAR}-\d\d-\d\d|{_YEAR}/\d\d?/\d\d?|\d\d?/\d\d?/{_YEAR}|\d\d?\.\d\d?\.{_YEAR}"
    rf"|(?:{_DAY},?\s)?(?:{_MONTH}\s\s?\d{{1,2}}(?:st|nd|rd|th)?,?|\d{{1,2}}(?:st|nd|rd|th)?\s{_MONTH},?(?!\s\s?\d\d?\s))"
    rf"(?:\s{_CLOCK}{_ZONE})?(?:\s\s?{_YEAR})?|{_MONTH}\s{_YEAR})(?:\s\({_DAY}\))?"
)
#: Since 1970, from 2017 to 2033: s, ms, µs, ns.
_EPOCH = r"1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?"
_HOUR = r"(?:[01]?\d|2[0-3])"
_AM_PM = r"(?:\s?[AaPp][Mm]\b)?"
#: Recognisable forms, by their names.
FORMS = {
    # The `n` of an escaped line end does not belong to the word behind it: `\\nSun Nov 22`.
    "date": (
        rf"(?:(?<![\w.])|(?<=\\[nrt]))(?:{_DAY},?\s)?{_DATE}"
        # A file's name must not contain colons: `2026-11-22T10-11-12-345Z`.
        rf"(?:(?:T|,?\s(?:at\s)?){_CLOCK}{_ZONE}|T\d\d-\d\d(?:-\d\d(?:[.-]\d{{3}})?)?Z?)?(?!\w)(?!-\d)"
    ),
    "this year": (
        r"(?<=[Cc]urrent year is )20\d\d\b|(?<=[Cc]urrent year \()20\d\d\b|(?<=[Cc]urrent year: )20\d\d\b"
    ),
    # A position in a file is not one: `line 12:34`, `a.py:12:34`.
    "time of day": (
        r"(?:(?<![\w.:-])|(?<=\\[nrt]))(?<!line )(?<!lines )"
        rf"{_HOUR}:[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?{_AM_PM}{_ZONE}(?![\w:])"
    ),
    # Python's form: `datetime.datetime(2026, 11, 26, 21, 4)`.
    "object": r"(?:\b|(?<=\\[nrt]))datetime\.(?:date|datetime|time)\([\d, ]+(?:, tzinfo=[\w.]+)?\)",
    "since 1970": rf"(?:(?<![\w.])|(?<=\\[nrt])){_EPOCH}(?!\w|\.\w)",
}
_MOMENT = re.compile("|".join(FORMS.values()))
#: A part that each form has: searching for it first takes a fifth of the time.
_MAY_BE = re.compile(
    r"\d(?::[0-5]\d|[-/.]\d\d?[-/.]\d|\d{9})|[JFMASOND][a-z]{2,8}\.?,?\s+\d|\d\w{0,2}\s[JFMASOND][a-z]"
    r"|urrent year|datetime\."
)
_FIRST, _LAST = 1_500_000_000, 2_000_000_000


def mask(text: str, found: list[str]) -> str:
    """Return the text with one form for all moments, which are added to `found`."""

    def note(match: re.Match[str]) -> str:
        found.append(match[0])
        return TIME

    return text if _MAY_BE.search(text) is None else _MOMENT.sub(note, text)


def is_moment(number: float) -> bool:
    """Whether a number of JSON is a moment: s, ms, µs or ns since 1970, from 2017 to 2033."""
    return any(_FIRST * scale <= number < _LAST * scale for scale in (1, 1_000, 1_000_000, 1_000_000_000))
