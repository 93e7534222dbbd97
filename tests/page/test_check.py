"""The page of a check: what failed, and the traces that were checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.commands import Commands
from tests.support import REPOSITORY

pytestmark = pytest.mark.browser

_SAMPLES = REPOSITORY / "sample_traces"


def test_a_check_says_what_failed_and_where(browser: Browser, commands: Commands, tmp_path: Path) -> None:
    """Those that failed first; each leads to its frame, also in another trace; budgets that hold are there too."""
    file = tmp_path / "check.html"
    passes, fails = (str(_SAMPLES / f"{name}.jsonl") for name in ("gemini-model", "opencode-story"))
    budgets = ("--budget", "turn.duration p95 < 1s", "--budget", "model.calls max <= 5")
    assert commands("check", passes, fails, "--fail-on", "warning", *budgets, "--html", file).code == 1
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready]")
    expect(page.locator(".overview h2").first).to_have_text("✕ The check failed: 1 warning, 1 budget")
    rows = page.locator(".overview section").first.locator("tbody tr")
    expect(rows).to_have_text(
        [
            re.compile("failed.*cancel-request-ignored.*#42 .*opencode-story"),
            re.compile("failed.*turn.duration p95 < 1s.*2.16 s over 6 samples.*#32"),
            re.compile("passed.*model.calls max <= 5.*3 in 3 samples"),
        ]
    )
    rows.first.get_by_role("link", name="#42").click()
    expect(page).to_have_url(re.compile("#a1/messages.frame=42$"))
    page.close()
