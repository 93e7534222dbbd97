"""Text from the traffic, made harmless: nothing an agent or a client sends may drive the terminal.

Control characters (C0, DEL, C1), line and paragraph separators, the characters that turn the direction of
writing around, and tags, in which a text can be hidden from people but not from a language model, become
visible escapes. Use it on every string that is not ours.
"""

from __future__ import annotations

import re

#: What a terminal obeys, what turns writing around, and invisible copies of ASCII (the block "Tags").
HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}


def safe(text: str) -> str:
    """One line with nothing in it that a terminal would obey."""
    return HARMFUL.sub(_escape, text)


def safe_lines(text: str) -> str:
    """The same for text of several lines: newlines stay."""
    return "\n".join(safe(line) for line in text.split("\n"))


def shorten(text: str, width: int) -> str:
    """At most `width` characters, the last one `…` where something was cut."""
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    return _SHORT.get(char) or char.encode("unicode_escape").decode()
