"""The view State: a cursor on the time axis, and cancels as waterfalls."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.analyze.findings.scenario import start
from tests.reading.talk import cancel, prompt, stop, words
from tests.support import trace

pytestmark = pytest.mark.browser


def test_a_cursor_shows_what_held_then(opened: Callable[..., Page]) -> None:
    """By keys, by dragging, and by a link to a frame."""
    page = opened("opencode-story", "#a/state?frame=8")
    values = page.locator(".state section").first.locator("tbody")
    expect(values).to_have_text('model"standin/big"#7by agent for #6mode"build"#4on opening')
    page.keyboard.press("ArrowRight")
    expect(values).to_contain_text('model"standin/small"#10')
    expect(page).to_have_url(re.compile("frame=10$"))
    slider = page.get_by_role("slider", name="Time")
    slider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("status")).to_have_text("At 2.406 s, after change 1 of 7: #4 on opening")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 3, box["y"] + box["height"] / 2)
    expect(page.get_by_role("status")).to_contain_text("before the first change")
    expect(values.locator("tr")).to_have_count(0)
    page.get_by_role("button", name="2.438").click()
    expect(values).to_contain_text('mode"plan"#13applied')
    expect(page.locator(".here", has_text="asked in #12")).to_contain_text('"build" → "plan"')


def test_values_fit_on_a_phone(opened: Callable[..., Page]) -> None:
    """With how each came about; names are broken between their words only."""
    page = opened("opencode-story", "#a/state", width=390, height=780)
    table = page.get_by_role("region", name="Values")
    expect(table.get_by_role("columnheader", name="How")).to_be_in_viewport(ratio=1)
    assert table.evaluate("(it) => it.scrollWidth - it.clientWidth") == 0


def test_a_cancel_is_a_waterfall(opened: Callable[..., Page]) -> None:
    """Until the last update after it and until it settled; how the call of the model ended."""
    page = opened("opencode-story", "#a/state?cancel=34")
    shown = page.locator("article:focus")
    expect(shown).to_contain_text("$/cancel_request by the client: ran to its end session/prompt #32")
    expect(shown).to_be_in_viewport()
    last = shown.get_by_role("row", name="last update after cancel #41")
    expect(last).to_contain_text("2.04 s7 updates, at ")
    expect(shown.get_by_role("row", name="settled #42").locator(".bar")).to_have_class("bar odd")
    page.get_by_role("spinbutton", name="Time (s)").fill("2.45")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("At 2.450 s, after change")
    page = opened("gemini-model", "#a/state")
    expect(page.locator(".cancels")).to_contain_text("model call")


def test_late_updates_stand_at_their_times(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Each at its share of the time until the last one, with links to the first and to the last."""
    file = tmp_path / "late.jsonl"
    cancelled = [prompt(1), cancel(), words(), stop(1, "cancelled")]
    file.write_bytes(trace(*start(), *cancelled, words(), words(), prompt(2), words(), stop(2), step=10**9))
    page = opened(file, "#a/state")
    late = page.locator(".cancels tr.late")
    expect(late).to_contain_text("late, after it had settled: #9 to #10")
    expect(late).to_contain_text("4.00 s2 updates")
    marks = late.locator("i")
    assert marks.evaluate_all("all => all.map(({ style, title }) => [style.left, title])") == [
        ["75%", "#9, after 3.00 s"],
        ["100%", "#10, after 4.00 s"],
    ]
    settled = page.locator(".cancels .bar.settled")
    assert settled.evaluate("bar => bar.style.width") == "50%"
