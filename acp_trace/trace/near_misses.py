"""The choices nearest to a word that is not a choice, and the question for a message.

All messages with a suggestion use this: settings, masks, budgets, codes, trace ids. The caller says what is
refused, and why. No I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

#: Below this share of common letters (`difflib`) people would not see the similarity.
_CUTOFF = 0.5
#: Readers skip a longer list of suggestions.
_MOST = 3


def nearest(
    word: str, choices: Iterable[str], *, aliases: Mapping[str, str] | None = None, most: int = _MOST
) -> list[str]:
    """Return the choices that look like `word`, the nearest first, each once; empty if none does.

    `aliases` are other names for choices: for a near miss of an alias, its choice is suggested.

        nearest("7f3a9d", ids, aliases={"7f3a9c": "20261120T130501Z-7f3a9c"})
    """
    import difflib  # only a mistake needs it

    proposals = {choice: choice for choice in choices} | dict(aliases or {})
    matches = difflib.get_close_matches(word, proposals, n=max(len(proposals), 1), cutoff=_CUTOFF)
    return list(dict.fromkeys(proposals[match] for match in matches))[:most]


def did_you_mean(candidates: Sequence[str]) -> str:
    """Return the end of a message: `; did you mean a, b or c?`; empty without candidates."""
    return f"; did you mean {any_of(candidates)}?" if candidates else ""


def any_of(words: Sequence[str]) -> str:
    """Return `a, b or c`; there is at least one word."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def suggestion(word: str, choices: Iterable[str], *, most: int = _MOST) -> str:
    """Return the end of a message about an unknown word: `did_you_mean` of the `nearest` choices."""
    return did_you_mean(nearest(word, choices, most=most))
