"""The site opened from disk, as a reader has it without a network: its search, its themes, and nothing from elsewhere."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.site.building import build

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

#: A question in a user's words -> a page that answers it, which must be among the first three.
_QUESTIONS = {
    "editor hangs": "troubleshooting.html",
    "cancel ignored": "findings.html",
    "no key in CI": "ci.html",
    "fail the build when": "check.html",
    "share a trace without secrets": "redact.html",
    "slow turn": "troubleshooting.html",
    "compare two versions": "builds.html",
    "which version broke": "builds.html",
    "windows": "systems.html",
    "sql p95": "queries.html",
    "record without an editor": "drive.html",
    "compare two versions of my agent": "builds.html",
    "remove secrets from a trace": "redact.html",
    "json of the report": "report.html",
}


#: What the site calls the two themes.
_THEMES = {"light": "default", "dark": "slate"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of its directory."""
    return build(tmp_path_factory.mktemp("site")).as_uri()


def test_a_page_fits_and_asks_nobody(browser: Browser, site: str) -> None:
    """No request leaves the disk, no error is logged, nothing is wider than the window, the theme is the system's.

    Each page is loaded once: it indexes all pages for its search, which takes seconds of a processor.
    """
    page = browser.new_page()
    asked: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    for name in ("index", "replay", "page", "store", "evidence/real"):
        page.goto(f"{site}/{name}.html")
        for width, scheme in product((1440, 390), _THEMES):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_selector(f"body[data-md-color-scheme={_THEMES[scheme]}]")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, width)
    assert [url for url in asked if not url.startswith("file:")] == []
    assert errors == []
    page.close()


def test_the_search_finds_the_page(browser: Browser, site: str) -> None:
    """In a user's words, among the first three, in a file that was opened from disk."""
    page = browser.new_page()
    missed = {}
    page.goto(f"{site}/index.html")
    page.click("input[name=query]")
    for question, right in _QUESTIONS.items():
        page.fill("input[name=query]", "")
        page.wait_for_selector(".md-search-result__item", state="detached")
        page.keyboard.type(question)
        # It searches at each key: what is shown belongs to the whole question once its last word is marked or missing.
        page.wait_for_function(
            "word => document.querySelector('.md-search-result__list')?.innerText.toLowerCase().includes(word)",
            arg=question.split()[-1].lower(),
        )
        links = page.eval_on_selector_all(
            ".md-search-result__item", "items => items.map(item => item.querySelector('a').href)"
        )
        first = [Path(link.partition("?")[0]).name for link in links[:3]]
        if right not in first:
            missed[question] = first
    assert missed == {}
    page.close()
