"""Tool calls of one section: which is which, their kinds, the order of their statuses.

Each is a stream of its own, so that calls may come in any order between two barriers. They match by kind
and statuses first; titles and ids only help to tell them apart.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from acp_trace.compare.barriers import Barriers
from acp_trace.compare.collector import Collector, Value
from acp_trace.compare.normalizer import Normalizer
from acp_trace.compare.pointers import Path
from acp_trace.compare.story import Call, Where
from acp_trace.compare.tolerance import Tolerance

_KIND: Path = ("params", "update", "kind")
_STATUS: Path = ("params", "update", "status")
_PENDING = "pending"  #: what a call is that says nothing else (docs/protocol/tool-calls)
_OTHER = "other"


class _Shape(NamedTuple):
    """What two calls match by."""

    kind: str
    statuses: tuple[str, ...]
    title: str | None
    id: str


#: Members of the shape that are alike, the strictest first.
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


def compare(
    found: Collector,
    session_id: str,
    where: Where,
    ours: Sequence[Call],
    theirs: Sequence[Call],
    tolerance: Tolerance,
    walls: Barriers,
    *,
    late: bool,
) -> None:
    """Compares the calls of a section; `late`: whether the second trace goes on with calls after its end."""
    pairs, missing, extra = _match(found, ours, theirs)
    for one, other in pairs:
        found.pair(one.frame, other.frame, one.count)
        found.calls.append((session_id, where, one.id, other.id))
        if one.announced and not other.announced:
            told = f"tool call {_title(one)} is updated, and no longer announced by a tool_call"
            found.say("tool-call-unannounced", session_id, told, one.frame, other.frame)
        _kind(found, session_id, one, other)
        _statuses(found, session_id, one, other, tolerance, late=late)
        if not (_early(found, session_id, one, other) or tolerance.extra):
            _moved(found, session_id, one, other, walls)
    for one in missing:
        found.unmatched(one.count)
        if not (tolerance.may_miss(one.frame) or late):
            told = f"a tool call is not made any more: {_words(one)}"
            found.say("tool-call-missing", session_id, told, one.frame, None, was=_words(one))
    for other in extra:
        found.unmatched(other.count)
        if not tolerance.extra:
            told = f"a tool call was not made before: {_words(other)}"
            found.say("tool-call-extra", session_id, told, None, other.frame, now=_words(other))


def _match(
    found: Collector, ours: Sequence[Call], theirs: Sequence[Call]
) -> tuple[list[tuple[Call, Call]], list[Call], list[Call]]:
    shapes_a = [_shape(one, found.expected_uncounted) for one in ours]
    shapes_b = [_shape(one, found.actual_uncounted) for one in theirs]
    left_a, left_b = dict.fromkeys(range(len(ours))), dict.fromkeys(range(len(theirs)))
    pairs: list[tuple[int, int]] = []
    for step in _STEPS:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for j in left_b:
            waiting[_alike(shapes_b[j], step)].append(j)
        for i in list(left_a):
            if alike := waiting.get(_alike(shapes_a[i], step)):
                j = alike.popleft()
                pairs.append((i, j))
                del left_a[i], left_b[j]
    if len(left_a) == len(left_b):
        pairs += zip(left_a, left_b, strict=True)
        left_a, left_b = {}, {}
    pairs.sort()
    made = [(ours[i], theirs[j]) for i, j in pairs]
    return made, [ours[i] for i in left_a], [theirs[j] for j in left_b]


def _alike(shape: _Shape, step: Sequence[str]) -> Hashable:
    return tuple(getattr(shape, name) for name in step)


def _shape(call: Call, normalizer: Normalizer) -> _Shape:
    title = None if call.title is None else normalizer.path(call.title)
    return _Shape(normalizer.text(call.kind or _OTHER, _KIND), tuple(_told(call, normalizer)), title, call.id)


def _told(call: Call, normalizer: Normalizer) -> list[str]:
    """The statuses of a call, as they are compared."""
    return [normalizer.text(status, _STATUS) for status in _statuses_of(call)]


def _statuses_of(call: Call) -> list[str]:
    statuses = [status for _, status in call.steps]
    return statuses[1:] if statuses[:1] == [_PENDING] else statuses


def _kind(found: Collector, session_id: str, one: Call, other: Call) -> None:
    was, now = (Value(call.frame, _KIND, call.kind or _OTHER) for call in (one, other))
    found.same("tool-call-kind", session_id, f"tool call {_title(one)}", was, now)


def _statuses(
    found: Collector, session_id: str, one: Call, other: Call, tolerance: Tolerance, *, late: bool
) -> None:
    was, now = _told(one, found.expected_normalizer), _told(other, found.actual_normalizer)
    if was == now:
        return
    sure = was
    if tolerance.missing_after is not None:
        sure = was[: sum(not tolerance.may_miss(frame) for frame, _ in one.steps[-len(was) :])] if was else []
    begins = now[: len(sure)] == sure
    if begins and (tolerance.extra or now == was[: len(now)]):
        return
    if late and now == was[: len(now)]:
        return  # the rest comes after the end, which is said
    unlike = (i for i, pair in enumerate(zip(was, now, strict=False)) if pair[0] != pair[1])
    at = next(unlike, min(len(was), len(now)))
    frames = [_frame(call, at) for call in (one, other)]
    before, after = (" → ".join([_PENDING, *_statuses_of(call)]) for call in (one, other))
    refused = found.masks.refusal(_STATUS, before, after) if found.masks else None
    told = f"tool call {_title(one)}: {before}, now {after}"
    same_length = len(was) == len(now)
    found.say("tool-call-status", session_id, told, *frames, was=before, now=after,
              pointer="/params/update/status", mask="/params/update/status:string" if same_length else None,
              refused=refused)  # fmt: skip


def _frame(call: Call, at: int) -> int:
    """The frame of the n-th status but the first `pending`, or of the last before."""
    steps = call.steps[-len(_statuses_of(call)) :] if _statuses_of(call) else []
    return steps[min(at, len(steps) - 1)][0] if steps else call.frame


def _early(found: Collector, session_id: str, one: Call, other: Call) -> bool:
    """A call that was over after its permission was answered, and now is before; or that begins after it."""
    for asked, its in zip(one.permissions, other.permissions, strict=False):
        if one.frame < asked.frame and other.frame > its.frame:
            told = f"tool call {_title(one)} begins after its permission is asked for, and began before"
            found.say("tool-call-moved", session_id, told, one.frame, other.frame)
            return True
        if one.end is None or other.end is None:
            continue
        waited = asked.response_frame is not None and asked.response_frame < one.end
        if waited and (its.response_frame is None or its.response_frame > other.end):
            told = f"tool call {_title(one)} is over before its permission is answered"
            found.say("tool-call-early", session_id, told, one.end, other.end)
            return True
    return False


def _moved(found: Collector, session_id: str, one: Call, other: Call, walls: Barriers) -> None:
    """A call that lies wholly on the other side of a barrier."""
    begins, ends = walls.expected(one.frame), walls.expected(one.last)
    its_begin, its_end = walls.got(other.frame), walls.got(other.last)
    if its_begin > ends or its_end < begins:
        now, was = ("after", "before") if its_begin > ends else ("before", "after")
        told = f"tool call {_title(one)} comes {now} a request that it came {was}"
        found.say("tool-call-moved", session_id, told, one.frame, other.frame)


def _title(call: Call) -> str:
    return f'"{call.title[:60]}"' if call.title else call.id[-12:]


def _words(call: Call) -> str:
    return f"{call.kind or _OTHER} {_title(call)}"
