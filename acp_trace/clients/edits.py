"""Changes of a text by position: what is not named in them stays as it was, character for character."""

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
    """The text with all of them; their positions are those of the text as it was, and do not overlap."""
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text
