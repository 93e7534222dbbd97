"""What was reported so far, by frames, so that `exact` does not report it a second time. Pure.

An option that is gone differs in every frame that lists the options; a tool call with another end lacks
frames. Both were reported by more specific codes. Each table holds the codes of one way in which that shows:
in one frame, at one place of many frames, or in the number of a stream's frames. Codes in no table do not
suppress other divergences.
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

#: Codes after which the frame is not reported again: by the expected, and by the actual frame.
_BY_EXPECTED = frozenset({"content-lost", "content-outside"})
_BY_ACTUAL = frozenset({"finding-new"})
#: Codes after which a stream's missing or extra frames are not reported.
_BY_STREAM = frozenset({
    "config-final", "config-timeline", "message-extra", "message-missing", "message-twice",
    "metadata-cleared", "metadata-never-set", "metadata-set", "noise", "notification-extra",
    "notification-missing", "title-never-set", "tool-call-status", "tool-call-twice",
    "tool-call-unannounced", "update-after-stop",
})  # fmt: skip
_OF_OPTION = frozenset({"config-final", "config-timeline", "option-missing"})
_OF_METADATA = frozenset({"metadata-cleared", "metadata-never-set", "metadata-set", "title-never-set"})
#: The places of the choices that `choice-missing` is about.
_CHOICES = {
    "choice": "configOptions",
    "command": "availableCommands",
    "mode": "availableModes",
    "model": "availableModels",
}
_UPDATE = ("params", "update")
#: The names of an agent or a client. Another name or version only changes the environment.
_INFO = (("result", "agentInfo"), ("params", "clientInfo"))
_NAMES = frozenset({"name", "title", "version"})


class Reported:
    """The frames, places and streams that some divergences report."""

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
        """Whether a divergence about these two frames was reported."""
        return (expected, actual) in self._pairs or expected in self._expected or actual in self._actual

    def frame(self, frame: int, *, missing: bool) -> bool:
        """Whether a frame was reported as missing, or additional."""
        return ((frame, None) if missing else (None, frame)) in self._pairs

    def streams(self, expected: Streams, actual: Streams) -> set[StreamName]:
        """Return the streams that were reported to have more, or less: each in its turn and behind it."""
        return {
            behind(name)
            for named, frames in zip((expected, actual), self._streams, strict=True)
            for name, events in named.items()
            if any(event.frame in frames for event in events)
        }

    def place(self, event: TraceEvent, message: Any, actual_message: Any, path: Path) -> bool:
        """Whether a difference at this place of two matching frames was reported."""
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
    """Whether a place is in a field, or contains it, such as a whole `_meta` that is gone."""
    return bool(path) and all(pair[0] == pair[1] for pair in zip(path, field, strict=False))


def behind(name: StreamName) -> StreamName:
    """Return a stream's name that treats a turn and what comes after it as one."""
    if name.where is None:
        return name
    return name._replace(where=name.where._replace(part="turn"), unreported=False)


def _options(message: Any, actual_message: Any, path: Path) -> Iterator[str]:
    """Yield the options that a place may be about."""
    if "modes" in path or path[-1:] == ("currentModeId",):
        yield config_steps.MODE
    if "configOptions" not in path:
        return
    place = path[: path.index("configOptions") + 2]
    for each in (message, actual_message):
        if (option := options.id_of(pointers.at(each, place))) is not None:
            yield option
