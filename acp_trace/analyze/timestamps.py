"""RFC 3339 times: whether a text is a time, and its moment. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime

#: RFC 3339, section 5.6: full-date "T" full-time, with an offset; datetime.fromisoformat takes far more.
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):\d\d:\d\d)(\.\d+)?"
    r"([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)


def moment(text: str) -> datetime | None:
    """Return the moment in UTC, to the microsecond; None if the text is not an RFC 3339 time."""
    parts = _TIME.fullmatch(text)
    if parts is None:
        return None
    date, time, fraction, offset = parts.groups()
    if time.endswith(":60"):  # a leap second, which datetime does not know
        time = f"{time[:-2]}59"
    offset = "+00:00" if offset in "Zz" else offset
    try:
        return datetime.fromisoformat(f"{date}T{time}{(fraction or '.0')[:7]:0<7}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None
