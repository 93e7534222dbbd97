"""The filter language of the page is that of the commands: the same cases, and the same frames of real traces."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser

from acp_trace.report.frame_filter.fields import document
from acp_trace.report.page.bundle import bundle
from tests.report.frame_filter.cases import CASES, ROWS

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
        f"(given) => {{ {_scripts()}; return ({_CASES})(given); }}", [document(), CASES, ROWS]
    )
    page.close()
    assert got["trees"] == [tree for _, tree in CASES["trees"]]
    assert got["errors"] == [error for _, *error in CASES["errors"]]
    for (text, places), matched in zip(CASES["wanted"], got["wanted"], strict=True):
        assert matched == places, text
