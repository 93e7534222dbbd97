"""The parts of a page: each heading with the text below it, and the anchor by which links name it. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_HEADINGS = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


class PagePart(NamedTuple):
    """A heading and the text up to the next heading. The text before the first has level 0 and no heading."""

    level: int
    heading: str
    begin: int  #: where the heading begins in the page's text
    body: str


def parts(text: str) -> Iterator[PagePart]:
    """Yield the parts of a page, in its order. Comments of a shell, in a block of code, are not headings."""
    hidden = _FENCE.sub(lambda block: block[0].replace("\n#", "\n "), text)
    found = list(_HEADINGS.finditer(hidden))
    yield PagePart(0, "", 0, hidden[: found[0].start() if found else len(hidden)])
    for here, then in zip(found, [*found[1:], None], strict=True):
        end = len(hidden) if then is None else then.start()
        yield PagePart(len(here[1]), here[2], here.start(), hidden[here.end() : end])


def slug(heading: str, separator: str = "-") -> str:
    """Return the anchor of a heading, as GitHub makes it: two spaces are two hyphens."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", separator)


def section(text: str, anchor: str) -> str | None:
    """Return the section that an anchor names, with the sections below it; None if the page lacks it."""
    listed = list(parts(text))
    for at, part in enumerate(listed):
        if part.level and slug(part.heading) == anchor:
            ends = (each.begin for each in listed[at + 1 :] if each.level <= part.level)
            return text[part.begin : next(ends, len(text))]
    return None
