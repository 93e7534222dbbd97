"""What a checker of accessibility says of every view."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.real import packages

pytestmark = pytest.mark.browser

SERIOUS = """async () => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"] });
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html, failureSummary }) => [html.slice(0, 200), failureSummary])]);
}"""


def load_axe(page: Page) -> None:
    """The checker into a page that is open."""
    page.evaluate((packages.npm(*packages.AXE) / "axe-core" / "axe.min.js").read_text())


@pytest.mark.parametrize("sample", ["gemini-model", "opencode-cancel-acpx"])
@pytest.mark.parametrize(("dark", "width"), [(False, 1440), (True, 390)])
def test_no_view_has_a_serious_fault(
    opened: Callable[..., Page], sample: str, dark: bool, width: int
) -> None:
    """axe, over every view of a recording, in light and dark, on a screen and on a phone."""
    page = opened(sample, dark=dark, width=width)
    load_axe(page)
    tabs = page.locator("nav.tabs a")
    for number in range(tabs.count()):
        tabs.nth(number).click()
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
        assert page.evaluate(SERIOUS) == [], tabs.nth(number).inner_text()
