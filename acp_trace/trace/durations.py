"""Durations for people: three significant digits, and the unit. No I/O."""

from __future__ import annotations

NS_PER_S = 1_000_000_000


def duration(ns: int | None) -> str:
    """A time in ns for people: `412 µs`, `48.0 ms`, `3.10 s`, `12 min 05 s`, `2 h 03 min`; `–` for None."""
    if ns is None:
        return "–"
    if ns < 999_500:
        return f"{ns / 1_000:.0f} µs"
    if ns < 999_500_000:
        return f"{three_digits(ns / 1_000_000)} ms"
    if ns < 100 * NS_PER_S:
        return f"{three_digits(ns / NS_PER_S)} s"
    seconds = round(ns / NS_PER_S)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02} min"


def three_digits(scaled: float) -> str:
    """Return a number below 1000 with three digits: `3.10`, `48.0`, `412`."""
    return f"{scaled:.0f}" if scaled >= 99.95 else f"{scaled:.1f}" if scaled >= 9.995 else f"{scaled:.2f}"
