"""Two traces at a level, and how each is compared: the input of every check.

A check returns differences, and does not depend on other checks. Duplicates and consequences of other checks'
divergences are dropped or marked when all checks have run (`explained`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
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
    """A value of a frame, and its place there. `frame` is None if there is no such frame."""

    frame: int | None
    path: Path
    value: Any = NOTHING


class Explains(NamedTuple):
    """Frames of the actual trace differ as a consequence of the divergence at `cause`."""

    frames: frozenset[int]
    cause: int


#: The results of a check.
Result = Divergence | Explains | ComparedFrames
Found = Iterator[Result]


class _More(TypedDict, total=False):
    """The fields of a divergence beyond its code, its message and its frames (`Divergence`)."""

    count: int
    pointer: str | None
    mask: str | None
    refused: str | None
    about: str | None


class TracePair:
    """The expected and the actual story. Only the uses of masks change.

    `model_said`: the answers of the model of both traces; None if unknown. `sessions`: the matching ones,
    once they are known. `others`: further matching directories. The `uncounted` normalizers
    are for matching alone: masks only count where values are compared.
    """

    def __init__(
        self,
        expected: Story,
        actual: Story,
        match: Match,
        masks_: Masks,
        model_said: Collection[str] | None = None,
        sessions: PairedSessions | None = None,
        others: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.expected, self.actual = expected, actual
        self.model_said = model_said
        self.match = match
        self.masks = masks_
        self._others = others
        self._directories = side_names.directories(expected, actual, sessions, others)
        # Before the sessions are known, nothing is matched by its texts.
        self._ids = ((), ()) if sessions is None else side_names.made_up_ids(expected, actual, match)
        self.expected_uncounted, self.actual_uncounted = self.normalizers(counts=False)
        #: At `exact`, masks count where frames are compared whole.
        self.expected_normalizer, self.actual_normalizer = self.normalizers(counts=match != "exact")

    def with_sessions(self, sessions: PairedSessions) -> TracePair:
        """Return the same pair with these matching sessions: then its directories can be separated."""
        return TracePair(
            self.expected, self.actual, self.match, self.masks, self.model_said, sessions, self._others
        )

    def normalizers(self, *, counts: bool) -> tuple[Normalizer, Normalizer]:
        """Return the normalizers that bring each trace's values into the form in which they are compared."""
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
        """Make a divergence about these frames. `was`, `now`: the contents, if not those of the frames.

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
        """Return a divergence for two values, as the normalizers give them; None if they are equal.

        None also if the code is not checked at this level.
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
        """Whether both sides see the same in equal frames: none names a directory of one side alone."""
        expected, actual = self._directories
        return expected == actual or not any(
            each.touch(text) for text in texts for each in (expected, actual)
        )


def _or_none(value: Any) -> Any:
    return None if value is NOTHING else value
