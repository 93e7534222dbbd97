"""The tool calls of one section of both traces: which matches which.

They match by kind and statuses first; titles and ids only help to distinguish them.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from acp_trace.normalize.normalizer import Normalizer
from acp_trace.normalize.pointers import Path
from acp_trace.story.model import OTHER, Call

KIND: Path = ("params", "update", "kind")
STATUS: Path = ("params", "update", "status")
PENDING = "pending"  #: the status of a call without any other (docs/protocol/tool-calls)


class MatchedCalls(NamedTuple):
    """Matching calls, an expected and an actual one each, and those without a counterpart."""

    pairs: list[tuple[Call, Call]]
    missing: list[Call]
    extra: list[Call]


class _CallShape(NamedTuple):
    """The properties by which two calls match."""

    kind: str
    statuses: tuple[str, ...]
    title: str | None
    id: str


#: The members of the shape that must be equal in each step, the strictest first.
_STEPS = (
    ("kind", "statuses", "title", "id"),
    ("kind", "statuses", "title"),
    ("kind", "statuses"),
    ("kind", "title"),
    ("id", "title"),
    ("title",),
    ("id",),
    ("kind",),
)


def match(
    expected: Sequence[Call], actual: Sequence[Call], normalizers: tuple[Normalizer, Normalizer]
) -> MatchedCalls:
    """Match the calls of a section. If as many are left on both sides, they are paired in order."""
    expected_shapes, actual_shapes = (
        [_shape(call, normalizer) for call in side]
        for side, normalizer in zip((expected, actual), normalizers, strict=True)
    )
    missing, extra = dict.fromkeys(range(len(expected))), dict.fromkeys(range(len(actual)))
    pairs: list[tuple[int, int]] = []
    for step in _STEPS:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for j in extra:
            waiting[_members(actual_shapes[j], step)].append(j)
        for i in list(missing):
            if alike := waiting.get(_members(expected_shapes[i], step)):
                j = alike.popleft()
                pairs.append((i, j))
                del missing[i], extra[j]
    if len(missing) == len(extra):
        pairs += zip(missing, extra, strict=True)
        missing, extra = {}, {}
    pairs.sort()
    matched = [(expected[i], actual[j]) for i, j in pairs]
    return MatchedCalls(matched, [expected[i] for i in missing], [actual[j] for j in extra])


def _members(shape: _CallShape, step: Sequence[str]) -> Hashable:
    return tuple(getattr(shape, name) for name in step)


def _shape(call: Call, normalizer: Normalizer) -> _CallShape:
    title = None if call.title is None else normalizer.path(call.title)
    kind, steps = normalizer.text(call.kind or OTHER, KIND), tuple(normal_statuses(call, normalizer))
    return _CallShape(kind, steps, title, call.id)


def normal_statuses(call: Call, normalizer: Normalizer) -> list[str]:
    """Return the statuses of a call, as they are compared."""
    return [normalizer.text(status, STATUS) for status in statuses(call)]


def statuses(call: Call) -> list[str]:
    """Return the statuses of a call, without `pending` at its beginning."""
    listed = [status for _, status in call.steps]
    return listed[1:] if listed[:1] == [PENDING] else listed
