"""Text of the traffic in files that people read: one line, nothing in it that is obeyed."""

from __future__ import annotations

from acp_trace.trace.counts import THOUSANDS


def one_line(text: str, width: int) -> str:
    """At most `width` characters, those that cannot be seen as escapes; `…` where something was cut."""
    shown = "".join(map(_visible, text[: width + 1]))
    return shown if len(shown) <= width else f"{shown[: width - 1]}…"


def _visible(char: str) -> str:
    return char if char.isprintable() or char == THOUSANDS else char.encode("unicode_escape").decode()
