"""The few elements that a report in a notebook is made of. Every string in it is escaped here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from acp_trace.report.safe import safe, shorten

#: Characters of one cell.
_MOST = 300
#: Readable on white and on black.
COLOURS = {"error": "#e5484d", "warning": "#b8860b", "note": "inherit"}
_FAINT = "opacity:.65"
_CELL = "padding:.15em .8em .15em 0;vertical-align:top;background:none;border:none"
#: Lines end between words. A word that is longer than this is broken, not too narrowly.
_LONGEST_WORD = 40
_WHOLE_WORDS, _BROKEN = "overflow-wrap:break-word", "overflow-wrap:anywhere;min-width:24em"
#: Notebooks have MathJax read the HTML of an output, except for elements of these classes (versions 3 and 2).
_NO_FORMULAS = "mathjax_ignore tex2jax_ignore"
_TAG = re.compile("<[^>]*>")


class Markup(str):
    """Text that is HTML already: what `text` and the others here give."""

    __slots__ = ()


def text(value: object, *, most: int = _MOST) -> Markup:
    """Any text, escaped, without characters that reverse its direction, cut to a number of characters."""
    return value if isinstance(value, Markup) else Markup(escape(safe(shorten(str(value), most))))


def strong(value: object, severity: str = "note") -> Markup:
    """In bold, in the colour of a severity."""
    return Markup(f'<b style="color:{COLOURS.get(severity, "inherit")}">{text(value)}</b>')


def faint(value: object) -> Markup:
    """Beside what matters."""
    return Markup(f'<span style="{_FAINT}">{text(value)}</span>')


def unbroken(value: object) -> Markup:
    """On one line, however narrow its column is: a code, a number with its unit."""
    return Markup(f'<span style="white-space:nowrap">{text(value)}</span>')


def line(*parts: object) -> Markup:
    """A line of text: its parts, with a dot between them; empty ones are left out."""
    shown = " · ".join(text(part) for part in parts if part)
    return Markup(f'<div style="margin:.2em 0;text-align:left">{shown}</div>')


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], right: Iterable[int] = ()) -> Markup:
    """A table. `right`: the columns of numbers."""
    numbers = frozenset(right)

    def cells(kind: str, row: Sequence[object]) -> str:
        made = []
        for at, value in enumerate(row):
            align = "right" if at in numbers else "left"
            weight = f";font-weight:normal;{_FAINT}" if kind == "th" else ""
            shown = text(value)
            longest = max(map(len, _TAG.sub("", shown).split()), default=0)
            wraps = _WHOLE_WORDS if longest <= _LONGEST_WORD else _BROKEN
            made.append(f'<{kind} style="{_CELL};{wraps};text-align:{align}{weight}">{shown}</{kind}>')
        return f'<tr style="background:none">{"".join(made)}</tr>'

    body = "".join(cells("td", row) for row in rows)
    head = f"<thead>{cells('th', headings)}</thead>" if any(headings) else ""
    style = "border-collapse:collapse;border:none;margin:.4em 0;font-size:inherit;color:inherit"
    return Markup(f'<table style="{style}">{head}<tbody>{body}</tbody></table>')


def report(*parts: str) -> str:
    """The whole: what is wider than the page scrolls, and no `$…$` in it becomes a formula."""
    style = "overflow-x:auto;line-height:1.45;color:inherit"
    return f'<div class="{_NO_FORMULAS}" style="{style}">{"".join(parts)}</div>'
