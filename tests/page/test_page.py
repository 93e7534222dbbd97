"""The page as a whole: it opens from disk, by itself, and names where one is in its address."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support import REPOSITORY

pytestmark = pytest.mark.browser

_SCRIPTS = REPOSITORY / "acp_trace" / "report" / "page" / "assets" / "scripts"


def test_a_file_opens_by_itself(opened: Callable[..., Page]) -> None:
    """Without a network, with all frames, and with the view that its address names."""
    page = opened("gemini-model", "#a/messages")
    expect(page.get_by_role("link", name="Messages")).to_have_attribute("aria-current", "")
    expect(page.locator("#view")).to_contain_text("session/new")


def test_keys_are_listed(opened: Callable[..., Page]) -> None:
    """`?` opens the list, Esc closes it."""
    page = opened("gemini-model")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("List the keys")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_modules_hide_nothing_that_a_browser_has(opened: Callable[..., Page]) -> None:
    """Modules share a scope: `focus` or `open` of one would be that of all."""
    own = re.compile(r"^(?:export )?(?:(?:async )?function|class|const|let) (\w+)", re.MULTILINE)
    names = {name for module in _SCRIPTS.rglob("*.js") for name in own.findall(module.read_text())}
    assert {"fill", "Page", "timeline"} <= names
    page = opened("gemini-model")
    assert page.evaluate("(names) => names.filter((name) => name in window)", sorted(names)) == []


def test_a_key_right_after_a_tab_is_for_its_view(opened: Callable[..., Page]) -> None:
    """A browser tells of a new address later than it hands on a key; and Enter is for the row, not for the tab."""
    page = opened("gemini-model", "#a/messages")
    expect(page.locator("[data-frame='1']")).to_be_visible()
    page.locator("#tab-overview").click()
    page.evaluate("""() => {
        document.getElementById("tab-messages").click();
        for (const key of ["ArrowDown", "Enter"])
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }""")
    expect(page.get_by_role("region", name="Message")).to_be_visible()
    expect(page.get_by_role("grid")).to_be_focused()
    expect(page).to_have_url(re.compile(r"messages\?frame=\d"))
    page.go_back()
    expect(page.locator("#tab-overview")).to_have_attribute("aria-current", "")
    page.go_forward()
    expect(page.get_by_role("region", name="Message")).to_be_visible()


def test_a_link_for_a_new_tab_stays_one(opened: Callable[..., Page]) -> None:
    """With Ctrl held, the page itself goes nowhere."""
    page = opened("gemini-model", "#a/overview")
    with page.context.expect_page() as other:
        page.locator("#tab-messages").click(modifiers=["Control"])
    expect(other.value.locator("#tab-messages")).to_have_attribute("aria-current", "")
    expect(page.locator("#tab-overview")).to_have_attribute("aria-current", "")
