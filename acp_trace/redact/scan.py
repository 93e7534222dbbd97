"""A text -> the secrets that are recognisable in it: tokens, private keys, URLs, in every view of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from acp_trace.redact import shapes, urls
from acp_trace.redact.rules import SHAPES
from acp_trace.redact.views import views

#: Escapes that can hide a match: of letters, digits and the signs of URLs, and those of terminals.
_HIDDEN = re.compile(
    r"\\(?:u\{?0{0,4}[2-7]|U0000|x[2-7]|[01][0-7]|/)|%(?:[3-7]|2[fF])|&#|\\(?:u\{?0{0,3}1b|x1b|e)"
)


class Hit(NamedTuple):
    """What to remove from a text, from `start` to `end`."""

    start: int
    end: int
    secret: str | None = None  #: None: no string (a number, a home directory, a placeholder that stays)
    rule: str = ""  #: empty: it stays
    here_only: bool = False
    home: int = 0  #: the number of the home directory


def secrets(text: str) -> list[Hit]:
    """Return tokens, private keys and URLs with secrets in a text, not nested, from left to right."""
    if not may_hold(text):
        return []
    hits: list[Hit] = []
    loose: list[Hit] = []
    for view in views(text):
        into = loose if view.loose else hits
        for start, end in shapes.spans(view.text):
            into.append(Hit(*view.span(start, end), view.text[start:end], SHAPES))
        for span in urls.spans(view.text) if urls.may_hold(view.text) else ():
            secret = urls.plain(view.text[span.start : span.end])
            into.append(Hit(*view.span(span.start, span.end), secret, span.rule, span.here_only))
    return apart(hits, loose)


def may_hold(text: str) -> bool:
    """Whether a text may hold one of these; most do not, which is quickly decided."""
    return urls.may_hold(text) or shapes.may_hold(text) or is_escaped(text)


def is_escaped(text: str) -> bool:
    """Whether a text has escapes that can hide a secret from a plain search."""
    if ("\\" in text or "%" in text or "&#" in text) and _HIDDEN.search(text):
        return True
    return "\x1b" in text or "\0" in text or (not text.isascii() and ("\x9b" in text or "\u241b" in text))


def apart(hits: list[Hit], loose: Iterable[Hit] = ()) -> list[Hit]:
    """Return hits from left to right; of nested ones only the outer, and what hangs over separately.

    Of the `loose` hits, only those that touch no other hit.
    """
    made: list[Hit] = []
    for hit in sorted(hits, key=_place):
        done = made[-1].end if made else 0
        if hit.start >= done:
            made.append(hit)
        elif hit.end > done:
            made.append(hit._replace(start=done))
    free = [hit for hit in loose if not _touches(hit, made)]
    return apart([*made, *free]) if free else made


def _touches(hit: Hit, others: list[Hit]) -> bool:
    """Whether it overlaps one of these hits, which are apart."""
    at = bisect_right(others, hit.start, key=lambda one: one.end)
    return at < len(others) and others[at].start < hit.end


def _place(hit: Hit) -> tuple[int, int]:
    return hit.start, -hit.end
