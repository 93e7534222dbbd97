"""The parts of a page, and the anchors by which links name them."""

from __future__ import annotations

import pytest

from acp_trace.manual.headings import parts, section, slug
from tests.docs.pages import DOCS, anchors, text_of

_PAGE = "# Page\n\nIt.\n\n## One\n\n```sh\n# no heading\n```\n\n### Deeper\n\nText.\n\n## Two `x`\n\nEnd.\n"


def test_anchors_are_those_of_github() -> None:
    """As the links of the pages have them."""
    assert [slug(heading) for heading in ("The report: `show`", "A — b")] == ["the-report-show", "a--b"]
    for page in sorted(DOCS.glob("*.md")):
        found = {slug(part.heading) for part in parts(text_of(page)) if part.level}
        assert anchors(page) == found, page


@pytest.mark.parametrize(
    ("anchor", "found"),
    [
        ("one", "## One\n\n```sh\n# no heading\n```\n\n### Deeper\n\nText.\n\n"),
        ("deeper", "### Deeper\n\nText.\n\n"),
        ("two-x", "## Two `x`\n\nEnd.\n"),
        ("page", _PAGE),
        ("no-heading", None),
        ("", None),
    ],
)
def test_a_section_ends_at_the_next_of_its_level(anchor: str, found: str | None) -> None:
    """What a shell's comment says is no heading."""
    assert section(_PAGE, anchor) == found
