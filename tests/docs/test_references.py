"""What code and tests refer to is there: pages of docs/, and the sections of them that are named."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import text_of
from tests.support import REPOSITORY

#: A page, and perhaps a section: `docs/report.md, Pairing`, `docs/security.md, "What a replay does"`.
_PAGE = re.compile(
    r'(?<![\w*"/.])(?:(docs(?:/evidence)?)/)?([\w-]+\.md)\b(?:, "([^"]+)"|, (?:the )?([A-Z][\w -]*))?'
)
#: Lists that are not in the repository, by number.
_ELSEWHERE = re.compile(r"\b(?:[Tt]raps?|[Ii]ssue|design, idea) \d+")


@cache
def _sections(page: Path) -> list[str]:
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.MULTILINE)
    return [re.sub(r"[`*]", "", heading).lower() for heading in headings]


def _plain(text: str) -> str:
    """Docstrings and comments wrap: one space for each wrap."""
    return re.sub(r"\s*\n\s*(?:#:?\s*)?", " ", text)


@pytest.mark.parametrize("part", ["acp_trace", "tests", "docs"])
def test_a_reference_leads_somewhere(part: str) -> None:
    """To a page that is there, by its whole name, and to a heading of it."""
    paths = sorted((REPOSITORY / part).rglob("*.py"))
    assert paths
    assert {path: wrong for path in paths if (wrong := _wrong(_plain(path.read_text("utf-8"))))} == {}


def _wrong(text: str) -> list[str]:
    """The references that lead nowhere."""
    wrong = []
    for found in _PAGE.finditer(text):
        directory, page, quoted, plain = found.groups()
        section = quoted or plain
        if section is None:
            continue
        target = REPOSITORY / directory / page if directory else None
        if target is None or not target.exists() or section.strip().lower() not in _sections(target):
            wrong.append(found[0])
    return [*wrong, *_ELSEWHERE.findall(text)]
