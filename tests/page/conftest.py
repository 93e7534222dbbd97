"""The page in a real browser: a Chromium of the system, driven by Playwright. Nothing but the file is loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from acp_trace.trace.home import Home
from acp_trace.view.pages import Pages
from acp_trace.view.server import Server
from acp_trace.view.traces import Traces
from tests.commands import Commands

#: A page that asks once a second what is new asks much more often.
_IMPATIENT = "{ const later = setTimeout; setTimeout = (act, ms) => later(act, ms === 1000 ? 20 : ms); }"
_SAMPLES = Path(__file__).parents[2] / "sample_traces"


class Watched:
    """A page that is open, and what went wrong on it: errors, what it tried to load, dialogs."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("dialog", lambda dialog: self.errors.append(f"dialog: {dialog.message}"))

    def go(self, url: str) -> None:
        """Opens an address, and waits until the page can be used."""
        self.page.goto(url)
        self.page.wait_for_selector("body[data-ready]")


@pytest.fixture
def opened(browser: Browser, commands: Commands, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page that is there, or that of a trace, at a fragment, in a window of a size. In the end, nothing may have gone wrong."""
    contexts = []
    watched: list[Watched] = []

    def opened(
        trace: str | Path, fragment: str = "", *, width: int = 1440, height: int = 900, dark: bool = False
    ) -> Page:
        path = trace if isinstance(trace, Path) else _SAMPLES / f"{trace}.jsonl"
        file = path if path.suffix == ".html" else tmp_path / f"{path.stem}.html"
        if not file.exists():
            commands.passes("show", path, "--html", file)
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = Watched(context.new_page())
        watched.append(page)
        page.go(f"{file.as_uri()}{fragment}")
        return page.page

    yield opened
    for context in contexts:
        context.close()
    for each in watched:
        assert not each.errors
        assert all(url.startswith("file://") for url in each.requests)


@pytest.fixture
def address(commands: Commands) -> Iterator[str]:
    """Where a server of this home shows its list."""
    pages = Pages(Traces(Home(commands.home.path)))
    with Server(pages, "t0ken") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.url
        server.shutdown()
        thread.join()
    pages.close()


@pytest.fixture
def served(browser: Browser, address: str) -> Iterator[Page]:
    """That list, in a window. In the end, nothing may have gone wrong or come from elsewhere."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(_IMPATIENT)
    watched = Watched(context.new_page())
    watched.go(address)
    yield watched.page
    context.close()
    assert not watched.errors
    assert all(url.startswith(address) for url in watched.requests)
