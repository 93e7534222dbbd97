"""Divergences by what brought them about: repeats and consequences under their cause. Pure.

Two with the same code at the same kind of place are repeats of one cause. What followed from a refused
request is a consequence of that, and stands below it. The heaviest cause comes first; of one weight, the
first in time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from acp_trace.compare.result import Divergence, FrameEvent

#: Words that name the kind of a frame: `session/update tool_call`, `answer to session/prompt`.
_KIND, _ANSWER = 2, 3
_OF_FINDINGS = frozenset({"finding-new", "finding-fixed"})


@dataclass(slots=True)
class Cause:
    """One cause. `first` is told, the others stand below it."""

    first: Divergence
    repeats: list[Divergence] = field(default_factory=list)
    consequences: list[Divergence] = field(default_factory=list)

    @property
    def divergences(self) -> list[Divergence]:
        """All but the consequences."""
        return [self.first, *self.repeats]

    @property
    def count(self) -> int:
        """How many there are of it, with all that each stands for."""
        return sum(divergence.count for divergence in self.divergences)


def causes(divergences: Iterable[Divergence]) -> list[Cause]:
    """The causes of some divergences, which come in the order of time; the heaviest first."""
    by_place: dict[tuple[str | None, ...], Cause] = {}
    by_frame: dict[int, Cause] = {}
    following: list[Divergence] = []
    for divergence in divergences:
        if divergence.consequence_of is not None:
            following.append(divergence)
            continue
        cause = by_place.get(_place(divergence))
        if cause is None:
            cause = by_place[_place(divergence)] = Cause(divergence)
        else:
            cause.repeats.append(divergence)
        if divergence.got_event is not None:
            by_frame.setdefault(divergence.got_event.frame, cause)
    orphans = []
    for divergence in following:
        if (of := by_frame.get(divergence.consequence_of or 0)) is not None:
            of.consequences.append(divergence)
            if divergence.got_event is not None:  # what follows from this one follows from its cause, too
                by_frame.setdefault(divergence.got_event.frame, of)
        else:  # what it follows from is not told itself
            orphans.append(Cause(divergence))
    return sorted([*by_place.values(), *orphans], key=lambda cause: cause.first.rank)


def repeats(notes: Iterable[Divergence]) -> list[Cause]:
    """Notes of one kind under the first of them, in their order. An allowed one is of another kind.

    A note that stands at no frame is about the run as a whole: none repeats another.
    """
    by_place: dict[tuple[str | None, ...] | int, Cause] = {}
    for number, note in enumerate(notes):
        has_frame = note.expected_event or note.got_event
        place = (note.allowed, *_place(note)) if has_frame else number
        if place in by_place:
            by_place[place].repeats.append(note)
        else:
            by_place[place] = Cause(note)
    return [*by_place.values()]


def _place(divergence: Divergence) -> tuple[str | None, ...]:
    """What kind of place it is about."""
    event = divergence.expected_event or divergence.got_event
    if divergence.code in _OF_FINDINGS:  # one fault of a side, in whatever kinds of frames
        return divergence.code, divergence.about, event.sender if event else None
    return divergence.code, divergence.about, _pattern(divergence.pointer), _kind(event)


def _pattern(pointer: str | None) -> str | None:
    if pointer is None:
        return None
    return "/".join("*" if part.isdigit() else part for part in pointer.split("/"))


def _kind(event: FrameEvent | None) -> str | None:
    if event is None:
        return None
    words = event.what.split()
    return " ".join([event.sender, *words[: _ANSWER if words[:1] == ["answer"] else _KIND]])
