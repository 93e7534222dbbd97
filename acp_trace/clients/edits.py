"""Changes of a text by position: everything outside them stays, character for character."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


class CannotEdit(ValueError):
    """A configuration that cannot be changed as asked: the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class TextEdit:
    """`text[start:end]` becomes `new`."""

    start: int
    end: int
    new: str = ""


def apply(text: str, edits: Iterable[TextEdit]) -> str:
    """Return the text with all edits; their positions are those of the old text, and do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text
