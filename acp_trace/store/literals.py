"""Text as literals of SQL, for what takes no parameters: COMMENT, COPY, SET, and the lists of views. Pure."""

from __future__ import annotations

from collections.abc import Collection


def quoted(text: str) -> str:
    """One text."""
    return "'" + text.replace("'", "''") + "'"


def quoted_list(texts: Collection[str]) -> str:
    """A list of texts."""
    return f"[{', '.join(map(quoted, texts))}]"
