"""The words for content that is no longer shown, and for what replaces it.

Words only. `shapes` finds what is gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_trace.compare.content.shapes import is_placeholder
from acp_trace.normalize import pointers

#: Names of countable things, which have an article.
_COUNTED = frozenset(
    {"diff", "error message", "image", "message", "path", "resource", "terminal", "title", "url"}
)
_VOWELS = tuple("aeiou")


def listed(names: Iterable[str]) -> str:
    """Return names of what is gone, as a part of a sentence: `raw input, a title and an image`."""
    *others, last = [_with_article(name) for name in names] or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def title(value: Any) -> str:
    """Return the words for what replaces a title."""
    return f'"{value.strip()}", which is not a title' if is_placeholder(value) else pointers.shown(value)


def kinds(value: dict[str, Any]) -> str:
    """Return kinds of content, by name."""
    return ", ".join(value) or "nothing"


def spans(value: dict[str, tuple[float, float]]) -> str:
    """Return the least and the greatest value of each figure: `used 0 to 100, size 128000`."""
    spans = ((name, *(dict.fromkeys(figures))) for name, figures in value.items())
    return ", ".join(f"{name} {' to '.join(map(str, figures))}" for name, *figures in spans)


def _with_article(name: str) -> str:
    if name not in _COUNTED and "_" not in name:  # `resource_link` and the like are names of kinds
        return name
    return f"{'an' if name.startswith(_VOWELS) else 'a'} {name}"
