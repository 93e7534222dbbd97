"""The view Model: the calls, and one of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


def test_a_call_says_what_it_told_and_what_is_new(opened: Callable[..., Page]) -> None:
    """The list, one call by its address, the next by a key; prompts are folded."""
    page = opened("gemini-model", "#a/model?call=2")
    expect(page.locator(".calls tbody tr")).to_have_count(8)
    expect(page.locator(".calls .here")).to_contain_text("google")
    call = page.get_by_role("region", name="Call")
    expect(call.get_by_role("heading", name="Answer")).to_be_visible()
    page.keyboard.press("j")
    expect(call.get_by_role("heading", name="New since call 2")).to_be_visible()
    expect(call.locator(".added").first).to_have_text("+ I call a tool.")
    expect(call.locator(".message").last).to_contain_text("tool gave")
    call.get_by_text("System prompt").click()
    expect(call).to_contain_text("You are Gemini CLI")
    call.get_by_text("Tools", exact=False).first.click()
    page.locator(".calls tr", has_text="aborted").first.click()
    expect(page.locator(".calls .here")).to_contain_text("aborted")


def test_a_trace_without_calls_has_no_such_view(opened: Callable[..., Page]) -> None:
    """Nothing is offered that is not there."""
    page = opened("opencode-story", "#a/model")
    expect(page.locator("#tab-model")).to_have_count(0)
