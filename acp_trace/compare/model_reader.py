"""The model's side of one trace, for a comparison: its calls, and the frames around them. Pure.

A trace without a model's side costs next to nothing: the reader of calls is only imported if there is one.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from acp_trace.story.frame_event import FrameEvent, frame_event
from acp_trace.trace.entries import SENT, Entry, EntryKind

if TYPE_CHECKING:
    from acp_trace.model.calls import ModelCall
    from acp_trace.model.exchange import ModelExchange, ModelExchanges
    from acp_trace.model.recorded_environment import RecordedEnvironment
    from acp_trace.model.seen_traffic import SeenTraffic


class ModelReader:
    """Feed it all entries of a trace."""

    def __init__(self) -> None:
        self._reader: ModelExchanges | None = None
        self._count = 0
        self._frames: list[tuple[int, Entry]] = []  #: number and entry, since the model's side began

    def feed(self, entry: Entry) -> None:
        """Process the next entry."""
        if entry.kind in SENT:
            self._count += 1
            if self._reader is not None:
                self._frames.append((self._count, entry))
        if entry.kind is EntryKind.MODEL and self._reader is None:
            from acp_trace.model.exchange import ModelExchanges

            self._reader = ModelExchanges()
        if self._reader is not None:
            self._reader.feed(entry)

    @property
    def is_recorded(self) -> bool:
        """Whether the trace has a model's side."""
        return self._reader is not None

    @property
    def seen(self) -> SeenTraffic:
        """The part of the agent's traffic that the trace has, calls or not."""
        from acp_trace.model.seen_traffic import SeenTraffic

        return SeenTraffic() if self._reader is None else self._reader.seen

    @property
    def exchanges(self) -> dict[int, ModelExchange]:
        """All exchanges, by their number."""
        return {} if self._reader is None else self._reader.exchanges

    @property
    def environment(self) -> RecordedEnvironment:
        """Return what is known of the environment in which the agent ran."""
        from acp_trace.model.recorded_environment import recorded_environment

        return recorded_environment(() if self._reader is None else self._reader.notes)

    @cached_property
    def calls(self) -> list[ModelCall]:
        """Return the calls, in the order in which they began. Use this after all entries were fed."""
        if self._reader is None:
            return []
        from acp_trace.model.calls import model_calls

        return model_calls(self.exchanges.values())

    def frame_before(self, t_ns: int) -> FrameEvent | None:
        """Return the last frame before a moment; None if there is none."""
        at = bisect_right(self._frames, t_ns, key=lambda frame: frame[1].t)
        if not at:
            return None
        number, entry = self._frames[at - 1]
        return frame_event(number, entry)
