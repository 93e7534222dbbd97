"""Takes in what a comparison finds: divergences, which frames belong together, how much was compared.

`story()` of both sides is at hand here, and how each is looked at, so that those who compare need to
say only what differs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from acp_trace.compare import masks, pointers
from acp_trace.compare.bindings import Bindings
from acp_trace.compare.codes import CODES, Match, at_level
from acp_trace.compare.folders import Folders
from acp_trace.compare.masks import Masks
from acp_trace.compare.normalizer import Normalizer
from acp_trace.compare.pointers import NOTHING, Path
from acp_trace.compare.result import Divergence, FrameCounts
from acp_trace.compare.story import Story, Where
from acp_trace.trace import json_pointer

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a frame, and where it stands there. `frame` is None where there is no such frame."""

    frame: int | None
    path: Path
    value: Any = NOTHING


class Collector:
    """What two stories differ in, so far."""

    def __init__(self, expected: Story, actual: Story, match: Match, masks_: Masks) -> None:
        self.expected, self.actual = expected, actual
        self.match = match
        self.masks = masks_
        self._folders = _folders(expected), _folders(actual)
        #: For what is only matched: a mask is used where values are compared.
        self.expected_uncounted, self.actual_uncounted = self._normalizers(counts=False)
        self._count_frames(match != "exact")
        self.bindings = Bindings()
        self.turns: dict[tuple[str, int], int] = {}  #: by session and turn of the first, that of the second
        self.calls: list[tuple[str, Where, str, str]] = []  #: session, part, ids of both calls
        self._found: list[Divergence] = []
        self._pairs: list[tuple[int, int]] = []
        self._compared = self._unmatched = 0

    def count_frames(self) -> None:
        """From now on frames and uses of masks count: `exact` counts them when it compares frames whole."""
        self._count_frames(True)

    def _count_frames(self, counts: bool) -> None:
        self._counting = counts
        self.expected_normalizer, self.actual_normalizer = self._normalizers(counts=counts)

    def _normalizers(self, *, counts: bool) -> tuple[Normalizer, Normalizer]:
        expected, actual = self._folders
        return (
            Normalizer("expected", expected, self.masks, counts=counts),
            Normalizer("got", actual, self.masks, counts=counts),
        )

    # -- what is found

    def say(
        self,
        code: str,
        session_id: str | None,
        message: str,
        expected: int | None,
        got: int | None,
        *,
        was: str | None = None,
        now: str | None = None,
        count: int = 1,
        pointer: str | None = None,
        mask: str | None = None,
        refused: str | None = None,
    ) -> None:
        """Adds a divergence, where its code is looked for at this level. `expected`, `got`: frames."""
        if not at_level(code, self.match):
            return
        here = None if expected is None else self.expected.event(expected)
        there = None if got is None else self.actual.event(got)
        self._found.append(
            Divergence(
                code,
                CODES[code].severity,
                session_id,
                message[:_LONGEST],
                was if was is not None or here is None else here.what,
                now if now is not None or there is None else there.what,
                here,
                there,
                count=count,
                pointer=pointer,
                mask=mask,
                refused=refused,
            )
        )

    def same(self, code: str, session_id: str | None, what: str, one: Value, other: Value) -> bool:
        """Whether two values are equal; says so where they are not."""
        if not at_level(code, self.match):
            return True
        was, now = (
            self.expected_normalizer.text(_plain(one), one.path),
            self.actual_normalizer.text(_plain(other), other.path),
        )
        if was == now and (one.value is NOTHING) == (other.value is NOTHING):
            return True
        expected, got = pointers.told(one.value, other.value)
        frame, place = (one.frame, one.path) if one.frame is not None else (other.frame, other.path)
        message = (
            {} if frame is None else (self.expected if one.frame is not None else self.actual).message(frame)
        )
        path = pointers.pattern(place, message)
        suggested = masks.suggest(path, one.value, other.value) if one.path == other.path else None
        refused = self.masks.refusal(place, one.value, other.value)
        self.say(
            code,
            session_id,
            f"{what} {expected} → {got}",
            one.frame,
            other.frame,
            was=expected,
            now=got,
            pointer=json_pointer.written(place),
            mask=None if refused else suggested,
            refused=refused,
        )
        return False

    # -- what belongs together, and how much of it there is

    def pair(self, expected: int, got: int, count: int = 1) -> None:
        """Notes frames that belong together; `count` frames of the first were compared."""
        self._pairs.append((expected, got))
        self.compared(count)

    def compared(self, count: int) -> None:
        """Notes that frames of the first were compared."""
        self._compared += count * self._counting

    def unmatched(self, count: int = 1) -> None:
        """Notes frames of either side that have no counterpart."""
        self._unmatched += count

    # -- the end

    @property
    def last_got(self) -> int:
        """The last frame of the second trace so far that has a counterpart."""
        return max((got for _, got in self._pairs), default=0)

    @property
    def told(self) -> set[tuple[int | None, int | None]]:
        """The frames of the divergences so far."""
        events = [(one.expected_event, one.got_event) for one in self._found]
        return {
            (None if one is None else one.frame, None if other is None else other.frame)
            for one, other in events
        }

    def divergences(self) -> list[Divergence]:
        """All of them in the order of the first trace, with the last event before that both have.

        What is only in the second one comes behind that event, in its own order.
        """
        self._pairs = sorted(set(self._pairs))
        firsts = [one for one, _ in self._pairs]
        by_got = sorted(self._pairs, key=lambda pair: pair[1])
        seconds = [other for _, other in by_got]
        placed = []
        for one in self._found:
            common = None
            if one.expected_event is not None:
                common = _before(self._pairs, firsts, one.expected_event.frame)
                place = one.expected_event.frame
            elif one.got_event is not None:
                common = _before(by_got, seconds, one.got_event.frame)
                place = common[0] if common else 0
            else:
                place = self.expected.frames + 1
            if common is not None:
                here, there = self.expected.event(common[0]), self.actual.event(common[1])
                one = replace(one, common_expected=here, common_got=there)  # noqa: PLW2901
            its = one.got_event.frame if one.got_event is not None else 0
            placed.append((place, one.expected_event is None, its, one))
        placed.sort(key=lambda item: item[:3])
        return [one for *_, one in placed]

    def counts(self) -> FrameCounts:
        """How much was compared."""
        masked = sum(one.uses for one in self.masks.uses())
        unmatched = self._unmatched
        if self.match == "exact":  # frames there are compared one with one
            unmatched = self.expected.frames + self.actual.frames - 2 * self._compared
        return FrameCounts(self.expected.frames, self._compared, masked, unmatched)


def _before(pairs: Sequence[tuple[int, int]], frames: Sequence[int], frame: int) -> tuple[int, int] | None:
    at = bisect_left(frames, frame)
    return pairs[at - 1] if at else None


def _plain(one: Value) -> Any:
    return None if one.value is NOTHING else one.value


def _folders(story: Story) -> Folders:
    return Folders([story.facts.trace.agent_cwd, *(one.cwd for one in story.facts.sessions)])
