"""docs/README.md -> its sections, with the pages that each lists. No I/O.

The index is the only place that orders the pages. `acp-trace docs` lists them, and docs/site_hook.py makes
the site's navigation of them.

    ## Pages
    ### SECTION
    - [TITLE](PAGE): what the page is about, and [MORE](PAGE)
    - **GROUP** in words: [TITLE](PAGE), [TITLE](PAGE)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

#: A page that is called like this has the name of its directory.
_INDEXES = ("README", "SKILL")

#: The section for contributors, and the directory of the evidence: long pages, with the words of all other
#: pages.
_BEHIND, _EVIDENCE = "How it is built", "evidence/"
#: The weight of such a page in a search; other pages have 1.
BEHIND = 0.3

_PAGES = re.compile(r"^## Pages\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^### ([^\n]+)\n(.*?)(?=^### |\Z)", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^- (.+(?:\n  .+)*)", re.MULTILINE)
_GROUP = re.compile(r"\*\*(.+?)\*\*")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)[^)\s]*\)")


@dataclass(frozen=True, slots=True)
class Topic:
    """One page, as the index lists it."""

    title: str
    section: str
    group: str  #: a subsection, or empty
    about: str  #: one line, or empty
    path: str  #: from docs/, with slashes; begins with `../` for a page that is elsewhere in the repository

    @property
    def name(self) -> str:
        """What a user types: the path without its ending, and without README."""
        parts = self.path.removesuffix(".md").split("/")
        return "/".join(parts[:-1] if parts[-1] in _INDEXES else parts)

    @property
    def weight(self) -> float:
        """How much the page counts in a search: 1, or less if it is not for users."""
        return BEHIND if self.section == _BEHIND or self.path.startswith(_EVIDENCE) else 1.0


def topics(index: str) -> list[Topic]:
    """Return the topics that the text of the index lists, in its order, each once."""
    found: dict[str, Topic] = {}
    pages = _PAGES.search(index)
    for section, body in _SECTION.findall(pages[1] if pages else ""):
        for item in _ITEM.findall(body):
            for topic in _of_item(section.strip(), re.sub(r"\s*\n\s*", " ", item)):
                found.setdefault(topic.path, topic)
    return list(found.values())


def of_docs(index: str) -> list[Topic]:
    """Return the topics whose pages are in docs/: an installation has no others."""
    return [topic for topic in topics(index) if not topic.path.startswith("../")]


def named(word: str, listed: Sequence[Topic]) -> Topic | None:
    """Return the topic that a word names, or None.

    A word is a topic's name, its path, its title, or the last part of its name if no other one ends so.
    """
    wanted = word.strip().lower().removeprefix("docs/")
    exact = [t for t in listed if wanted in (t.name.lower(), t.path.lower(), t.title.lower())]
    last = [t for t in listed if wanted == t.name.lower().rpartition("/")[2]]
    return exact[0] if exact else last[0] if len(last) == 1 else None


def _of_item(section: str, item: str) -> list[Topic]:
    """The first page of an item has its text; each other page has what its own link is called."""
    named = _GROUP.match(item)
    group = named[1] if named else ""
    made: list[Topic] = []
    for title, path in _LINK.findall(item):
        is_first = not made and not group
        about = _plain(item.partition(")")[2].lstrip(": ")) if is_first else ""
        # Elsewhere a link is in the middle of a sentence.
        shown = title if is_first else title[:1].upper() + title[1:]
        made.append(Topic(shown, section, group, about, path))
    return made


def _plain(text: str) -> str:
    """A text without its links and its code marks."""
    return _LINK.sub(r"\1", text).replace("`", "")
