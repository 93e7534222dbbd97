"""Every frame, after bindings and masks, texts included: what `--match exact` adds.

Frames are compared stream by stream, each request and each response with its own. Those that differ in
the same place are one divergence, with their number.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import msgspec

from acp_trace.compare import masks, pointers
from acp_trace.compare.bindings import ids_in
from acp_trace.compare.claims import claim
from acp_trace.compare.collector import Collector
from acp_trace.compare.normalizer import Normalizer
from acp_trace.compare.pointers import NOTHING, Path
from acp_trace.compare.sessions import Matched
from acp_trace.compare.story import Seen
from acp_trace.compare.streams import Names, streams
from acp_trace.protocol.message import MessageKind
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import value_or_none

#: Ids whose pairs are told elsewhere: requests and options with their answers, tool calls as streams.
_ELSEWHERE = ("request", "option", "tool call", "session")


class _Differing(msgspec.Struct):
    """The first of several differences in one place."""

    one: Seen
    other: Seen
    path: Path
    pattern: Path
    count: int = 0


class _Normal(msgspec.Struct, gc=False):
    """A frame as it is compared: its text, and of the ids that were taken out of it those told here."""

    text: str
    ids: tuple[tuple[str, Any, Path], ...] = ()


class Exact:
    """Compares frames one by one. A pair of frames of which something was told is not told again."""

    def __init__(self, found: Collector, matched: Matched) -> None:
        self._found = found
        self._matched = matched
        self._told = found.told
        self._differing: dict[Hashable, _Differing] = {}

    def compare(self) -> None:
        """All frames."""
        found = self._found
        found.compared(found.expected.blank)
        for one, other in self._exchanged():
            found.compared(1)
            self._pair(
                one,
                self._normal(one, found.expected_normalizer),
                other,
                self._normal(other, found.actual_normalizer),
            )
        ours = streams(found.expected.seen, Names(found, self._matched.sessions, got=False))
        theirs = streams(found.actual.seen, Names(found, self._matched.sessions, got=True))
        for name in dict.fromkeys([*ours, *theirs]):
            here, there = ours.get(name, []), theirs.get(name, [])
            if (here and there) or name.untold:
                self._stream(name.session_id, here, there)
            else:
                found.unmatched(len(here) + len(there))
        self._say()

    def _exchanged(self) -> Iterator[tuple[Seen, Seen]]:
        """Requests and responses that belong together."""
        a, b = self._found.expected, self._found.actual
        for _, (one, other) in self._matched.requests:
            yield a.at(one.frame), b.at(other.frame)
            if one.response_frame is not None and other.response_frame is not None:
                yield a.at(one.response_frame), b.at(other.response_frame)

    def _stream(self, session_id: str | None, ours: Sequence[Seen], theirs: Sequence[Seen]) -> None:
        found = self._found
        normal = [self._normal(one, found.expected_normalizer) for one in ours]
        its = [self._normal(other, found.actual_normalizer) for other in theirs]
        step = [one.text for one in normal], [other.text for other in its]
        claimed = claim(step, ([0] * len(ours), [0] * len(theirs)))
        for i, j in claimed.pairs:
            found.pair(ours[i].frame, theirs[j].frame)
            self._pair(ours[i], normal[i], theirs[j], its[j])
        found.unmatched(claimed.left)
        for code, side, left in (("missing", ours, claimed.missing), ("extra", theirs, claimed.extra)):
            whole = found.actual.whole if code == "missing" else found.expected.whole
            fresh = [side[at] for at in left if not self._known(side[at].frame, missing=code == "missing")]
            if fresh and whole:
                first = fresh[0]
                frames = (first.frame, None) if code == "missing" else (None, first.frame)
                what = first.update or first.method or "line"
                told = "is not sent any more" if code == "missing" else "was not sent before"
                found.say(f"frame-{code}", session_id, f"{what} {told}", *frames, count=len(fresh))

    def _known(self, frame: int, *, missing: bool) -> bool:
        return ((frame, None) if missing else (None, frame)) in self._told

    def _normal(self, seen: Seen, normalizer: Normalizer) -> _Normal:
        message = value_or_none(seen.text)
        if not isinstance(message, dict):
            return _Normal(seen.text.decode("utf-8", "replace"))
        message.pop("id", None)
        root = "result" if seen.kind is MessageKind.RESPONSE else "params"
        ids = []
        for kind, holder, path in ids_in(message, seen.method or "", root):
            key = path[-1]
            if kind not in _ELSEWHERE:
                ids.append((kind, holder[key], path))
            holder[key] = f"‹{kind}›"
        return _Normal(normalizer.frame(message, seen.text), tuple(ids))

    def _pair(self, one: Seen, normal: _Normal, other: Seen, its: _Normal) -> None:
        if (one.frame, other.frame) in self._told:
            return
        if normal.text != its.text:
            here, there = (value_or_none(text.encode()) for text in (normal.text, its.text))
            for found in pointers.differences(here, there):
                self._differ(one, other, found.path, pointers.pattern(found.path, here))
            return
        for (kind, was, path), (_, now, _) in zip(normal.ids, its.ids, strict=True):
            if not self._found.bindings.pair(kind, was, now):
                self._differ(one, other, path, path)

    def _differ(self, one: Seen, other: Seen, path: Path, pattern: Path) -> None:
        key = one.sender, one.kind, one.method, one.update, pattern
        self._differing.setdefault(key, _Differing(one, other, path, pattern)).count += 1

    def _say(self) -> None:
        """Tells each place once, with the values as they were."""
        found = self._found
        for differing in self._differing.values():
            one, other, path = differing.one, differing.other, differing.path
            was, now = (pointers.at(value_or_none(seen.text), path) for seen in (one, other))
            if not path:  # lines that are no JSON objects
                was, now = (seen.text.decode("utf-8", "replace") for seen in (one, other))
            refused = found.masks.refusal(path, was, now)
            there = was is not NOTHING and now is not NOTHING
            what = one.update or one.method or "line"
            expected, got = pointers.told(was, now)
            pointer = json_pointer.written(path)
            found.say(
                "frame-differs",
                one.session_id,
                f"{what} {pointer}: {expected} → {got}" if path else f"{what}: {expected} → {got}",
                one.frame,
                other.frame,
                was=expected,
                now=got,
                count=differing.count,
                pointer=pointer or None,
                mask=None if refused or not (path and there) else masks.suggest(differing.pattern, was, now),
                refused=refused,
            )
