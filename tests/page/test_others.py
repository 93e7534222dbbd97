"""Pages of several traces, and the list of all: hostile traces are text there, too, and all can be used by all."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from acp_trace.trace.home import Home
from acp_trace.view.pages import Pages
from acp_trace.view.server import Server
from acp_trace.view.traces import Traces
from tests.commands import Commands
from tests.compare.conversation import base, both, chunk, drop, file, instead
from tests.page.conftest import Watched
from tests.page.others import KINDS, fill_spool, page_of
from tests.page.payloads import PAYLOADS, hostile_trace
from tests.page.test_accessibility import SERIOUS, load_axe
from tests.page.test_hostile import CLEAN, foreign
from tests.reading.talk import stop

pytestmark = pytest.mark.browser

_WIDTHS = (1440, 1024, 390)
_CHANGED = both(instead("stop 1", stop(3, "max_tokens")), drop("fetch end"), instead("hello 2", chunk("x")))
_OTHER_ID = "20261120T130502Z-7f3a9d"
#: Rows of a comparison that are chosen one after the other: each step meets another field with another text.
_STEP = 85


@pytest.fixture
def listed(browser: Browser, commands: Commands) -> Iterator[Callable[..., Page]]:
    """Opens the list of all traces of this home, in a window of a size. In the end, nothing may have gone wrong."""
    pages = Pages(Traces(Home(commands.home.path)))
    contexts, watched = [], []
    with Server(pages, "t0ken") as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()

        def listed(*, width: int = 1440, dark: bool = False) -> Page:
            contexts.append(
                browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
                )
            )
            watched.append(Watched(contexts[-1].new_page()))
            watched[-1].go(server.url)
            watched[-1].page.wait_for_selector("tbody tr")
            return watched[-1].page

        yield listed
        for context in contexts:
            context.close()
        server.shutdown()
        thread.join()
    pages.close()
    for each in watched:
        assert not each.errors
        assert all(url.startswith(server.url) for url in each.requests)


def _fits(page: Page) -> None:
    for width in _WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert foreign(page)["wider"] == 0, width


def _of_list(page: Page) -> dict[str, Any]:
    """What there is of foreign things in the list, but for its own: the form of its filters, links to numbers."""
    seen = foreign(page)
    links = [link for link in seen["links"] if not re.fullmatch(r"\d+/", link)]
    return {**seen, "links": links, "loading": seen["loading"] - 1}


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_traces_are_text_on_pages_of_several(
    opened: Callable[..., Page], commands: Commands, tmp_path: Path, kind: str
) -> None:
    """In what is listed, and in every view, at the widths of a screen, a laptop and a phone."""
    few = PAYLOADS[:8] if kind == "replay" else PAYLOADS
    expected, actual = hostile_trace(few), hostile_trace(few[1:] + few[:1])
    page = opened(page_of(kind, commands, tmp_path / "made", expected, actual))
    tabs = page.locator("nav.tabs a")
    for number in range(tabs.count()):
        tabs.nth(number).click()
        assert foreign(page) == CLEAN, tabs.nth(number).inner_text()
        _fits(page)
    if kind == "check":
        return
    key = "b" if kind == "diff" else "b1"
    for row in range(0, 21 * len(few), _STEP):
        page.evaluate("([key, row]) => { location.hash = `#${key}/compare?row=${row}`; }", [key, row])
        assert foreign(page) == CLEAN, row


def test_hostile_traces_are_text_in_the_list(listed: Callable[..., Page], commands: Commands) -> None:
    """Each text as a title, a name, a prompt, a label; and as what is searched for."""
    fill_spool(
        commands,
        {
            f"20261120T130501Z-{number:06x}": hostile_trace((text,) * 5, id=f"20261120T130501Z-{number:06x}")
            for number, text in enumerate(PAYLOADS)
        },
    )
    page = listed()
    assert page.locator("tbody tr").count() == len(PAYLOADS)
    assert _of_list(page) == CLEAN
    _fits(page)
    for text, agent in zip(PAYLOADS[::2], [*PAYLOADS[1::2], PAYLOADS[0]], strict=True):
        page.evaluate(
            "([text, agent]) => { location.hash = `traces?q=${encodeURIComponent(text)}&agent=${agent}`; }",
            [text, agent],
        )
        assert _of_list(page) == CLEAN, (text, agent)


@pytest.mark.parametrize(("dark", "width"), [(False, 1440), (True, 390)])
def test_pages_of_several_have_no_serious_fault(
    opened: Callable[..., Page], commands: Commands, tmp_path: Path, dark: bool, width: int
) -> None:
    """axe, over what such a page has more, and over its first views."""
    for kind in KINDS:
        made = page_of(kind, commands, tmp_path / kind, file(base()), file(_CHANGED(base()), id=_OTHER_ID))
        page = opened(made, dark=dark, width=width)
        load_axe(page)
        assert page.evaluate(SERIOUS) == [], kind


@pytest.mark.parametrize(("dark", "width"), [(False, 1440), (True, 390)])
def test_the_list_has_no_serious_fault(
    listed: Callable[..., Page], commands: Commands, dark: bool, width: int
) -> None:
    """axe, with traces of all kinds: complete, with findings, cut off; and with two chosen."""
    fill_spool(
        commands,
        {
            "20261120T130501Z-7f3a9c": file(base(), id="20261120T130501Z-7f3a9c"),
            "20261120T130502Z-7f3a9d": file(_CHANGED(base()), id=_OTHER_ID),
            "20261120T130503Z-7f3a9e": file(base(), id="20261120T130503Z-7f3a9e")[:-30],
        },
    )
    page = listed(dark=dark, width=width)
    load_axe(page)
    assert page.evaluate(SERIOUS) == []
    for checkbox in page.get_by_role("checkbox").all()[:2]:
        checkbox.check()
    assert page.evaluate(SERIOUS) == []
