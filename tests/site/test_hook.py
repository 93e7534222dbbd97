"""The site's navigation is the index of the pages, and its links lead where they lead on GitHub. Needs no mkdocs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from release.repository import REPOSITORY
from tests.docs.pages import DOCS, INDEX

sys.path.insert(0, str(DOCS))

from site_hook import in_repository, navigation, themed  # type: ignore[import-not-found, unused-ignore]

_FILES = f"https://github.com/{REPOSITORY}/blob/main"


def _leaves(pages: Any) -> Iterator[str]:
    for entry in pages:
        (target,) = entry.values()
        yield from [target] if isinstance(target, str) else _leaves(target)


def test_the_tabs_are_the_sections_of_the_index() -> None:
    """In its order, with every page once; what is outside of docs/ is in the repository."""
    made = navigation(INDEX.read_text("utf-8"))
    assert [next(iter(tab)) for tab in made] == ["Home", "Use", "CI", "Reference", "How it is built"]
    leaves = list(_leaves(made))
    assert len(leaves) == len(set(leaves))
    pages = {
        path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "node_modules" not in path.parts
    }
    assert {leaf for leaf in leaves if "://" not in leaf} == pages
    assert f"{_FILES}/CONTRIBUTING.md" in leaves


def test_a_group_is_one_entry() -> None:
    """Its pages are below it, named by their links; those of an item without a group are beside each other."""
    text = "## Pages\n\n### Use\n\n- [A](a.md): first, then\n  [b](b.md#c)\n- **More** about: [c](c.md), [d](d.md)\n\n## Else\n\n- [E](e.md)\n"
    assert navigation(text)[1:] == [
        {"Use": [{"A": "a.md"}, {"B": "b.md"}, {"More": [{"C": "c.md"}, {"D": "d.md"}]}]}
    ]


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("../CONTRIBUTING.md#set-up", f"{_FILES}/CONTRIBUTING.md#set-up"),
        ("../tests", f"https://github.com/{REPOSITORY}/tree/main/tests"),
        ("examples/agent-in-ci/session.toml", f"{_FILES}/docs/examples/agent-in-ci/session.toml"),
        ("replay.md", None),
        ("#here", None),
        ("https://example.org/x", None),
        ("../nothing.md", None),
        ("../../outside", None),
    ],
)
def test_a_link_to_no_page_leads_to_the_repository(link: str, address: str | None) -> None:
    """One that leads nowhere is left to mkdocs, which warns."""
    assert in_repository("ci.md", link, {"replay.md", "ci.md"}) == address


def test_a_link_is_read_from_its_page() -> None:
    """A page in a directory goes up once more."""
    assert in_repository("evidence/real.md", "../../SECURITY.md", {"ci.md"}) == f"{_FILES}/SECURITY.md"
    assert in_repository("evidence/real.md", "../ci.md", {"ci.md"}) is None


def test_a_picture_has_a_copy_for_each_theme() -> None:
    """The site shows the one that fits what the reader has chosen."""
    html = '<p><picture>\n<source media="(prefers-color-scheme: dark)" srcset="d.png">\n<img alt="A" src="l.png">\n</picture></p>'
    assert themed(html) == '<p><img alt="A" src="l.png#only-light"><img alt="A" src="d.png#only-dark"></p>'
