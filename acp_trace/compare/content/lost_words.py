"""In which words it is told that something is no longer shown, and what stands in its place.

Words only. What is gone, `shapes` says.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_trace.compare.content.shapes import is_placeholder
from acp_trace.normalize import pointers

#: Names of what can be counted: they have an article.
_COUNTED = frozenset(
    {"diff", "error message", "image", "message", "path", "resource", "terminal", "title", "url"}
)
_VOWELS = tuple("aeiou")


def listed(names: Iterable[str]) -> str:
    """Names of what is gone, as a part of a sentence: `raw input, a title and an image`."""
    *others, last = [_with_article(name) for name in names] or ["nothing"]
    return f"{', '.join(others)} and {last}" if others else last


def title(value: Any) -> str:
    """What stands where a title should be."""
    return f'"{value.strip()}", which is not a title' if is_placeholder(value) else pointers.shown(value)


def kinds(value: dict[str, Any]) -> str:
    """Kinds of content, by name."""
    return ", ".join(value) or "nothing"


def spans(value: dict[str, tuple[float, float]]) -> str:
    """The least and the most that each figure was: `used 0 to 100, size 128000`."""
    spans = ((name, *(dict.fromkeys(figures))) for name, figures in value.items())
    return ", ".join(f"{name} {' to '.join(map(str, figures))}" for name, *figures in spans)


def _with_article(name: str) -> str:
    if name not in _COUNTED and "_" not in name:  # `resource_link` and the like are names of kinds
        return name
    return f"{'an' if name.startswith(_VOWELS) else 'a'} {name}"
