"""Takes in what a comparison finds: divergences, which frames belong together, how much was compared.

The stories of both traces are at hand here, and how each is looked at, so that those who compare need to
report only what differs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from acp_trace.compare.codes import CODES, Match, Severity, at_level
from acp_trace.compare.result import Divergence, FrameCounts, FrameEvent
from acp_trace.compare.run_order import RunOrder, place
from acp_trace.compare.story.model import Story
from acp_trace.normalize import masks, pointers
from acp_trace.normalize.directories import Directories
from acp_trace.normalize.masks import Masks
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.normalize.wording import Wording
from acp_trace.trace import json_pointer

_LONGEST = 300
#: What says of a frame that it is another: where something misleads about it, that is the cause.
_OTHERWISE = frozenset({"request-params", "content-differs", "content-outside", "frame-differs"})


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a frame, and where it stands there. `frame` is None if there is no such frame."""

    frame: int | None
    path: Path
    value: Any = NOTHING


class Collector:
    """What two stories differ in, so far."""

    def __init__(
        self,
        expected: Story,
        actual: Story,
        match: Match,
        masks_: Masks,
        model_said: Collection[str] | None = None,
    ) -> None:
        """`model_said`: what the model of both traces answered; None if that is not known."""
        self.expected, self.actual = expected, actual
        self.model_said = model_said
        self.match = match
        self.masks = masks_
        self._directories = _directories(expected), _directories(actual)
        self._wordings = wording(expected, match), wording(actual, match)
        #: For what is only matched: a mask is used where values are compared.
        self.expected_uncounted, self.actual_uncounted = self._normalizers(counts=False)
        self._count_frames(match != "exact")
        self._causes: dict[int, int] = {}  #: by frame of the actual trace, the one that says why it differs
        self._divergences: list[Divergence] = []
        self._pairs: list[tuple[int, int]] = []
        self._compared = self._unmatched = 0

    def count_frames(self) -> None:
        """From now on frames and uses of masks count: `exact` counts them when it compares frames whole."""
        self._count_frames(True)

    def _count_frames(self, counts: bool) -> None:
        self._counting = counts
        self.expected_normalizer, self.actual_normalizer = self._normalizers(counts=counts)

    def _normalizers(self, *, counts: bool) -> tuple[Normalizer, Normalizer]:
        expected, actual = self._directories
        wording, actual_wording = self._wordings
        return (
            Normalizer("expected", expected, self.masks, wording, counts=counts),
            Normalizer("actual", actual, self.masks, actual_wording, counts=counts),
        )

    # -- what differs

    def report(
        self,
        code: str,
        session_id: str | None,
        message: str,
        expected: int | None,
        actual: int | None,
        *,
        was: str | None = None,
        now: str | None = None,
        count: int = 1,
        pointer: str | None = None,
        mask: str | None = None,
        refused: str | None = None,
        about: str | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Adds a divergence, if its code is looked for at this level. `expected`, `actual`: its frames.

        `severity`: where it is not that of the code.
        """
        if not at_level(code, self.match):
            return
        expected_event = None if expected is None else self.expected.event(expected)
        actual_event = None if actual is None else self.actual.event(actual)
        self._divergences.append(
            Divergence(
                code,
                severity or CODES[code].severity,
                session_id,
                message[:_LONGEST],
                was if was is not None or expected_event is None else expected_event.what,
                now if now is not None or actual_event is None else actual_event.what,
                expected_event,
                actual_event,
                count=count,
                pointer=pointer,
                mask=mask,
                refused=refused,
                about=about,
            )
        )

    def follow(self, frames: Iterable[int], cause: int) -> None:
        """That one of these frames is another is a consequence of what is told of `cause`.

        All are frames of the actual trace.
        """
        self._causes.update(dict.fromkeys(frames, cause))

    def check_same(
        self,
        code: str,
        session_id: str | None,
        what: str,
        expected: Value,
        actual: Value,
        *,
        about: str | None = None,
    ) -> bool:
        """Whether two values are equal, as the normalizers give them; reports it if they are not."""
        if not at_level(code, self.match):
            return True
        was = self.expected_normalizer.text(_or_none(expected.value), expected.path)
        now = self.actual_normalizer.text(_or_none(actual.value), actual.path)
        if was == now and (expected.value is NOTHING) == (actual.value is NOTHING):
            return True
        place, story = (expected, self.expected) if expected.frame is not None else (actual, self.actual)
        message = {} if place.frame is None else story.message(place.frame)
        path = pointers.pattern(place.path, message)
        suggested = None
        if expected.path == actual.path:
            suggested = masks.suggest(path, expected.value, actual.value)
        refused = self.masks.refusal(place.path, expected.value, actual.value)
        was, now = pointers.shown_pair(expected.value, actual.value)
        self.report(
            code,
            session_id,
            f"{what} {was} → {now}",
            expected.frame,
            actual.frame,
            was=was,
            now=now,
            pointer=json_pointer.written(place.path),
            mask=None if refused else suggested,
            refused=refused,
            about=about,
        )
        return False

    def sees_alike(self, texts: Iterable[bytes]) -> bool:
        """Whether both sides see the same in frames that are equal: no directory of theirs alone is named."""
        expected, actual = self._directories
        return expected == actual or not any(
            each.touch(text) for text in texts for each in (expected, actual)
        )

    # -- what belongs together, and how much of it there is

    def pair(self, expected: int, actual: int, count: int = 1) -> None:
        """Notes frames that belong together; `count` frames of the expected trace were compared."""
        self._pairs.append((expected, actual))
        self.count_compared(count)

    def count_compared(self, count: int) -> None:
        """Counts frames of the expected trace that were compared."""
        self._compared += count * self._counting

    def count_unmatched(self, count: int = 1) -> None:
        """Counts frames of either trace that have no counterpart."""
        self._unmatched += count

    # -- the end

    @property
    def last_actual(self) -> int:
        """The last frame of the actual trace so far that has a counterpart; 0 if there is none."""
        return max((actual for _, actual in self._pairs), default=0)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The frames so far that belong together, in the order of the expected trace."""
        return sorted(set(self._pairs))

    @property
    def so_far(self) -> Sequence[Divergence]:
        """The divergences so far, in no order."""
        return self._divergences

    @property
    def reported_codes(self) -> set[tuple[str, int | None]]:
        """The codes of the divergences so far, each with its frame of the actual trace, if it has one."""
        return {(divergence.code, _frame(divergence.got_event)) for divergence in self._divergences}

    def divergences(self, order: RunOrder) -> list[Divergence]:
        """All of them in their order (`place`), each with the last event before it that both have.

        `order`: by all `pairs`.
        """
        placed = []
        for reported in self._divergences:
            divergence, common = reported, None
            expected, actual = _frame(divergence.expected_event), _frame(divergence.got_event)
            if divergence.code in _OTHERWISE and actual in self._causes:
                divergence = order.following(divergence, actual=self._causes[actual])
            if expected is not None or actual is not None:
                common = order.before(expected, actual)
            if common is not None:
                events = self.expected.event(common[0]), self.actual.event(common[1])
                divergence = replace(divergence, common_expected=events[0], common_got=events[1])
            placed.append(divergence)
        return sorted(placed, key=place)

    def counts(self) -> FrameCounts:
        """How much was compared: frames, and values that masks hid."""
        masked = sum(mask.uses for mask in self.masks.uses())
        unmatched = self._unmatched
        if self.match == "exact":  # frames there are compared one with one
            unmatched = self.expected.frames + self.actual.frames - 2 * self._compared
        return FrameCounts(self.expected.frames, self._compared, masked, unmatched)


def _frame(event: FrameEvent | None) -> int | None:
    return None if event is None else event.frame


def _or_none(value: Any) -> Any:
    return None if value is NOTHING else value


def wording(story: Story, match: Match) -> Wording:
    """Return how the texts of a trace are looked at: with its ids, at levels that compare texts."""
    return Wording(_directories(story), _ids(story) if at_level("content-differs", match) else ())


def _directories(story: Story) -> Directories:
    return Directories([story.facts.trace.agent_cwd, *(session.cwd for session in story.facts.sessions)])


def _ids(story: Story) -> set[str]:
    """The ids that the sides of a trace made up, which its texts may quote."""
    ids = set(story.sessions)
    for session in story.sessions.values():
        ids |= {call.id for section in session.sections.values() for call in section.calls}
        results = (request.result for request in session.requests["agent"])
        made = (result.get("terminalId") for result in results if isinstance(result, dict))
        ids |= {id_ for id_ in made if isinstance(id_, str)}
    return ids
