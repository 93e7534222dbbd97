"""The filter language of the page is that of the commands: the same cases, and the same frames of real traces."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any
from urllib.parse import quote_plus

import pytest
from playwright.sync_api import Browser, Page, expect

from acp_trace.report.page.bundle import bundle
from acp_trace.report.page.columns import filter_document
from tests.commands import Commands
from tests.report.frame_filter.cases import CASES, ROWS
from tests.support import REPOSITORY

pytestmark = pytest.mark.browser

_CASES = """([language, {trees, errors, wanted}, rows]) => {
  const all = languageOf(language);
  const failed = (text) => { try { return parseFilter(text, all); } catch (error) { return [error.message.split("; did you mean")[0], error.start, error.end]; } };
  return {
    trees: trees.map(([text]) => parseFilter(text, all)),
    errors: errors.map(([text]) => failed(text)),
    wanted: wanted.map(([text]) => { const wants = wantsOf(parseFilter(text, all), all); return rows.flatMap((row, at) => wants(row) === true ? [at] : []); }),
    near: failed("methd:x"),
  };
}"""


def _scripts() -> str:
    directory = files("acp_trace.report.page") / "assets" / "scripts"
    names = ("filter/reader.js", "filter/matching.js", "widgets/hits.js", "dom.js", "format.js")
    modules = {name: (directory / name).read_text(encoding="utf-8") for name in names}
    main = 'import { languageOf, parseFilter } from "./filter/reader.js";\nimport { wantsOf } from "./filter/matching.js";\n'
    return bundle(modules | {"main.js": main}, "main.js")


def test_the_cases_of_both_hold(browser: Browser) -> None:
    """What a filter means, what is wrong with it and where, and which rows it wants."""
    page = browser.new_page()
    got: dict[str, Any] = page.evaluate(
        f"(given) => {{ {_scripts()}; return ({_CASES})(given); }}", [filter_document(), CASES, ROWS]
    )
    page.close()
    assert got["trees"] == [tree for _, tree in CASES["trees"]]
    assert got["errors"] == [error for _, *error in CASES["errors"]]
    for (text, places), matched in zip(CASES["wanted"], got["wanted"], strict=True):
        assert matched == places, text


_SAME = [
    "method:session/update kind:usage_update",
    "took>1s or is:error",
    "turn:S1.1 -kind:notification",
    "severity:warning or finding:cancel-*",
    "session:S1 size>500",
    "after>=100ms",
    "tool:* or error:*",
    "id:1,2",
    "kind:stderr error",
    'not side:agent "sessionId"',
    "t>=1s t<=3s frame>4",
]


@pytest.mark.parametrize("trace", ["opencode-story", "gemini-model"])
def test_frames_are_those_of_the_command(opened: Callable[..., Page], commands: Commands, trace: str) -> None:
    """Each filter finds what `acp-trace frames` finds, lines of stderr included."""
    page = opened(trace, "#a/messages", height=2400)
    field = page.get_by_role("combobox", name="Filter")
    path = REPOSITORY / "sample_traces" / f"{trace}.jsonl"
    for text in _SAME:
        field.fill(text)
        expect(page).to_have_url(re.compile(re.escape(f"q={quote_plus(text, safe=chr(42))}")))
        found = json.loads(commands("frames", path, "--where", text, "--logs", "--json").out or "[]")
        frames = [row["frame"] for row in found if "frame" in row]
        word = "match" if len(found) == 1 else "matches"
        expect(page.locator(".said")).to_have_text(re.compile(f"^{len(found)} {word} in "))
        rows = page.locator(".messages tbody tr[data-frame]:not([hidden])")
        expect(rows).to_have_count(len(frames))  # they are drawn after it is said
        assert rows.evaluate_all("rows => rows.map((tr) => Number(tr.dataset.frame))") == frames, text


def test_a_filter_is_completed(opened: Callable[..., Page]) -> None:
    """Fields first, then the values that the trace has; by keyboard and by mouse."""
    page = opened("opencode-story", "#a/messages")
    field = page.get_by_role("combobox", name="Filter")
    choices = page.get_by_role("listbox", name="Completions")
    field.press_sequentially("ki")
    expect(choices.get_by_role("option")).to_have_count(1)
    field.press("Tab")
    expect(field).to_have_value("kind:")
    field.press_sequentially("usa")
    field.press("ArrowDown")
    expect(choices.get_by_role("option", selected=True)).to_contain_text("usage_update")
    field.press("Enter")
    expect(field).to_have_value("kind:usage_update ")
    expect(page).to_have_url(re.compile("q=kind%3Ausage_update"))
    field.press_sequentially("-turn:")
    choices.get_by_role("option", name="S1.1").click()
    expect(field).to_have_value("kind:usage_update -turn:S1.1 ")
    expect(page.locator("tr[data-frame='30']")).to_be_hidden()
    field.press("Escape")
    expect(field).to_have_value("")


def test_a_mistake_is_shown(opened: Callable[..., Page]) -> None:
    """Which part is wrong and what may be meant; the rows stay. It can be searched for as text."""
    page = opened("opencode-story", "#a/messages?q=kind%3Ausage_update")
    said = page.locator(".said")
    expect(said).to_contain_text("matches in 44 frames")
    before = said.inner_text()
    field = page.get_by_role("combobox", name="Filter")
    field.fill("kind:usage_update methd:x")
    wrong = page.get_by_role("alert")
    expect(wrong).to_contain_text("there is no field methd; a text needs quotes; did you mean method?")
    expect(wrong.locator("u")).to_have_text("methd")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert said.inner_text() == before
    field.fill("stopReason:end_turn")
    expect(wrong.locator("u")).to_have_text("stopReason")
    page.get_by_role("button", name="Search for it as text").click()
    expect(field).to_have_value('"stopReason:end_turn"')
    expect(wrong).to_be_hidden()
    page.goto(page.url.partition("#")[0] + "#a/messages?q=took%3A1s")
    expect(wrong).to_contain_text("took is compared: took>1s")
    expect(said).to_have_text("44 frames")


def test_older_addresses_still_filter(opened: Callable[..., Page]) -> None:
    """What choices say, and a text, stand beside one another."""
    page = opened("opencode-story", "#a/messages?side=agent&kind=response&turn=0&q=end_turn")
    expect(page.locator(".said")).to_have_text("1 match in 1 frames")
    expect(page.locator("tr[data-frame]:not([hidden]) mark")).to_have_text("end_turn")
