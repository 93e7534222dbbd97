"""The site is built without a warning, says what GitHub shows, and asks no other host for anything.

`.ci/run` installs the extra `docs` before these tests; without it, they are skipped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.docs.pages import DOCS, PAGES, README
from tests.site.building import build
from tests.support import REPOSITORY

pytestmark = pytest.mark.slow

#: What both renderers must agree on. Not paragraphs: a list item may have one or not.
_TAGS = {
    "h1",
    "h2",
    "h3",
    "h4",
    "ul",
    "ol",
    "li",
    "table",
    "tr",
    "th",
    "td",
    "pre",
    "blockquote",
    "strong",
    "em",
}
_ARTICLE = re.compile(r"<article[^>]*>(.*?)</article>", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


class _Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.counted: Counter[str] = Counter()
        self.loaded: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.counted[tag] += tag in _TAGS
        given = dict(attrs)
        is_loaded = tag != "a" and not (tag == "link" and given.get("rel") in ("canonical", "prev", "next"))
        self.loaded += [given[name] or "" for name in ("src", "href") if is_loaded and name in given]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site. A warning would be an error."""
    return build(tmp_path_factory.mktemp("site"))


def _html(site: Path, page: Path) -> str:
    path = site / page.relative_to(DOCS).with_suffix(".html")
    return (path.with_name("index.html") if page.stem == "README" else path).read_text("utf-8")


def test_a_page_has_the_structure_that_github_shows(site: Path) -> None:
    """Lists, tables, code and headings are found by both: the pages use no syntax that one of them does not know."""
    github = MarkdownIt("commonmark").enable("table")
    for page in (page for page in PAGES if page != README):
        (article,) = _ARTICLE.findall(_html(site, page))
        shown = _Tags(github.render(_FRONT_MATTER.sub("", page.read_text("utf-8")))).counted
        assert +_Tags(article).counted == +shown, page


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    """Scripts, styles, fonts and pictures are beside the pages; links of the text may lead anywhere."""
    for path in site.rglob("*.html"):
        assert [address for address in _Tags(path.read_text("utf-8")).loaded if "//" in address] == [], path
    for path in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text("utf-8")), path


def test_only_pages_and_pictures_are_published(site: Path) -> None:
    """No scripts of docs/, no files of the examples."""
    endings = {path.suffix for path in site.rglob("*") if path.is_file() and "assets" not in path.parts}
    assert endings == {".html", ".png", ".js", ".json", ".xml", ".gz"}


def test_a_broken_link_is_an_error(tmp_path: Path) -> None:
    """To a page or to a heading that is not there."""
    for link in ("nothing.md", "replay.md#nothing"):
        config = tmp_path / "mkdocs.yml"
        docs = tmp_path / "docs"
        docs.mkdir(exist_ok=True)
        (docs / "index.md").write_text(f"# A\n\n[B]({link})\n")
        (docs / "replay.md").write_text("# Replay\n")
        text = (REPOSITORY / "mkdocs.yml").read_text("utf-8")
        kept = text.partition("\ntheme:")[0].replace("docs_dir: docs", f"docs_dir: {docs}")
        config.write_text(kept.replace("site_dir: build/site", f"site_dir: {tmp_path / 'out'}"))
        words = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(config)]
        done = subprocess.run(
            words, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, check=False
        )
        assert done.returncode == 1, done.stderr
