"""Whether one text quotes another: as whole words, or cut off by an ellipsis. Pure."""

from __future__ import annotations

import re

SHORTEST = 2  #: shortest value that is looked for in a text: a single character appears everywhere
_PREFIX = 8  #: how much of it must appear before an ellipsis that cuts it
_CUT = re.compile(r"…|\.\.\.")


def shows(text: str, value: str) -> bool:
    """Whether a text contains a value: as whole words, its first line, or cut off by an ellipsis."""
    text, whole = " ".join(text.split()), " ".join(value.split())
    first = " ".join(value.strip().split("\n", 1)[0].split())
    if any(len(part) >= SHORTEST and stands(text, part) for part in (whole, first)):
        return True
    *cut, _ = _CUT.split(text)
    begins = [(before, before.find(whole[:_PREFIX])) for before in cut if len(whole) > _PREFIX]
    return any(at >= 0 and whole.startswith(before[at:]) for before, at in begins)


def same(text: str, other: str) -> bool:
    """Whether two texts are equal, as far as an ellipsis at the end of either shows."""
    if text == other:
        return True
    sides = ((text, other), (other, text))
    return any(
        (cut := _CUT.split(short)[0]) and short != cut and whole.startswith(cut) for short, whole in sides
    )


def stands(text: str, part: str) -> bool:
    """Whether a text contains a part as whole words."""
    at = text.find(part)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(part) : at + len(part) + 1]
        if not (before.isalnum() and part[0].isalnum()) and not (after.isalnum() and part[-1].isalnum()):
            return True
        at = text.find(part, at + 1)
    return False
