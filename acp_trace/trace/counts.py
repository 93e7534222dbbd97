"""Numbers for people, alone and with their nouns. No I/O."""

from __future__ import annotations

#: Between thousands: a narrow space that breaks no line.
THOUSANDS = "\u202f"


def number(count: int) -> str:
    """Return a number, with a space between the thousands: `1 234 567`."""
    return f"{count:,}".replace(",", THOUSANDS)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """Return a count with its noun: `1 turn`, `12 turns`. `plural`: if it is not the noun with an s."""
    return f"{number(count)} {noun_for(count, noun, plural)}"


def noun_for(count: int, noun: str, plural: str | None = None) -> str:
    """Return a noun alone, in the number that fits a count."""
    return noun if count == 1 else plural or f"{noun}s"
