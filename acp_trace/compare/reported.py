"""What was reported so far, in terms of frames, so that `exact` does not report it a second time. Pure.

An option that is gone differs in every frame that lists the options; a tool call that ends otherwise lacks
frames. Both were reported by codes that say more. Each table holds the codes of one way in which that shows:
in one frame, at one place of many frames, or in how many frames a stream has. Whatever is in no table does
not stand in another divergence's way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from acp_trace.analyze import options
from acp_trace.compare.pairing.streams import StreamName
from acp_trace.compare.result import Divergence
from acp_trace.compare.work import config_steps
from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import Path
from acp_trace.protocol import methods
from acp_trace.story.model import TraceEvent
from acp_trace.trace import json_pointer

Streams = Mapping[StreamName, Sequence[TraceEvent]]

#: Of whose frame no more is said: by that of the expected trace, and by that of the actual one.
_BY_EXPECTED = frozenset({"content-lost", "content-outside"})
_BY_ACTUAL = frozenset({"finding-new"})
#: Of whose stream it is not said that frames are missing, or too many.
_BY_STREAM = frozenset({
    "config-final", "config-timeline", "message-extra", "message-missing", "message-twice",
    "metadata-cleared", "metadata-never-set", "metadata-set", "noise", "notification-extra",
    "notification-missing", "title-never-set", "tool-call-status", "tool-call-twice",
    "tool-call-unannounced", "update-after-stop",
})  # fmt: skip
_OF_OPTION = frozenset({"config-final", "config-timeline", "option-missing"})
_OF_METADATA = frozenset({"metadata-cleared", "metadata-never-set", "metadata-set", "title-never-set"})
#: Where the choices stand that `choice-missing` is about.
_CHOICES = {
    "choice": "configOptions",
    "command": "availableCommands",
    "mode": "availableModes",
    "model": "availableModels",
}
_UPDATE = ("params", "update")
#: Who an agent or a client is. Another name or version is a change of the environment, and no divergence.
_INFO = (("result", "agentInfo"), ("params", "clientInfo"))
_NAMES = frozenset({"name", "title", "version"})


class Reported:
    """What some divergences say of frames, places and streams."""

    def __init__(self, divergences: Iterable[Divergence]) -> None:
        self._pairs: set[tuple[int | None, int | None]] = set()
        self._expected: set[int | None] = set()
        self._actual: set[int | None] = set()
        self._streams: tuple[set[int | None], set[int | None]] = (set(), set())
        self._options: set[tuple[str | None, str | None]] = set()
        self._metadata: set[tuple[str | None, Path]] = set()
        self._choices: set[tuple[str | None, str]] = set()
        self._unopened = False
        for divergence in divergences:
            self._add(divergence)

    def _add(self, divergence: Divergence) -> None:
        code, session_id = divergence.code, divergence.session_id
        events = divergence.expected_event, divergence.got_event
        expected, actual = (None if event is None else event.frame for event in events)
        self._pairs.add((expected, actual))
        if code in _BY_EXPECTED:
            self._expected.add(expected)
        if code in _BY_ACTUAL:
            self._actual.add(actual)
        if code in _BY_STREAM:
            self._streams[0].add(expected)
            self._streams[1].add(actual)
        if code in _OF_OPTION:
            self._options.add((session_id, divergence.about))
        if code in _OF_METADATA:
            self._metadata.add((session_id, json_pointer.read(divergence.about or "")))
        if code == "choice-missing":
            self._choices.add((session_id, _CHOICES.get(divergence.about or "", "")))
        if code == "error-instead-of-result" and divergence.expected_event is not None:
            self._unopened |= divergence.expected_event.what.split()[-1] in methods.OPENERS

    def pair(self, expected: int, actual: int) -> bool:
        """Whether something was reported of these two frames."""
        return (expected, actual) in self._pairs or expected in self._expected or actual in self._actual

    def frame(self, frame: int, *, missing: bool) -> bool:
        """Whether it was reported that a frame is missing, or additional."""
        return ((frame, None) if missing else (None, frame)) in self._pairs

    def streams(self, expected: Streams, actual: Streams) -> set[StreamName]:
        """The streams that were reported to have more, or less: each in its turn and behind it."""
        return {
            behind(name)
            for named, frames in zip((expected, actual), self._streams, strict=True)
            for name, events in named.items()
            if any(event.frame in frames for event in events)
        }

    def place(self, event: TraceEvent, message: Any, actual_message: Any, path: Path) -> bool:
        """Whether it was reported what differs here, at this place of two frames that belong together."""
        if path[:2] in _INFO and path[-1] in _NAMES:
            return True
        if self._unopened and event.method == "session/list":
            return True
        session_id = event.session_id
        if any((session_id, name) in self._choices for name in path):
            return True
        if path[:2] == _UPDATE and any(
            of == session_id and _is_within(path[2:], field) for of, field in self._metadata
        ):
            return True
        options = _options(message, actual_message, path)
        return any((session_id, option) in self._options for option in options)


def _is_within(path: Path, field: Path) -> bool:
    """Whether a place is in a field, or is what holds it, such as a whole `_meta` that is gone."""
    return bool(path) and all(pair[0] == pair[1] for pair in zip(path, field, strict=False))


def behind(name: StreamName) -> StreamName:
    """A stream by which a turn and what comes after it are one."""
    if name.where is None:
        return name
    return name._replace(where=name.where._replace(part="turn"), unreported=False)


def _options(message: Any, actual_message: Any, path: Path) -> Iterator[str]:
    """The options that a place may be about."""
    if "modes" in path or path[-1:] == ("currentModeId",):
        yield config_steps.MODE
    if "configOptions" not in path:
        return
    place = path[: path.index("configOptions") + 2]
    for each in (message, actual_message):
        if (option := options.id_of(pointers.at(each, place))) is not None:
            yield option
