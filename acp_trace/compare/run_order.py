"""The order of divergences, and of the events in the actual trace. Pure.

Reports put the heaviest cause first (`causes`). A consequence is never earlier than its cause.

All consequences are marked here, for every rule. A frame that only the expected trace has did not happen at a
point of the actual trace, but between two: the frames that belong to its neighbours.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from operator import itemgetter

from acp_trace.compare.result import Divergence
from acp_trace.normalize.pointers import FROM_CHARACTER
from acp_trace.trace.entries import AFTER_ALL

_OVER = ("completed", "failed")
_NOISE = "noise"
#: For the files at the end: each belongs to the prompt during which it was written.
FILES = ("file-missing", "file-extra", "file-differs")
_TEXT = "/params/update/content/text"  #: of a message

_EXPECTED, _ACTUAL = itemgetter(0), itemgetter(1)


def is_left_open(divergence: Divergence) -> bool:
    """Whether a tool call began and did not end, a text breaks off, or a file differs: that was later."""
    got = divergence.got or ""
    if divergence.code == "content-differs" and divergence.pointer == _TEXT:
        return (divergence.expected or "").startswith(got.partition(FROM_CHARACTER)[0])
    return divergence.code in FILES or (divergence.code == "tool-call-status" and not got.endswith(_OVER))


def place(divergence: Divergence) -> tuple[int, bool, int]:
    """Return the place of a divergence among others: by the frame of the expected trace that it is about.

    Divergences only in the actual trace come after the last common event, in their own order; divergences
    about neither trace come at the end.
    """
    actual = divergence.got_event.frame if divergence.got_event else 0
    if divergence.expected_event is not None:
        return divergence.expected_event.frame, False, actual
    if divergence.common_expected is not None:
        return divergence.common_expected.frame, True, actual
    return (0 if actual else AFTER_ALL), True, actual


class RunOrder:
    """The order of two traces.

    `pairs`: the matching frames of both, expected and actual, in the order of the expected trace.
    """

    def __init__(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._pairs = pairs

    @cached_property
    def _by_actual(self) -> list[tuple[int, int]]:
        return sorted(self._pairs, key=_ACTUAL)

    def before(self, expected: int | None, actual: int | None) -> tuple[int, int] | None:
        """Return the last pair before a frame of the expected trace or, without one, of the actual trace."""
        if expected is not None:
            at = bisect_left(self._pairs, expected, key=_EXPECTED)
            return self._pairs[at - 1] if at else None
        at = bisect_left(self._by_actual, actual or 0, key=_ACTUAL)
        return self._by_actual[at - 1] if at else None

    def following(
        self, divergence: Divergence, *, actual: int | None = None, expected: int | None = None
    ) -> Divergence:
        """Return the divergence as a consequence of a frame; unchanged if the frame was later than itself.

        `actual`, `expected`: the frame in the one trace or, if that has none, in the other.
        """
        if self._is_later(divergence, actual, expected):
            return divergence
        return replace(divergence, consequence_of=actual, consequence_of_expected=expected)

    def _is_later(self, divergence: Divergence, actual: int | None, expected: int | None) -> bool:
        """Whether the event at a frame was later than a divergence."""
        event = divergence.expected_event
        if actual is None and expected is not None and event is not None and not is_left_open(divergence):
            # If neither came at all, their order is unknown; otherwise the expected trace shows it.
            return divergence.got_event is not None and expected > event.frame
        return self._begin(actual, expected) > self._end(divergence)

    def below(self, divergence: Divergence, cause: Divergence) -> Divergence:
        """Return the divergence as a consequence of another one, or of that one's cause."""
        if cause.follows:
            frames = cause.consequence_of, cause.consequence_of_expected
        elif cause.got_event is not None:
            frames = cause.got_event.frame, None
        elif cause.expected_event is not None:
            frames = None, cause.expected_event.frame
        else:
            return divergence
        return self.following(divergence, actual=frames[0], expected=frames[1])

    def among(self, more: Iterable[Divergence], divergences: Iterable[Divergence]) -> list[Divergence]:
        """Insert more divergences into an ordered list: each before the first that comes after it.

        Divergences without a frame come first.
        """
        together = list(divergences)
        places = [self._place(divergence) for divergence in together]
        at = 0
        for place, divergence in sorted(((self._place(each), each) for each in more), key=itemgetter(0)):
            while at < len(together) and places[at] <= place:
                at += 1
            together.insert(at, divergence)
            places.insert(at, place)
            at += 1
        return together

    def _place(self, divergence: Divergence) -> int:
        """Return its frame of the expected trace, or the frame that the actual one has before it."""
        if divergence.expected_event is not None:
            return divergence.expected_event.frame
        if divergence.got_event is None:
            return -1
        at = bisect_right(self._by_actual, divergence.got_event.frame, key=_ACTUAL) - 1
        return self._by_actual[at][0] if at >= 0 else 0

    def _begin(self, actual: int | None, expected: int | None) -> float:
        """Return the actual frame at which it was; for what did not come, the frame before it and a half."""
        if actual is not None or expected is None:
            return actual or 0
        at = bisect_right(self._pairs, expected, key=_EXPECTED) - 1
        if at < 0:
            return 0
        before, its_actual = self._pairs[at]
        return its_actual if before == expected else its_actual + 0.5

    def _end(self, divergence: Divergence) -> int:
        """Return the actual frame at which a divergence was; for what did not come, the frame behind it."""
        if is_left_open(divergence) or not divergence.frames:  # without a frame, it is about everything
            return AFTER_ALL
        if divergence.code == _NOISE:  # reported at the first line, and it may continue to the end
            return AFTER_ALL
        if divergence.got_event is not None:
            return divergence.got_event.frame
        assert divergence.expected_event is not None
        at = bisect_left(self._pairs, divergence.expected_event.frame, key=_EXPECTED)
        return self._pairs[at][1] if at < len(self._pairs) else AFTER_ALL
