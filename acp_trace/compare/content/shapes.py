"""The part of a shown value that does not depend on a model's words: names of what is there.

A shape is compared by what it loses: `{"diff", "text"}` and `{"text"}` differ by the diff.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from acp_trace.normalize.directories import HERE
from acp_trace.trace.jsontext import objects

#: The names of what is there, in order. The second argument returns a path relative to its directory.
Shape = Callable[[Any, Callable[[str], str]], list[str]]

#: Texts that programs write in place of a missing title. A file may well contain `None`.
_PLACEHOLDERS = frozenset({"undefined", "null", "none", "nan", "[object object]"})
_ABSOLUTE = re.compile(r"(?:file://)?(?:[A-Za-z]:)?[/\\]")


def is_filled(value: Any) -> bool:
    """Whether something is shown that is neither blank nor empty."""
    if isinstance(value, str):
        return bool(value.strip())
    if isinstance(value, (dict, list)):
        return bool(value)
    return isinstance(value, (int, float))


def filled(name: str) -> Shape:
    """Return a shape that only shows presence, under this name."""
    return lambda value, _: [name] if is_filled(value) else []


def title(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return `title` if there is a title, and not a placeholder."""
    is_title = isinstance(value, str) and is_filled(value) and not is_placeholder(value)
    return ["title"] if is_title else []


def is_placeholder(value: Any) -> bool:
    """Whether a value is a text that programs write in place of a title."""
    return isinstance(value, str) and value.strip().lower() in _PLACEHOLDERS


def names(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return the keys of an object, such as names of commands."""
    return list(value) if isinstance(value, dict) else []


def choices(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return the choices of all options: `model small`."""
    return [f"{option} {choice}" for option, listed in value.items() for choice in listed]


def figures(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return the figures that are above 0 at some time, and never below. Each has its least and its most."""
    return [name for name, (least, most) in value.items() if least >= 0 and most > 0]


def entries(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return a name if a plan has an entry with a text."""
    return ["entries"] if any(is_filled(entry.get("content")) for entry in objects(value)) else []


def locations(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return a name if there is a location with a path."""
    return ["locations"] if any(is_filled(each.get("path")) for each in objects(value)) else []


def inside(value: Any, path: Callable[[str], str]) -> list[str]:
    """Return a name if no path of the values leads out of the directories of the trace."""
    paths = [each["path"] for each in objects(value) if isinstance(each.get("path"), str)]
    is_outside = (_ABSOLUTE.match(each) and not path(each).removeprefix("file://").startswith(HERE)
                  for each in paths)  # fmt: skip
    return [] if any(is_outside) else ["directory"]


def new_text(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return a name if some diff has a new text."""
    return ["new text"] if any(is_filled(each.get("newText")) for each in objects(value)) else []
