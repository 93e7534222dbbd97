"""Allowances: what may differ from run to run of an agent that varies. Pure.

    allowance := CODE [WORD …]      update-missing usage_update
    CODE      := the code of a divergence that is, or can be made, an error
    WORD      := a JSON pointer, * for any key or index; or a word of its place: a method, a kind of
                 update, an option, the code of a finding

A divergence is allowed if it has that code and all of these words: then it is a note. Consequences of an
allowed divergence, such as a refused request, are allowed with it. A run that ended too early is never
allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from acp_trace.compare.codes import CODES, OVER_BUDGET
from acp_trace.compare.result import AllowanceUse, Divergence
from acp_trace.replay.incidents import ENDS, RUN_CODES
from acp_trace.story.frame_event import FrameEvent
from acp_trace.trace import json_pointer, near_misses
from acp_trace.trace.carets import CaretError

_WORD = re.compile(r"\S+")
_KNOWN = {**CODES, **RUN_CODES}
_ALLOWABLE = [
    code
    for code, row in _KNOWN.items()
    if (row.severity == "error" or row.may_fail) and code not in ENDS and code != OVER_BUDGET
]


class AllowanceError(CaretError):
    """An expression that is not an allowance."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """One allowance. `text` is how it was written."""

    text: str
    code: str
    words: tuple[str, ...] = ()

    def allows(self, divergence: Divergence) -> bool:
        """Whether a divergence has its code and all its words."""
        if divergence.code != self.code:
            return False
        words = set(_words(divergence))
        return all(word in words or _fits(word, divergence.pointer) for word in self.words)


def parse(text: str) -> Allowance:
    """Return the allowance in an expression: `update-missing usage_update`. Raises AllowanceError."""
    found = list(_WORD.finditer(text))
    if not found:
        raise AllowanceError("expected the code of a divergence, such as update-missing", text, 0, len(text))
    code = found[0][0]
    if (why := _why_not(code)) is not None:
        raise AllowanceError(why, text, *found[0].span())
    for word in found[1:]:
        if word[0].startswith("/") and "//" in f"{word[0]}/":
            at = word.start() + f"{word[0]}/".index("//") + 1
            raise AllowanceError("expected a key, an index or *", text, at, at)
    return Allowance(text, code, tuple(word[0] for word in found[1:]))


def proposed(divergence: Divergence) -> str | None:
    """Return the narrowest allowance for a divergence; None if it cannot be allowed."""
    if divergence.code not in _ALLOWABLE:
        return None
    event = divergence.expected_event or divergence.got_event
    if divergence.about is not None:
        place = divergence.about
    elif divergence.pointer is not None:
        place = "/".join("*" if key.isdigit() else key for key in divergence.pointer.split("/"))
    else:
        place = _kind(event)
    return f"{divergence.code} {place}".strip()


class Allowances:
    """The allowances of a replay."""

    def __init__(self, allowances: Iterable[Allowance]) -> None:
        self._allowances = list({allowance.text: allowance for allowance in allowances}.values())

    def apply(self, divergences: Sequence[Divergence]) -> tuple[list[Divergence], list[AllowanceUse]]:
        """Return the divergences, with allowed ones as notes; and how often each allowance was used."""
        by_place = [self._of(divergence) for divergence in divergences]
        causes = {
            frame: text
            for divergence, text in zip(divergences, by_place, strict=True)
            if text is not None and not divergence.follows
            for frame in divergence.frames
        }
        allowed = []
        uses = dict.fromkeys((allowance.text for allowance in self._allowances), 0)
        for divergence, own in zip(divergences, by_place, strict=True):
            follows = next((causes[frame] for frame in divergence.followed if frame in causes), None)
            text = own or (follows if divergence.code in _ALLOWABLE else None)
            if text is None or divergence.severity != "error":
                allowed.append(divergence)
                continue
            uses[text] += 1
            allowed.append(replace(divergence, severity="note", allowed=text))
        return allowed, [AllowanceUse(text, count) for text, count in uses.items()]

    def _of(self, divergence: Divergence) -> str | None:
        texts = (each.text for each in self._allowances if each.allows(divergence))
        return next(texts, None) if divergence.severity == "error" else None


def _why_not(code: str) -> str | None:
    """Return why a code cannot be allowed; None if it can."""
    if code in ENDS:
        return "an early end of the run cannot be allowed"
    if code == OVER_BUDGET:
        return "a budget cannot be allowed: change the budget instead"
    if code in _KNOWN and code not in _ALLOWABLE:
        return "a note: it never fails, so there is nothing to allow"
    if code not in _KNOWN:
        return f"expected the code of a divergence{near_misses.suggestion(code, _ALLOWABLE, most=1)}"
    return None


def _words(divergence: Divergence) -> Iterator[str]:
    for event in (divergence.expected_event, divergence.got_event):
        yield from () if event is None else event.what.split()
    for text in (divergence.expected, divergence.got):
        if text is not None and not _WORD.sub("", text):
            yield text
    if divergence.about is not None:
        yield from (divergence.about, *divergence.about.split())


def _fits(word: str, pointer: str | None) -> bool:
    """Whether a pointer is the same, `*` for any key."""
    if pointer is None or not word.startswith("/"):
        return False
    pattern, path = json_pointer.read(word), json_pointer.read(pointer)
    return len(pattern) == len(path) and all(
        key in ("*", actual) for key, actual in zip(pattern, path, strict=True)
    )


def _kind(event: FrameEvent | None) -> str:
    """Return the kind of an update, or the method."""
    if event is None:
        return ""
    words = event.what.split()
    if words[:2] == ["answer", "to"]:
        return words[2]
    return words[1] if words[0] == "session/update" and len(words) > 1 else words[0]
