"""Text of the traffic in files that people read: one line, nothing in it that is obeyed."""

from __future__ import annotations


def one_line(text: str, width: int) -> str:
    """At most `width` characters, those that cannot be seen as escapes; `…` where something was cut."""
    shown = "".join(map(_visible, text[: width + 1]))
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"


def count(number: int, word: str) -> str:
    """`1 frame`, `3 frames`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _visible(char: str) -> str:
    return char if char.isprintable() else char.encode("unicode_escape").decode()
