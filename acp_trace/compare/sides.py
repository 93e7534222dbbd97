"""Divergences, and what is at the frames of both traces: for `following`. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from acp_trace.compare.result import Divergence
from acp_trace.story.frame_index import FrameIndex
from acp_trace.story.model import Request, Story


class Sides:
    """Divergences, and what is at the frames of both traces."""

    def __init__(self, divergences: Sequence[Divergence], expected: Story, actual: Story) -> None:
        self.divergences = divergences
        self.expected, self.actual = FrameIndex(expected), FrameIndex(actual)

    def frames(self, divergence: Divergence) -> Iterator[tuple[str, FrameIndex, int]]:
        """Yield the frames that a divergence is about, each with its trace's name and index."""
        if divergence.expected_event is not None:
            yield "expected", self.expected, divergence.expected_event.frame
        if divergence.got_event is not None:
            yield "actual", self.actual, divergence.got_event.frame

    def with_codes(self, session_id: str | None, codes: Iterable[str]) -> list[Divergence]:
        """Return the divergences of a session that have one of these codes."""
        return [divergence for code in codes for divergence in self._by_code[session_id, code]]

    @cached_property
    def _by_code(self) -> dict[tuple[str | None, str], list[Divergence]]:
        found: dict[tuple[str | None, str], list[Divergence]] = defaultdict(list)
        for divergence in self.divergences:
            found[divergence.session_id, divergence.code].append(divergence)
        return found

    def expected_request(self, divergence: Divergence) -> Request | None:
        """Return the expected trace's request that a divergence is about, or whose response it is about."""
        event = divergence.expected_event
        return None if event is None else self.expected.requests.get(event.frame)
