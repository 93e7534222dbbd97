"""What somebody meant who wrote a word that is not there: the nearest choices, and the question.

All messages that propose something use this: settings, masks, budgets, codes, trace ids. What is refused, and
why, the caller says. No I/O.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

#: Below this share of common letters (`difflib`) nobody would see what the two have in common.
_CUTOFF = 0.5
#: More proposals than this are a list that nobody reads.
_MOST = 3


def nearest(
    word: str, choices: Iterable[str], *, aliases: Mapping[str, str] | None = None, most: int = _MOST
) -> list[str]:
    """The choices that look like `word`, the nearest first, each once; empty if none does.

    `aliases` are other names for choices: whoever nearly wrote one is proposed the choice.

        nearest("7f3a9d", ids, aliases={"7f3a9c": "20261120T130501Z-7f3a9c"})
    """
    import difflib  # only a mistake needs it

    proposals = {choice: choice for choice in choices} | dict(aliases or {})
    matches = difflib.get_close_matches(word, proposals, n=max(len(proposals), 1), cutoff=_CUTOFF)
    return list(dict.fromkeys(proposals[match] for match in matches))[:most]


def did_you_mean(candidates: Sequence[str]) -> str:
    """The end of a message: `; did you mean a, b or c?`; empty if there are no candidates."""
    return f"; did you mean {any_of(candidates)}?" if candidates else ""


def any_of(words: Sequence[str]) -> str:
    """Return `a, b or c`; there is at least one word."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def suggestion(word: str, choices: Iterable[str], *, most: int = _MOST) -> str:
    """The end of a message about a word that is not a choice: what `did_you_mean` makes of `nearest`."""
    return did_you_mean(nearest(word, choices, most=most))
