"""A Chromium of the system, driven by Playwright: for the tests of the page, and for its measures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.support import DEADLINE_S

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_NAMES = "chromium", "chromium-browser", "google-chrome"


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, until the end of the block; without one on this system: LookupError. A second driver in one process would refuse to start."""
    from playwright.sync_api import (
        expect,
        sync_playwright,
    )  # where no page is tested, it need not be installed

    path = next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        raise LookupError("pages need Chromium: apt-get install chromium")
    expect.set_options(timeout=DEADLINE_S * 1000)  # on a busy machine, its own 5 s are not enough
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
