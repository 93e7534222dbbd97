"""Divergences by their cause, with repeats and consequences under it. Pure.

Two with the same code at the same kind of place are repeats of one cause. So are two differences of frames in
one object, the same difference under the same key in frames of several kinds, and the same choices that are
gone from several lists. What followed from a refused request, or from another divergence (`following`), is a
consequence of that, and appears below it. The heaviest cause comes first; among equal weights, the first in
time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from acp_trace.compare.result import Divergence
from acp_trace.story.frame_event import FrameEvent

#: Words that name the kind of a frame: `session/update tool_call`, `answer to session/prompt`.
_KIND, _ANSWER = 2, 3
_OF_FINDINGS = frozenset({"finding-new", "finding-fixed"})
_OF_SESSIONS = "session-crossed"
_OF_CHOICES = "choice-missing"
#: The containers of a frame's members, the innermost first.
_ROOTS = ("/params/update", "/params", "/result", "/error", "")


@dataclass(slots=True)
class Cause:
    """One cause. `first` is reported, and the others appear below it."""

    first: Divergence
    repeats: list[Divergence] = field(default_factory=list)
    consequences: list[Divergence] = field(default_factory=list)

    @property
    def divergences(self) -> list[Divergence]:
        """All divergences but the consequences."""
        return [self.first, *self.repeats]

    @property
    def count(self) -> int:
        """The number of divergences, including those that each stands for."""
        return sum(divergence.count for divergence in self.divergences)


def causes(divergences: Iterable[Divergence]) -> list[Cause]:
    """Return the causes of some divergences, which come in the order of time; the heaviest first."""
    by_place: dict[tuple[str | None, ...], Cause] = {}  #: each cause by all places that it is about
    by_frame: dict[tuple[str, int], Cause] = {}  #: by the trace as well
    own: list[Cause] = []
    following: list[Divergence] = []
    for divergence in divergences:
        if divergence.follows:
            following.append(divergence)
            continue
        places = list(_places(divergence))
        cause = next((by_place[place] for place in places if place in by_place), None)
        if cause is None:
            cause = Cause(divergence)
            own.append(cause)
        else:
            cause.repeats.append(divergence)
        for place in places:
            by_place.setdefault(place, cause)
        for frame in divergence.frames:
            by_frame.setdefault(frame, cause)
    orphans = []
    for divergence in following:
        if of := next((by_frame[frame] for frame in divergence.followed if frame in by_frame), None):
            of.consequences.append(divergence)
            for frame in divergence.frames:  # what follows from this divergence follows from its cause too
                by_frame.setdefault(frame, of)
        else:  # the cause itself is not among the divergences
            orphans.append(Cause(divergence))
    return sorted([*own, *orphans], key=lambda cause: cause.first.rank)


def repeats(notes: Iterable[Divergence]) -> list[Cause]:
    """Group notes of one kind under the first of them, in order. Allowed divergences are a kind of their own.

    A note without a frame is about the run as a whole, and repeats no other.
    """
    by_place: dict[tuple[str | None, ...] | int, Cause] = {}
    for number, note in enumerate(notes):
        has_frame = note.expected_event or note.got_event
        place = (note.allowed, *next(_places(note))) if has_frame else number
        if place in by_place:
            by_place[place].repeats.append(note)
        else:
            by_place[place] = Cause(note)
    return [*by_place.values()]


def _places(divergence: Divergence) -> Iterator[tuple[str | None, ...]]:
    """Yield the kinds of places that a divergence is about."""
    event = divergence.expected_event or divergence.got_event
    if divergence.code in _OF_FINDINGS:  # one fault of a side, in any kinds of frames
        yield divergence.code, divergence.about, event.sender if event else None
        return
    if divergence.code == _OF_SESSIONS:  # between the same two, whatever is sent
        yield divergence.code, divergence.expected, divergence.got
        return
    if divergence.code == _OF_CHOICES:  # the same choices, wherever they are listed
        yield divergence.code, divergence.about, divergence.expected
        return
    pattern, kind = _pattern(divergence.pointer), _kind(event)
    yield divergence.code, divergence.about, pattern, kind
    if divergence.code != "frame-differs" or pattern is None or event is None:
        return
    inner = next(pattern.removeprefix(root) for root in _ROOTS if pattern.startswith(root))
    above = inner.rpartition("/")[0]
    if above:
        yield "one object", str(event.frame), (divergence.pointer or "").rpartition("/")[0]
    yield "one change", inner, divergence.expected, divergence.got


def _pattern(pointer: str | None) -> str | None:
    if pointer is None:
        return None
    return "/".join("*" if part.isdigit() else part for part in pointer.split("/"))


def _kind(event: FrameEvent | None) -> str | None:
    if event is None:
        return None
    words = event.what.split()
    return " ".join([event.sender, *words[: _ANSWER if words[:1] == ["answer"] else _KIND]])
