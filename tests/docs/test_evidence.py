"""docs/evidence/README.md: each claim leads to a page, and its numbers are on that page."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, text_of
from tests.rows import each

_PAGE = DOCS / "evidence" / "README.md"
_ROWS = re.findall(r"^\| (.+) \| (.+) \| \[[^\]]+\]\((\w[\w-]*\.md)\) \|$", text_of(_PAGE), re.MULTILINE)
#: A number, with its commas and its decimals; not one in a name, such as `kill -9`.
_NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w])")


def _numbers(text: str) -> set[str]:
    return {found.rstrip(",") for found in _NUMBER.findall(text)}


def test_each_number_is_on_the_page_that_its_row_links_to() -> None:
    """A figure that is measured again has to be changed in both places."""

    def check(row: tuple[str, str, str]) -> None:
        promise, tested, page = row
        assert _numbers(f"{promise} {tested}") <= _numbers(text_of(_PAGE.parent / page))

    each(_ROWS, check)


def test_each_page_of_evidence_has_its_claim() -> None:
    """But those that are no test: the form of captures, the tables of agents, and what is only calculated."""
    pages = {path.name for path in _PAGE.parent.glob("*.md")} - {
        "README.md",
        "capture.md",
        "agents.md",
        "ten-million.md",
    }
    assert {page for _, _, page in _ROWS} == pages
