"""Times as logs spell them: in front of a message, or as members of what wraps it. Pure.

Which kind of time a log has is for its reader: `LogTime.kind` tells those that can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from typing import Any, Literal, NamedTuple

Kind = Literal["clock", "local clock", "time of day", "since start"]

_ZONE_NS = 900_000_000_000  #: zones differ by quarters of an hour
_MOST = 4  #: dates before a message that are looked at: a logger may write what another one wrote
_DAY_NS = 86_400_000_000_000
_ISO = re.compile(
    r"(?<!\d)(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|[+-]\d\d:?\d\d)?"
)
_OF_DAY = re.compile(r"(?<![\d:])(\d{1,2}):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?![\d:])")
_EPOCH = re.compile(r"(?<![\d.])(\d{10}\.\d{1,9}|\d{10}|\d{13}|\d{16}|\d{19})(?![\d.])")
_SINCE = re.compile(r"(?:\[\s*|\+)(\d{1,9}(?:\.\d{1,9})?)\s*(ms|s)?\b")
#: Members with a time, the surest first; `hrtime` counts ns.
_MEMBERS = (
    "timestamp",
    "@timestamp",
    "time",
    "datetime",
    "date",
    "ts",
    "at",
    "when",
    "received_at",
    "t",
    "@t",
    "instant",
    "__REALTIME_TIMESTAMP",
    "startTimeUnixNano",
    "timeUnixNano",
    "ts_ms",
    "timestamp_ms",
    "elapsed_ms",
    "elapsed",
    "hrtime",
)
#: ns of a number by its digits: seconds, ms, µs, ns since 1970.
_UNITS = {10: 1_000_000_000, 13: 1_000_000, 16: 1_000, 19: 1}


class LogTime(NamedTuple):
    """A time. `ns`: since 1970, since midnight, or since something else, as `kind` says."""

    kind: Kind
    ns: int


def in_text(text: str) -> LogTime | None:
    """The time in a text: of several dates, the one with the most decimals, with the zone of any of them."""
    if dates := list(islice(_ISO.finditer(text), _MOST)):
        finest = max(dates, key=lambda date: len(date[7] or ""))  # the first of those
        return _zoned(_iso(*finest.groups()), [_iso(*date.groups()) for date in dates])
    if (found := _EPOCH.search(text)) is not None:
        return _epoch(found[1])
    if (found := _OF_DAY.search(text)) is not None:
        hours, minutes, seconds, fraction = found.groups()
        total = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
        return LogTime("time of day", total * _UNITS[10] + _fraction(fraction))
    if (found := _SINCE.search(text)) is not None:
        return LogTime("since start", int(float(found[1]) * (_UNITS[13] if found[2] == "ms" else _UNITS[10])))
    return None


def in_members(members: Mapping[str, Any]) -> LogTime | None:
    """The time that an object says it has."""
    for name in _MEMBERS:
        value = members.get(name)
        if isinstance(value, dict):  # of log4j
            seconds, ns = value.get("epochSecond"), value.get("nanoOfSecond")
            if isinstance(seconds, int) and isinstance(ns, int):
                return LogTime("clock", seconds * _UNITS[10] + ns)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        if name == "hrtime":
            text = str(value)
            return LogTime("since start", int(text)) if text.isdecimal() and len(text) < 20 else None
        t_ns = in_text(value) if isinstance(value, str) else _number(value)
        if t_ns is not None:
            return t_ns
    return None


def _zoned(time: LogTime | None, others: list[LogTime | None]) -> LogTime | None:
    """A local time as that of the clock, if another one of the same moment has a zone."""
    if time is None or time.kind == "clock":
        return time
    known = next((other for other in others if other is not None and other.kind == "clock"), None)
    if known is None:
        return time
    offset = round((known.ns - time.ns) / _ZONE_NS) * _ZONE_NS
    return LogTime("clock", time.ns + offset) if abs(offset) <= _DAY_NS else time


def written(ns: int) -> str:
    """A local time, as the label `logged_at` has it: `2026-11-20 13:05:01,123`."""
    seconds, rest = divmod(ns, _UNITS[10])
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S},{rest // _UNITS[13]:03}"


def _number(value: float) -> LogTime | None:
    digits = len(str(int(value))) if 0 <= value < 10**19 else 0
    if digits in _UNITS:
        return LogTime("clock", int(value * _UNITS[digits]))
    if 0 <= value < 10**9:  # seconds, or ms, since something
        return LogTime("since start", int(value * (_UNITS[10] if type(value) is float else _UNITS[13])))
    return None


def _epoch(text: str) -> LogTime:
    whole, _, fraction = text.partition(".")
    return LogTime("clock", int(whole) * _UNITS[len(whole)] + _fraction(fraction))


def _iso(*parts: str | None) -> LogTime | None:
    year, month, day, hour, minute, second, fraction, zone = parts
    try:
        offset = timedelta()
        if zone and zone[0] in "+-":
            offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (1 if zone[0] == "+" else -1)
        numbers = (int(each or 0) for each in (year, month, day, hour, minute, second))
        moment = datetime(*numbers, tzinfo=timezone(offset))  # type: ignore[arg-type,misc]
        seconds = int(moment.timestamp())
    except (ValueError, OverflowError):
        return None
    return LogTime("clock" if zone else "local clock", seconds * _UNITS[10] + _fraction(fraction))


def _fraction(digits: str | None) -> int:
    return int((digits or "0").ljust(9, "0")[:9])


def since_first(times: list[int], kind: Kind) -> list[int]:
    """The times from the first one on, ns, without steps back: threads may write late. Midnight may pass."""
    made, latest, days = [], 0, 0
    before = times[0] if times else 0
    for time in times:
        if kind == "time of day" and before - time > _DAY_NS // 2:
            days += 1
        before = time
        latest = max(latest, time + days * _DAY_NS - times[0])
        made.append(latest)
    return made
