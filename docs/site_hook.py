"""What mkdocs.yml does not repeat: the navigation, the repository, and the links that leave the site.

The pages are written for GitHub. The navigation comes from docs/README.md, the repository's name from
`release.repository`. A link to a file that is not a page of the site leads to that file in the repository.
mkdocs calls the functions named `on_…`; the work is in functions that can be tested without mkdocs.
"""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from acp_trace.manual import index
from acp_trace.manual.headings import slug
from release.repository import REPOSITORY, ROOT, SITE

_REPOSITORY = f"https://github.com/{REPOSITORY}"
_PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="([^"]+)">\s*<img ([^>]*)src="([^"]+)"\s*/?>\s*</picture>'
)


def navigation(text: str) -> list[Any]:
    """Return mkdocs's navigation for the text of docs/README.md: a tab for each section, with its pages."""
    tabs: dict[str, list[Any]] = {}
    groups: dict[tuple[str, str], list[Any]] = {}
    for topic in index.topics(text):
        pages = tabs.setdefault(topic.section, [])
        if topic.group:
            key = topic.section, topic.group
            if key not in groups:
                groups[key] = []
                pages.append({topic.group: groups[key]})
            pages = groups[key]
        pages.append({topic.title.replace("`", ""): in_repository("README.md", topic.path) or topic.path})
    return [{"Home": "README.md"}, *({section: pages} for section, pages in tabs.items())]


def in_repository(page: str, link: str, pages: Collection[str] = ()) -> str | None:
    """Return the address in the repository of what a link of a page leads to; None if it stays on the site.

    `page` is its path from docs/, `pages` are the paths of everything that the site has; without them, the
    site has all of docs/. A link that leads nowhere stays, too: mkdocs warns of it.
    """
    path, _, anchor = link.partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return None
    target = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), path))
    inside = target.removeprefix("docs/")
    is_on_site = inside in pages if pages else inside != target
    if is_on_site or target.startswith("..") or not (ROOT / target).exists():
        return None
    kind = "tree" if (ROOT / target).is_dir() else "blob"
    return f"{_REPOSITORY}/{kind}/main/{target}{'#' * bool(anchor)}{anchor}"


def themed(html: str) -> str:
    """Make pictures follow the theme that the reader has chosen; on GitHub they follow the system."""
    return _PICTURE.sub(r'<img \2src="\3#only-light"><img \2src="\1#only-dark">', html)


def on_config(config: Any) -> Any:
    """Set what is written elsewhere."""
    listed = (ROOT / "docs" / "README.md").read_text("utf-8")
    config.nav = navigation(listed)
    config.extra["weights"] = {topic.path: topic.weight for topic in index.topics(listed)}
    config.site_url = SITE
    config.repo_url, config.repo_name = _REPOSITORY, REPOSITORY
    if "mike" in config.plugins:  # only a site with versions has a list of them to ask for
        config.extra["version"] = {"provider": "mike"}
    config.extra["links"] = links = _links()
    config.markdown_extensions.append(links)
    config.mdx_configs["toc"] = {"slugify": slug, "permalink": True}
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Tell the extension which page's links come next, and the search how much the page counts."""
    links = config.extra["links"]
    links.page = page.file.src_uri
    links.pages = {file.src_uri for file in files if file.inclusion.is_included()}
    page.meta["search"] = {"boost": config.extra["weights"].get(page.file.src_uri, index.BEHIND)}
    return markdown


def on_page_content(html: str, **_: Any) -> str:
    """See `themed`."""
    return themed(html)


def _links() -> Any:
    """Return a Markdown extension that sends links to the repository, before mkdocs looks at them."""
    from markdown.extensions import Extension
    from markdown.treeprocessors import Treeprocessor

    class Links(Extension):  # type: ignore[misc]
        page = ""
        pages: Collection[str] = ()

        def extendMarkdown(self, md: Any) -> None:  # noqa: N802  (the library's name)
            md.treeprocessors.register(_Sent(md), "repository", 10)  # between `inline`, 20, and mkdocs's, 0

    class _Sent(Treeprocessor):  # type: ignore[misc]
        def run(self, root: Any) -> None:
            for element in root.iter("a"):
                if address := in_repository(links.page, element.get("href", ""), links.pages):
                    element.set("href", address)

    links = Links()
    return links
