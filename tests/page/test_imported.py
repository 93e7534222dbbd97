"""Traces of other tools' logs in `acp-trace view`, one of each format: what is null in them breaks nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from acp_trace.formats.writing.formats import WRITERS
from tests.commands import Commands
from tests.formats.reading.test_formats import SAMPLES, files_of

pytestmark = pytest.mark.browser

#: Each format once: the first sample of it.
_EACH = dict(reversed(SAMPLES))


@pytest.fixture
def imported(commands: Commands, tmp_path: Path) -> list[str]:
    """The ids of the traces of one log of each format, which are in the store."""
    ids = []
    for format_name, names in _EACH.items():
        directory = tmp_path / format_name
        directory.mkdir()
        paths = []
        for file in files_of(names):
            paths.append(directory / Path(file.name).name)
            paths[-1].write_bytes(file.data)
        ids += [one["id"] for one in commands.json("import", *paths)["imported"]]
    return ids


def test_the_list_and_the_page_of_each(imported: list[str], served: Page) -> None:
    """Every trace is in the list; each tab of its page shows something, and the list goes on."""
    rows = served.locator("tbody tr")
    expect(rows).to_have_count(len(imported))
    for number in range(len(imported)):
        rows.nth(number).get_by_role("link").click()
        served.wait_for_selector("body[data-ready]")
        for tab in served.get_by_role("navigation", name="Views").get_by_role("link").all():
            tab.click()
            expect(served.locator("#view > *").first).not_to_be_empty()
        served.get_by_role("link", name="All traces").click()
        expect(rows).to_have_count(len(imported))
    expect(served.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("writer", WRITERS)
def test_every_export_of_each(imported: list[str], commands: Commands, tmp_path: Path, writer: str) -> None:
    """It is written, or one line says what the trace has not; and the page as a file is written."""
    for id_ in imported:
        said = commands("export", id_, "--to", writer, "--out", tmp_path / f"{id_}.{writer}")
        assert said.code in (0, 2, 4), said
        assert "Traceback" not in said.err
        assert said.err.count("\n") <= 3, said.err
    assert commands("show", imported[0], "--html", tmp_path / "a.html").code == 0


def test_a_fault_of_the_page_is_shown_as_one(browser: Browser, address: str) -> None:
    """It is not said that the server has ended, which lives."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(
        "const json = JSON.parse; JSON.parse = (text) => (text.startsWith('[') ? [{ number: 1 }] : json(text));"
    )
    page.goto(address)
    expect(page.get_by_role("alert")).to_contain_text("Something on this page does not work")
    expect(page.get_by_text("The server has ended")).to_be_hidden()
    context.close()
