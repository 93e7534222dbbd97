"""Compares every frame, after bindings and masks, texts included: what `--match exact` adds.

Frames are compared stream by stream, each request and each response with its own. Those that differ in the
same place are one divergence, with their number. In a turn that was cancelled in both traces, the agent's
progress is chance: at the turn's end, frames may be missing or too many.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from acp_trace.compare.pairing.align import align_in_steps
from acp_trace.compare.pairing.frames import ComparedFrames, together
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.pairing.streams import Names, StreamName, streams
from acp_trace.compare.reported import Reported, behind
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import Found, TracePair
from acp_trace.normalize import masks, pointers
from acp_trace.normalize.bindings import ids_in
from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.protocol.message import MessageKind
from acp_trace.story.model import SessionPhase, TraceEvent
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import value_or_none

#: Ids whose pairs are compared elsewhere: requests and options with their answers, tool calls as streams.
_ELSEWHERE = ("request", "option", "tool call", "session")


class _Differing(msgspec.Struct):
    """The first of several differences in one place."""

    expected: TraceEvent
    actual: TraceEvent
    path: Path
    pattern: Path
    count: int = 0


class _Normal(msgspec.Struct, gc=False):
    """A frame as it is compared: its text, and the ids taken out of it that are compared here."""

    text: str
    ids: tuple[tuple[str, Any, Path], ...] = ()


class Exact:
    """Compares frames one by one. What a more specific code has reported is not reported again."""

    def __init__(self, traces: TracePair, pairing: Pairing, divergences: Iterable[Divergence]) -> None:
        """Keep what is reported by the `divergences` of all other checks."""
        self._normalizers = traces.normalizers(counts=True)
        self._traces = traces
        self._pairing = pairing
        self._bindings = pairing.bindings.copy()
        #: Frames of cancels by session and turn: how far an agent gets before them is chance (`tolerance`).
        self._cancels: dict[tuple[str | None, SessionPhase | None], tuple[int, int] | None] = {
            (section.session_id, section.where): section.tolerance.cancels
            for section in pairing.sections
            if section.where.part == "turn"
        }
        self._reported = Reported(divergences)
        self._known: set[StreamName] = set()  #: streams that are already reported to have more, or less
        self._differing: dict[Hashable, _Differing] = {}

    def compare(self) -> Found:
        """Compare all frames, and yield the differences. Only frames that are compared whole count."""
        traces = self._traces
        yield ComparedFrames(frames=traces.expected.blank)
        for expected, actual in self._exchanged():
            yield ComparedFrames(frames=1)
            self._pair(
                expected,
                self._normal(expected, self._normalizers[0]),
                actual,
                self._normal(actual, self._normalizers[1]),
            )
        expected_streams = streams(traces.expected.events, Names(self._pairing, actual=False))
        actual_streams = streams(traces.actual.events, Names(self._pairing, actual=True))
        self._known = self._reported.streams(expected_streams, actual_streams)
        for name in dict.fromkeys([*expected_streams, *actual_streams]):
            in_expected, in_actual = expected_streams.get(name, []), actual_streams.get(name, [])
            if (in_expected and in_actual) or name.unreported:
                yield from self._stream(name, in_expected, in_actual)
        yield from self._differences()

    def _exchanged(self) -> Iterator[tuple[TraceEvent, TraceEvent]]:
        """Yield requests and responses that match."""
        expected_story, actual_story = self._traces.expected, self._traces.actual
        for _, (expected, actual) in self._pairing.requests:
            yield expected_story.at(expected.frame), actual_story.at(actual.frame)
            if expected.response_frame is not None and actual.response_frame is not None:
                yield expected_story.at(expected.response_frame), actual_story.at(actual.response_frame)

    def _stream(
        self, name: StreamName, expected: Sequence[TraceEvent], actual: Sequence[TraceEvent]
    ) -> Found:
        traces = self._traces
        cancels = self._cancels.get((name.session_id, name.where))
        expected_normal = [self._normal(event, self._normalizers[0]) for event in expected]
        actual_normal = [self._normal(event, self._normalizers[1]) for event in actual]
        texts = [normal.text for normal in expected_normal], [normal.text for normal in actual_normal]
        aligned = align_in_steps(texts, ([0] * len(expected), [0] * len(actual)))
        sure = (-1, -1)  #: the last pair that a cancel cannot have affected
        for i, j in aligned.pairs:
            yield together(expected[i].frame, actual[j].frame)
            if cancels is not None and expected[i].frame > cancels[0] and actual[j].frame > cancels[1]:
                continue
            sure = i, j
            self._pair(expected[i], expected_normal[i], actual[j], actual_normal[j])
        for code, side, left in (("missing", expected, aligned.missing), ("extra", actual, aligned.extra)):
            whole = traces.actual.whole if code == "missing" else traces.expected.whole
            certain = left if cancels is None else [at for at in left if at < sure[code == "extra"]]
            fresh = [
                side[at]
                for at in certain
                if not self._reported.frame(side[at].frame, missing=code == "missing")
            ]
            if fresh and whole and behind(name) not in self._known:
                first = fresh[0]
                frames = (first.frame, None) if code == "missing" else (None, first.frame)
                what = first.update or first.method or "line"
                message = f"{what} is no longer sent" if code == "missing" else f"an additional {what}"
                yield traces.divergence(f"frame-{code}", name.session_id, message, *frames, count=len(fresh))

    def _normal(self, event: TraceEvent, normalizer: Normalizer) -> _Normal:
        message = value_or_none(event.text)
        if not isinstance(message, dict):
            return _Normal(event.text.decode("utf-8", "replace"))
        message.pop("id", None)
        root = "result" if event.kind is MessageKind.RESPONSE else "params"
        ids = []
        for kind, holder, path in ids_in(message, event.method or "", root):
            key = path[-1]
            if kind not in _ELSEWHERE:
                ids.append((kind, holder[key], path))
            holder[key] = f"‹{kind}›"
        return _Normal(normalizer.frame(message, event.text), tuple(ids))

    def _pair(
        self, expected: TraceEvent, expected_normal: _Normal, actual: TraceEvent, actual_normal: _Normal
    ) -> None:
        if self._reported.pair(expected.frame, actual.frame):
            return
        if expected_normal.text != actual_normal.text:
            was, now = (value_or_none(normal.text.encode()) for normal in (expected_normal, actual_normal))
            for difference in pointers.differences(was, now):
                if self._reported.place(expected, was, now, difference.path):
                    continue
                pattern = pointers.pattern(difference.path, was)
                self._differ(expected, actual, difference.path, pattern)
            return
        for (kind, was, path), (_, now, _) in zip(expected_normal.ids, actual_normal.ids, strict=True):
            if not self._bindings.pair(kind, was, now):
                self._differ(expected, actual, path, path)

    def _differ(self, expected: TraceEvent, actual: TraceEvent, path: Path, pattern: Path) -> None:
        key = expected.sender, expected.kind, expected.method, expected.update, pattern
        self._differing.setdefault(key, _Differing(expected, actual, path, pattern)).count += 1

    def _differences(self) -> Divergences:
        """Yield each place once, with the original values."""
        traces = self._traces
        for differing in self._differing.values():
            expected, actual, path = differing.expected, differing.actual, differing.path
            was, now = (pointers.at(value_or_none(event.text), path) for event in (expected, actual))
            if not path:  # lines that are not JSON objects
                was, now = (event.text.decode("utf-8", "replace") for event in (expected, actual))
            refused = traces.masks.refusal(path, was, now)
            maskable = path and was is not NOTHING and now is not NOTHING and not refused
            what = expected.update or expected.method or "line"
            before, after = pointers.shown_pair(was, now)
            pointer = json_pointer.written(path)
            place = f"{what} {pointer}" if path else what
            message = f"{place}: {before} → {after}"
            if pointers.same(was, now):
                before, after, message = self._alike(differing, place)
            yield traces.divergence(
                "frame-differs",
                expected.session_id,
                message,
                expected.frame,
                actual.frame,
                was=before,
                now=after,
                count=differing.count,
                pointer=pointer or None,
                mask=masks.suggest(differing.pattern, was, now) if maskable else None,
                refused=refused,
            )

    def _alike(self, differing: _Differing, place: str) -> tuple[str, str, str]:
        """Return both sides of texts that are equal but mean different things, and the message."""
        traces, path = self._traces, differing.path
        sides = (
            (differing.expected, traces.expected_uncounted),
            (differing.actual, traces.actual_uncounted),
        )
        frames = (value_or_none(self._normal(event, normalizer).text.encode()) for event, normalizer in sides)
        was, now = (pointers.at(frame, path) for frame in frames)
        if not pointers.same(was, now):  # a path: from the directory of one trace, and not of the other
            before, after = pointers.shown_pair(was, now)
            return before, after, f"{place}: {before} → {after}"
        value = pointers.shown(pointers.at(value_or_none(differing.expected.text), path))
        message = f"{place}: {value} stands for different things in the two traces"
        return value, f"{value}, which stands for something else", message
