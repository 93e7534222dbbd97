"""Durations, sizes and times as people read them: three digits that matter, and the unit."""

from __future__ import annotations

from datetime import datetime

from acp_trace.report.safe import safe
from acp_trace.trace.counts import number
from acp_trace.trace.durations import NS_PER_S, duration, three_digits

__all__ = ["brief", "duration", "number", "since_start", "size", "when", "when_short"]


def brief(ns: int) -> str:
    """The same in at most six characters, for a column: `412µs`, `48.0ms`, `3.10s`, `12m05s`, `2h03m`."""
    if ns < 100 * NS_PER_S:
        return duration(max(ns, 0)).replace(" ", "")
    minutes, seconds = divmod(round(ns / NS_PER_S), 60)
    if minutes < 60:
        return f"{minutes}m{seconds:02}s"
    return f"{minutes // 60}h{minutes % 60:02}m"


def since_start(ns: int | None) -> str:
    """A time within a trace, in seconds: `0.048`, `312.500`; empty if it is not known."""
    return "" if ns is None else f"{ns / NS_PER_S:.3f}"


def size(count: int) -> str:
    """Bytes as people read them: `184 B`, `34.2 kB`, `1.20 MB`, in powers of 1000."""
    if count < 1000:
        return f"{count} B"
    scaled = float(count)
    for unit in ("kB", "MB", "GB"):
        scaled /= 1000
        if scaled < 999.5:
            return f"{three_digits(scaled)} {unit}"
    return f"{three_digits(scaled / 1000)} TB"


def when(rfc3339: str) -> str:
    """Local time of a time in UTC: `20 Nov 2026 14:38:31`; the text itself if it is not a time."""
    moment = _local(rfc3339)
    return f"{moment:%d %b %Y %H:%M:%S}".lstrip("0") if moment else safe(rfc3339)


def when_short(rfc3339: str) -> str:
    """Local time without the year: `20 Nov 14:38`."""
    moment = _local(rfc3339)
    return f"{moment:%d %b %H:%M}" if moment else safe(rfc3339)


def _local(rfc3339: str) -> datetime | None:
    try:
        return datetime.fromisoformat(rfc3339).astimezone()
    except (ValueError, OverflowError, OSError):
        return None
