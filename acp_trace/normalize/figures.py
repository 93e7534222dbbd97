"""The figures of a run: durations, usage, costs, numbers of processes and ports.

A number by itself is compared: the word beside it, its unit or its member shows that it belongs to a run.
Repetitions are bounded, because a trace may hold any text.
"""

from __future__ import annotations

import contextlib
import re
from typing import Any

from acp_trace.normalize import pointers

FIGURE = "‹figure›"
_UNITS = "ms|µs|us|ns|seconds?|secs?|s|minutes?|mins?|min|m|hours?|hrs?|h"  #: the longer ones first
#: Recognisable forms, each by the word that replaces it.
FORMS = {
    "duration": rf"(?:\d+(?:[.,]\d+)?\s?(?:{_UNITS})\b\s?)+(?<!\s)",
    "tokens": r"\d[\d.,]{0,20}\s?[kKM]?\s?tokens\b",
    "cost": r"\$\s?\d+(?:\.\d+)?",
}
_FORM = re.compile(
    # The `n` of an escaped line end does not belong to the word behind it.
    r"(?:(?<![\w.])|(?<=\\[nrt]))(?:"
    + "|".join(f"(?P<{name}>{form})" for name, form in FORMS.items())
    + r")(?!\w)"
)
#: A part that each form has: searching for it first takes a fifth of the time.
_MAY_BE = re.compile(r"\d\s?[mµunshkKMt]|\$")
#: How the name of a measured value may go on: `duration_ms`, `elapsedSeconds`.
_MEASURE = r"(?:_?time)?(?:_?(?:in_)?(?:ms|us|ns|s|secs?|seconds|millis(?:econds)?|micros(?:econds)?))?"
#: Phrases about a run: the word stays, the number goes.
_COUNTED = re.compile(
    r"(?i)((?:\b|(?<=\\[nrt]))(?:pp?id|pgid|process(?: id)?|port|elapsed|took|duration|wall time|uptime"
    rf"|(?!m(?:ax|in))(?:\w{{1,24}}_)?(?:elapsed|duration|latency|wall_time|run_?time){_MEASURE}"
    r"|(?!max)(?:\w{1,24}_)?(?:total|input|output|prompt|completion|cached|reasoning|subagent)_?tokens"
    r"|(?:finished|completed) in|ran for)(?:[\"']?\s{0,4}[:=]?\s{0,4}|\s)[(\"']?)"
    r"\d{1,24}(?:\.\d{1,24})?(?!\w|\.\w)"
    # A port of this machine that no server asks for: the system assigned it.
    r"|((?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):)(?:3[3-9]|[45]\d|6[0-5])\d{3}(?!\w)"
)
#: Measured times in a text that shows an object as JSON or Python does: `'timestamp': 30025.243660276`.
_SHOWN = re.compile(r"(?i)((\\{0,8}[\"'])\w{0,32}(?:time|elapsed|duration)\w{0,32}\2: ?)\d{1,24}\.\d{3,}")
#: Most texts contain none of these words, so the slower patterns are skipped.
_WORDS = (
    "pid", "pgid", "process", "port", "elapsed", "took", "duration", "latency", "time", "tokens",
    "finished in", "completed in", "ran for", "localhost:", ".0.1:", "0.0.0:", "]:",
)  # fmt: skip
#: Members whose figures differ in each run, anywhere in raw input or output.
_MEASURED = re.compile(r"(?i)time|duration|elapsed|_at(?:_ms)?$|At(?:Ms)?$|^pid$|tokens?$|cost|usage")
_WITH_DIGITS = re.compile(r"\b[^\W\d]*\d[\w.,:]*")
#: Figures of usage within this share are equal: an agent counts the letters of a directory too.
_NEAR = 0.25


def mask(text: str) -> str:
    """Return a text without the figures of a run: `took 3s, pid 17` is `took ‹duration›, pid ‹figure›`."""
    if _MAY_BE.search(text) is not None:
        text = _FORM.sub(lambda match: f"‹{match.lastgroup}›", text)
    lower = text.lower()
    if not any(word in lower for word in _WORDS):
        return text
    text = _COUNTED.sub(lambda match: f"{match[1] or match[2]}{FIGURE}", text)
    return _SHOWN.sub(rf"\1{FIGURE}", text) if ": " in text else text


def is_measured(member: str) -> bool:
    """Whether a member holds a figure of a run: `duration_ms`, `startedAt`, `usage`."""
    return _MEASURED.search(member) is not None


def without_numbers(text: str) -> str:
    """Return the text with `0` for each word that has digits: sizes, times, short ids such as `5b6e60`."""
    return _WITH_DIGITS.sub("0", text)


def are_near(expected: Any, actual: Any) -> bool:
    """Whether figures of usage agree as far as runs do: none is gone, and each is near.

    `{"input": 1000}` and `{"input": 1100, "thought": 1}` agree, `{"input": 2000}` does not.
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
