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
