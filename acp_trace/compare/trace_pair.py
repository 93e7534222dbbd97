"""Two traces at a level, and how each is looked at: what every check of a comparison is given.

A check returns what differs, and asks nothing of other checks. What one of them says already of what another
one found is dropped, or marked as its consequence, when all are through (`explained`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict, Unpack

from acp_trace.compare import side_names
from acp_trace.compare.codes import CODES, Match, Severity, at_level
from acp_trace.compare.pairing.frames import ComparedFrames
from acp_trace.compare.result import Divergence
from acp_trace.compare.side_names import PairedSessions
from acp_trace.normalize import masks, pointers
from acp_trace.normalize.masks import Masks
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.story.model import Story
from acp_trace.trace import json_pointer

_LONGEST = 300  #: characters of a message


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a frame, and where it stands there. `frame` is None if there is no such frame."""

    frame: int | None
    path: Path
    value: Any = NOTHING


class Explains(NamedTuple):
    """That frames of the actual trace are others is a consequence of what is reported of `cause`."""

    frames: frozenset[int]
    cause: int


#: What a check yields.
Result = Divergence | Explains | ComparedFrames
Found = Iterator[Result]


class _More(TypedDict, total=False):
    """What a divergence may say beside its code, its message and its frames (`Divergence`)."""

    count: int
    pointer: str | None
    mask: str | None
    refused: str | None
    about: str | None


class TracePair:
    """The expected and the actual story. Nothing of it changes but the uses of masks.

    `model_said`: what the model of both traces answered; None if that is not known. `sessions`: those that
    belong together, as soon as that is known. The normalizers that are
    `uncounted` are for what is only matched: a mask is used where values are compared.
    """

    def __init__(
        self,
        expected: Story,
        actual: Story,
        match: Match,
        masks_: Masks,
        model_said: Collection[str] | None = None,
        sessions: PairedSessions | None = None,
    ) -> None:
        self.expected, self.actual = expected, actual
        self.model_said = model_said
        self.match = match
        self.masks = masks_
        self._directories = side_names.directories(expected, actual, sessions)
        # Before that is known, nothing is matched by its texts.
        self._ids = ((), ()) if sessions is None else side_names.made_up_ids(expected, actual, match)
        self.expected_uncounted, self.actual_uncounted = self.normalizers(counts=False)
        #: At `exact`, masks are used where frames are compared whole.
        self.expected_normalizer, self.actual_normalizer = self.normalizers(counts=match != "exact")

    def with_sessions(self, sessions: PairedSessions) -> TracePair:
        """Return the same with these sessions that belong together: its directories can be told apart."""
        return TracePair(self.expected, self.actual, self.match, self.masks, self.model_said, sessions)

    def normalizers(self, *, counts: bool) -> tuple[Normalizer, Normalizer]:
        """What brings the values of each trace into the form in which they are compared."""
        (was, now), (ids, actual_ids) = self._directories, self._ids
        return (
            Normalizer("expected", was, self.masks, ids, counts=counts),
            Normalizer("actual", now, self.masks, actual_ids, counts=counts),
        )

    def divergence(
        self,
        code: str,
        session_id: str | None,
        message: str,
        expected: int | None,
        actual: int | None,
        *,
        was: str | None = None,
        now: str | None = None,
        severity: Severity | None = None,
        **more: Unpack[_More],
    ) -> Divergence:
        """Make a divergence about these frames. `was`, `now`: what stood there, if not what the frames are.

        `severity`: if it is not that of the code.
        """
        event = None if expected is None else self.expected.event(expected)
        actual_event = None if actual is None else self.actual.event(actual)
        return Divergence(
            code,
            severity or CODES[code].severity,
            session_id,
            message if len(message) <= _LONGEST else f"{message[: _LONGEST - 1]}…",
            was if was is not None or event is None else event.what,
            now if now is not None or actual_event is None else actual_event.what,
            event,
            actual_event,
            **more,
        )

    def difference(
        self,
        code: str,
        session_id: str | None,
        what: str,
        expected: Value,
        actual: Value,
        *,
        about: str | None = None,
    ) -> Divergence | None:
        """What two values differ in, as the normalizers give them; None if they are equal.

        None also if the code is not looked for at this level.
        """
        if not at_level(code, self.match):
            return None
        was = self.expected_normalizer.text(_or_none(expected.value), expected.path)
        now = self.actual_normalizer.text(_or_none(actual.value), actual.path)
        if was == now and (expected.value is NOTHING) == (actual.value is NOTHING):
            return None
        place, story = (expected, self.expected) if expected.frame is not None else (actual, self.actual)
        message = {} if place.frame is None else story.message(place.frame)
        path = pointers.pattern(place.path, message)
        suggested = None
        if expected.path == actual.path:
            suggested = masks.suggest(path, expected.value, actual.value)
        refused = self.masks.refusal(place.path, expected.value, actual.value)
        was, now = pointers.shown_pair(expected.value, actual.value)
        return self.divergence(
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

    def sees_alike(self, texts: Iterable[bytes]) -> bool:
        """Whether both sides see the same in frames that are equal: no directory of theirs alone is named."""
        expected, actual = self._directories
        return expected == actual or not any(
            each.touch(text) for text in texts for each in (expected, actual)
        )


def _or_none(value: Any) -> Any:
    return None if value is NOTHING else value
