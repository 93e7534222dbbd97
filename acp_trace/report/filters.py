"""Which frames are wanted: the filters of `acp-trace frames` and `follow`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

from acp_trace.analyze.analyzer import Frame

#: Frames shown on either side of the one asked for.
AROUND = 10


class BadFilter(ValueError):
    """A filter cannot be understood. The message says which and why."""


class Filter:
    """All conditions that are given must hold. Raises BadFilter."""

    def __init__(
        self,
        sender: str | None = None,
        method: str | None = None,
        update: str | None = None,
        session: str | None = None,
        grep: str | None = None,
        around: int | None = None,
    ) -> None:
        self._sender = sender
        self._method = method
        self._update = update
        self._session = session
        self._around = around
        try:
            self._grep = None if grep is None else re.compile(grep.encode())
        except re.error as error:
            raise BadFilter(f"{grep!r} is no regular expression: {error}") from None

    def of(self, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Those of `frames` that are wanted; reads no further than it must."""
        last = None if self._around is None else self._around + AROUND
        for frame in frames:
            if last is not None and frame.frame > last:
                return
            if self.wants(frame):
                yield frame

    def wants(self, frame: Frame) -> bool:
        """Whether this frame is wanted."""
        return (
            (self._sender is None or frame.sender == self._sender)
            and (self._method is None or fnmatchcase(frame.method or "", self._method))
            and (self._update is None or fnmatchcase(frame.update or "", self._update))
            and (self._session is None or self._session in (frame.session_id or ""))
            and (self._around is None or abs(frame.frame - self._around) <= AROUND)
            and (self._grep is None or self._grep.search(frame.data) is not None)
        )
