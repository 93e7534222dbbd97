"""Numbers for people: three digits that matter."""

from __future__ import annotations

import pytest

from acp_trace.report import units
from tests.posix import take_time_zone


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "–"), (0, "0 µs"), (499, "0 µs"), (412_000, "412 µs"), (999_499, "999 µs"), (999_500, "1.00 ms"),
        (3_840_000, "3.84 ms"), (48_040_000, "48.0 ms"), (212_400_000, "212 ms"), (999_499_999, "999 ms"),
        (999_500_000, "1.00 s"), (72_400_000_000, "72.4 s"), (99_940_000_000, "99.9 s"),
        (100_000_000_000, "1 min 40 s"), (725_000_000_000, "12 min 05 s"), (7_380_000_000_000, "2 h 03 min"),
    ],
)  # fmt: skip
def test_durations(ns: int | None, text: str) -> None:
    """No rounding makes a number that its unit would not write."""
    assert units.duration(ns) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (34_240, "34.2 kB"), (999_600, "1.00 MB"),
     (1_200_000, "1.20 MB"), (5 * 10**12, "5.00 TB")],
)  # fmt: skip
def test_sizes(count: int, text: str) -> None:
    """Powers of 1000."""
    assert units.size(count) == text


def test_numbers_and_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local time; what is no time is shown as it is."""
    monkeypatch.setenv("TZ", "UTC")
    take_time_zone()
    assert units.number(1_234_567) == "1\u202f234\u202f567"
    assert units.when("2026-11-20T13:05:01.123456Z") == "20 Nov 2026 13:05:01"
    assert units.when_short("2026-11-02T03:05:01Z") == "02 Nov 03:05"
    assert units.when("yesterday") == "yesterday"
    assert units.since_start(1_234_567_890) == "1.235"
