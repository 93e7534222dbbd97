"""A badge: a name and a word beside it, as an SVG of its own that loads nothing."""

from __future__ import annotations

from xml.sax.saxutils import escape

from acp_trace.report.safe import safe, shorten

#: By whether it is good; None for neither.
_COLOURS: dict[bool | None, str] = {True: "#2e7d32", False: "#b3261e", None: "#6b6b6b"}
_LONGEST = 40
#: The average width of a letter, and the padding around a text, in pixels.
_LETTER, _PAD = 6.6, 12


def badge(label: str, said: str, *, good: bool | None) -> bytes:
    """The SVG. `good`: which colour it has; None for grey."""
    texts = [shorten(safe(text), _LONGEST) for text in (label, said)]
    left, right = (round(len(text) * _LETTER + _PAD) for text in texts)
    name, word = (escape(text, {'"': "&quot;"}) for text in texts)
    style = 'fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{name}: {word}"><title>{name}: {word}</title>'
        f'<rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{_COLOURS[good]}"/>'
        f'<g {style}><text x="{left / 2:g}" y="14">{name}</text>'
        f'<text x="{left + right / 2:g}" y="14">{word}</text></g></svg>\n'
    ).encode("utf-8", "replace")
