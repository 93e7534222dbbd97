"""A trace without times, as another tool's log becomes: every view shows it, and none shows a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from acp_trace.formats.reading import toad
from acp_trace.formats.reading.log import File
from acp_trace.formats.reading.trace_lines import traces
from tests.support import REPOSITORY

pytestmark = pytest.mark.browser

LOG = REPOSITORY / "tests" / "formats" / "data" / "toad" / "toad.log"
_TIME = re.compile(r"NaN|null|\b0\.000\b|\d ?(ns|µs|ms)\b")


def test_no_view_shows_a_time(opened: Callable[[Path, str], Page], tmp_path: Path) -> None:
    """Neither a wrong one nor an empty number; there is no timeline to look at."""
    file = tmp_path / "toad.jsonl"
    file.write_bytes(traces(toad.read([File("toad.log", LOG.read_bytes())]), "toad")[0].data)
    page = opened(file, "")
    names = page.locator("nav.tabs a").all_inner_texts()
    assert "Timeline" not in names
    assert {"Overview", "Sequence", "Messages", "Transcript", "State"} <= set(names)
    for name in names:
        page.locator("nav.tabs a", has_text=name).click()
        expect(page.locator("main > *")).to_be_visible()
        assert _TIME.findall(page.locator("body").inner_text()) == [], name
    page.locator("nav.tabs a", has_text="Messages").click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("dl").first).to_be_visible()
    assert _TIME.findall(page.locator("body").inner_text()) == []
