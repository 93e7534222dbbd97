"""Where the pages are, and their texts.

A wheel has them in `acp_trace/manual/pages`, where pyproject.toml puts them. In a checkout they are in docs/,
beside the package.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent
#: The first that has an index is taken: the wheel's own come before what is beside the package.
_PLACES = (_HERE / "pages", _HERE.parents[1] / "docs")
INDEX = "README.md"


def directory() -> Path | None:
    """Return the directory of the pages, or None if this installation was made without them."""
    return next((place for place in _PLACES if (place / INDEX).is_file()), None)


def text(place: Path, path: str) -> str:
    """Return the text of a page. `path`: relative to `place`, as the index has it."""
    return (place / path).read_text("utf-8")
