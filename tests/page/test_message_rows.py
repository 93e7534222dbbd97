"""The rows of the view Messages: their order, the waterfall, unfolded chunks, colours, and none at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

_NUMBERS = "() => [...document.querySelectorAll('.messages tbody tr:not([hidden])')].map((tr) => Number(tr.dataset.frame))"


def test_headings_sort_the_rows(opened: Callable[..., Page]) -> None:
    """The largest first, then the smallest, then by time again; also by keyboard, and in the address."""
    page = opened("opencode-story", "#a/messages")
    took = page.get_by_role("button", name="Took")
    took.click()
    expect(page.locator("[data-frame]").first).to_contain_text("2.16 s")
    expect(page).to_have_url(re.compile("sort=-took"))
    expect(page.locator("th.took")).to_have_attribute("aria-sort", "descending")
    assert page.evaluate(_NUMBERS)[:3] == [42, 2, 26]
    page.get_by_role("table", name="Messages").or_(page.get_by_role("grid", name="Messages")).focus()
    page.keyboard.press("Home")
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("frame=2"))
    took.focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-frame]").first).to_contain_text("487 µs")
    took.click()
    expect(page.locator("th.took")).to_have_attribute("aria-sort", "none")
    expect(page.locator("[data-frame]").first).to_have_attribute("data-frame", "1")
    page.get_by_role("button", name="Size").click()
    sizes = page.evaluate(
        "() => [...document.querySelectorAll('.messages td.size')].map((td) => td.textContent)"
    )
    assert sizes[0] == "757 B"


def test_matches_follow_the_order_of_the_rows(opened: Callable[..., Page]) -> None:
    """`n` goes to the match below, whatever the order is."""
    page = opened("opencode-story", "#a/messages?sort=-took&q=session%2Fprompt&all=1")
    expect(page.locator(".said")).to_have_text("3 matches in 44 frames and stderr")
    page.keyboard.press("n")
    expect(page.locator("tr[aria-selected=true]")).to_have_attribute("data-frame", "16")
    page.keyboard.press("n")
    expect(page.locator("tr[aria-selected=true]")).to_have_attribute("data-frame", "27")


def test_a_waterfall_shows_requests_until_their_answers(opened: Callable[..., Page]) -> None:
    """A bar from the request to its answer, on the axis of the rows that are shown."""
    page = opened("opencode-story", "#a/messages")
    bar = "() => { const bar = document.querySelector('[data-frame=\"FRAME\"] td.waterfall i'); return [bar.style.left, bar.style.width].map(parseFloat); }"
    page.wait_for_selector("[data-frame='2'] td.waterfall i")
    left, width = page.evaluate(bar.replace("FRAME", "1"))
    assert left == 0
    assert 24 < width < 26
    assert page.evaluate(bar.replace("FRAME", "2")) == [left, width]
    page.get_by_label("Turn").select_option("1")
    expect(page.locator(".said")).to_have_text("11 of 44 frames")
    expect(page.locator("tr:not([hidden])[data-frame='16'] td.waterfall i")).to_have_attribute(
        "style", re.compile("left: 0%; width: 100%")
    )
    page.set_viewport_size({"width": 800, "height": 800})
    expect(page.locator("td.waterfall").first).to_be_hidden()


@pytest.mark.parametrize("turn", ["", "&turn=0", "&turn=1", "&turn=2"])
def test_times_above_a_waterfall_are_apart(opened: Callable[..., Page], turn: str) -> None:
    """Whatever the axis is, none stands on another."""
    page = opened("opencode-story", f"#a/messages?all=1{turn}", width=1000)
    page.wait_for_selector(".waterfall .axis i")
    boxes = page.evaluate(
        """() => [...document.querySelectorAll('.waterfall .axis i')].filter((i) => i.textContent)
             .map((i) => i.getBoundingClientRect()).map(({ left, right }) => [left, right])"""
    )
    assert boxes
    assert all(right <= left for (_, right), (left, _) in pairwise(boxes))


def test_a_message_is_unfolded(opened: Callable[..., Page]) -> None:
    """By its sign or with the arrow: its chunks are rows then; the address has it."""
    page = opened("opencode-story", "#a/messages?join=1", height=1400)
    said = page.locator(".said")
    expect(said).to_have_text("39 rows of 44 frames")
    page.locator("[data-frame='35'] .unfold").click()
    expect(said).to_have_text("44 rows of 44 frames")
    expect(page).to_have_url(re.compile("open=35"))
    expect(page.locator("[data-frame='36']")).to_have_class(re.compile("chunk"))
    page.locator("[data-frame='36']").click()
    page.get_by_role("grid", name="Messages").press("ArrowLeft")
    expect(said).to_have_text("39 rows of 44 frames")
    expect(page.locator("tr[aria-selected=true]")).to_have_attribute("data-frame", "35")
    page.keyboard.press("ArrowRight")
    expect(said).to_have_text("44 rows of 44 frames")


def test_no_match_says_so(opened: Callable[..., Page]) -> None:
    """With a way out: what is not a filter stays."""
    page = opened("opencode-story", "#a/messages?q=nowhere&side=client&join=1&frame=3")
    none = page.get_by_role("status").filter(has_text="No matches")
    expect(none).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(none).to_be_hidden()
    expect(page).to_have_url(re.compile(r"\?join=1&frame=3$"))
    expect(page.get_by_role("combobox", name="Filter")).to_have_value("")


def test_findings_and_errors_have_colours(opened: Callable[..., Page]) -> None:
    """The whole row, in the colour of the severity."""
    page = opened("opencode-story", "#a/messages?frame=1")
    colour = "(frame) => getComputedStyle(document.querySelector(`[data-frame='${frame}'] td.gist`)).backgroundColor"
    page.wait_for_selector("[data-frame='20']")
    plain = page.evaluate(colour, 20)
    page.keyboard.press("End")
    page.wait_for_selector("[data-frame='42'].warning")
    assert page.evaluate(colour, 42) != plain
