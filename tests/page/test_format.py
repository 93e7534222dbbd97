"""Numbers on the page are written as in the reports."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from acp_trace.report import units
from tests.support import REPOSITORY

pytestmark = pytest.mark.browser

_FORMAT = REPOSITORY / "acp_trace" / "report" / "page" / "assets" / "scripts" / "format.js"
_NS = [0, 1, 700, 1400, 9994, 99_949, 999_499, 999_500, 10**6, 48 * 10**6, 999_499_999, 999_500_000]
_NS += [10**9, 3_104_000_000, 99_940_000_000, 99_960_000_000, 10**11, 125 * 10**9, 7380 * 10**9, 10**15]
_BYTES = [0, 999, 1000, 34_200, 999_499, 999_500, 1_200_000, 5 * 10**9, 3 * 10**12]


def test_durations_and_sizes_are_those_of_the_reports(browser: Browser) -> None:
    """To the digit, at each border."""
    script = _FORMAT.read_text().replace("export ", "")
    page = browser.new_page()
    durations, sizes = page.evaluate(
        f"([ns, bytes]) => {{ {script}; return [ns.map(duration), bytes.map(size)]; }}", [_NS, _BYTES]
    )
    page.close()
    assert durations == [units.duration(ns) for ns in _NS]
    assert sizes == [units.size(count) for count in _BYTES]


def test_axes_are_numbered_by_what_is_round(browser: Browser) -> None:
    """In seconds below a minute, then in minutes and seconds, then in hours and minutes."""
    script = _FORMAT.read_text().replace("export ", "")
    page = browser.new_page()
    axis = [(250_000, 10**7), (1_500_000_000, 2 * 10**9), (10**10, 5 * 10**10), (65 * 10**9, 6 * 10**11)]
    axis += [(61_250_000_000, 61_300_000_000), (5400 * 10**9, 10**13), (5405 * 10**9, 5450 * 10**9)]
    steps = [100_000, 250_000_000, 10**10, 5 * 10**9, 10**7, 1800 * 10**9, 5 * 10**9]
    least = [1, 3, 400_000_000, 10**9, 3 * 10**9, 40 * 10**9, 700 * 10**9, 10**13, 10**14]
    times, round_ = page.evaluate(
        f"([axis, steps, least]) => {{ {script}; return [axis.map(([t, end], at) => axisTime(t, steps[at], end)), least.map(axisStep)]; }}",
        [axis, steps, least],
    )
    page.close()
    assert times == ["0.250 ms", "1.500 s", "10 s", "1:05 min", "1:01.250 min", "1:30 h", "1:30:05 h"]
    seconds = [0.5, 1, 5, 60, 900, 10_800]
    assert round_[:2] == [1, 5]
    assert [step / 1e9 for step in round_[2:-1]] == seconds
