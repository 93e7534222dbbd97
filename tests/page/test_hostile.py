"""Traces that try to be more than text: nothing in them runs, loads, leads away, or breaks the layout."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.page.payloads import PAYLOADS, hostile_trace

pytestmark = pytest.mark.browser

#: What a page has beyond what it is made of: nothing. Scripts are its own and its parts.
_FOREIGN = """() => ({
  broken: window.broken ?? null,
  scripts: document.querySelectorAll("script:not([type='application/octet-stream'])").length,
  loading: document.querySelectorAll("img, iframe, object, embed, video, audio, link, base, form, image, use").length,
  links: [...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).filter((href) => !href?.startsWith("#")),
  handlers: [...document.querySelectorAll("*")].flatMap((e) => e.getAttributeNames()).filter((n) => n.startsWith("on")),
  wider: document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth,
})"""
CLEAN: dict[str, Any] = {"broken": None, "scripts": 1, "loading": 0, "links": [], "handlers": [], "wider": 0}
#: A payload has 21 frames in the trace: twice that and one more, and each step meets another field with another payload.
_STEP = 43


def foreign(page: Page) -> Any:
    """What there is of that once everything that was asked for has been drawn."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    return page.evaluate(_FOREIGN)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """The trace of all payloads."""
    path = tmp_path / "hostile.jsonl"
    path.write_bytes(hostile_trace())
    return path


@pytest.mark.parametrize("width", [1440, 390])
def test_every_view_shows_it_as_text(opened: Callable[..., Page], trace: Path, width: int) -> None:
    """In every view, from its beginning to its end, on a screen and on a phone."""
    assert len(PAYLOADS) >= 200
    page = opened(trace, width=width)
    tabs = page.locator("nav.tabs a")
    for number in range(tabs.count()):
        tabs.nth(number).click()
        name = tabs.nth(number).inner_text()
        for _ in range(4):
            assert foreign(page) == CLEAN, name
            page.evaluate(
                "() => document.querySelectorAll('#view, #view *').forEach((e) => { e.scrollTop += e.clientHeight * 9; })"
            )


def test_every_frame_is_shown_as_text(opened: Callable[..., Page], trace: Path) -> None:
    """Each kind of message, each with many payloads, as the message that one looks at."""
    page = opened(trace, "#a/messages")
    for frame in range(1, 21 * len(PAYLOADS), _STEP):
        page.evaluate("(frame) => { location.hash = `#a/messages?frame=${frame}`; }", frame)
        assert foreign(page) == CLEAN, frame


def test_an_address_is_text_too(opened: Callable[..., Page], tmp_path: Path) -> None:
    """Whatever stands in the fragment: a session, a frame, a search. A short trace, as each address searches all of it."""
    trace = tmp_path / "hostile.jsonl"
    trace.write_bytes(hostile_trace(PAYLOADS[:8]))
    page = opened(trace)
    for number in range(0, len(PAYLOADS), 3):
        session, frame, text = islice(cycle(PAYLOADS), number, number + 3)
        page.evaluate("(text) => { location.hash = text; }", f"#{session}/messages?frame={frame}&q={text}")
        assert foreign(page) == CLEAN, (session, frame, text)
