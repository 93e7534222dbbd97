"""What an RFC 3339 time is, and which moment it means."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.timestamps import moment

_NOON = datetime(2026, 11, 20, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20T12:00:00Z", _NOON),
        ("2026-11-20t12:00:00z", _NOON),
        ("2026-11-20 12:00:00Z", _NOON),
        ("2026-11-20T12:00:00+00:00", _NOON),
        ("2026-11-20T12:00:00-00:00", _NOON),
        ("2026-11-20T13:30:00+01:30", _NOON),
        ("2026-11-20T00:00:00-12:00", _NOON),
        ("2026-11-21T11:59:00+23:59", _NOON),
        ("2026-11-20T12:00:00.0Z", _NOON),
        ("2026-11-20T12:00:00.000000000000Z", _NOON),
        ("2026-11-20T12:00:00.5Z", _NOON.replace(microsecond=500_000)),
        ("2026-11-20T12:00:00.000001Z", _NOON.replace(microsecond=1)),
        ("2026-11-20T12:00:00.1234567Z", _NOON.replace(microsecond=123_456)),
        ("2024-02-29T12:00:00Z", datetime(2024, 2, 29, 12, tzinfo=UTC)),
        ("1970-01-01T00:00:00Z", datetime(1970, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59Z", datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)),
        ("2016-12-31T23:59:60Z", datetime(2016, 12, 31, 23, 59, 59, tzinfo=UTC)),
    ],
)
def test_a_time_and_its_moment(text: str, expected: datetime) -> None:
    """Any offset, any fraction cut to microseconds, a leap second as the second before it."""
    assert moment(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "1763640000", "2026-11-20", "12:00:00Z", "2026-11-20T12:00:00",
        "2026-11-20T12:00Z", "2026-11-20T12Z", "20261120T120000Z", "2026-W47-5T12:00:00Z", "2026-324T12:00:00Z",
        "2026-11-20T12:00:00+01", "2026-11-20T12:00:00+0100", "2026-11-20T12:00:00 Z", "2026-11-20T12:00:00UTC",
        "2026-11-20T12:00:00.Z", "2026-11-20T12:00:00,5Z", "2026-11-20T12:00:00+24:00", "2026-11-20T12:00:00−01:00",
        "2026-13-20T12:00:00Z", "2026-00-20T12:00:00Z", "2026-11-31T12:00:00Z", "2026-02-29T12:00:00Z",
        "2026-11-20T24:00:00Z", "2026-11-20T25:00:00Z", "2026-11-20T12:60:00Z", "2026-11-20T12:00:61Z",
        "26-11-20T12:00:00Z", "12026-11-20T12:00:00Z", "-2026-11-20T12:00:00Z",
        " 2026-11-20T12:00:00Z", "2026-11-20T12:00:00Z\n", "2026-11-20_12:00:00Z",
        "٢٠٢٦-11-20T12:00:00Z", "2026-11-20T12:00:00.٥Z", "2026-11-20T12:00:00+٠١:00",
    ],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    """ISO 8601 and datetime.fromisoformat take much that RFC 3339, section 5.6, does not."""
    assert moment(text) is None


def test_moments_outside_of_what_python_holds_do_not_raise() -> None:
    """Year 0, and a day before year 1 or after year 9999 once the offset is taken off."""
    for text in ("0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"):
        assert moment(text) is None


_ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))


_MOMENTS = st.timedeltas(timedelta(days=-700_000), timedelta(days=2_900_000)).map(lambda far: _NOON + far)


@given(_MOMENTS, _ZONES)
def test_what_python_writes_is_read_back(time: datetime, zone: timezone) -> None:
    """Python's own text of a time with an offset in whole minutes is RFC 3339."""
    assert moment(time.astimezone(zone).isoformat()) == time


@given(st.text(alphabet="0123456789-:.TZ+ ٠", max_size=30))
def test_never_raises(text: str) -> None:
    """Any text at all gives a time in UTC or None."""
    found = moment(text)
    assert found is None or found.tzinfo is UTC
