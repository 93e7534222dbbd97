"""Compares content: the joined texts of messages and thoughts; any two values.

From `semantic` on: what does not depend on a model's words (is there a text, is it there once). From
`content` on: the values themselves, as `wording` gives them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from acp_trace.compare.codes import at_level
from acp_trace.compare.content import lost_words
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair, Value
from acp_trace.normalize import masks, pointers
from acp_trace.normalize.figures import are_near
from acp_trace.story.joined_text import JoinedText
from acp_trace.trace import json_pointer
from acp_trace.trace.counts import counted

_CONTENT = ("params", "update", "content")
TEXT = (*_CONTENT, "text")
_TYPE = (*_CONTENT, "type")
_MESSAGE_ID = ("params", "update", "messageId")


def message(
    traces: TracePair,
    session_id: str,
    kind: str,
    expected: tuple[int, JoinedText],
    actual: tuple[int, JoinedText],
    begins: tuple[str, str] = ("", ""),
    *,
    open_end: bool,
) -> Divergences:
    """Compare two matching messages: their first frames, and their content.

    `begins`: the beginning of each that may belong to another message. `open_end`: one of them may just have
    been cut short, so that its continuation, or a missing one, is not a difference.
    """
    (frame, was), (actual_frame, now) = expected, actual
    frames = frame, actual_frame
    has_room = not open_end or now.chunks >= was.chunks  # to show as much
    if has_room and _is_lost(was, now):
        what = "the text is empty"
        if not was.kinds & now.kinds:
            what = f"{lost_words.listed(sorted(now.kinds))} in place of the text"
        yield traces.divergence("content-lost", session_id, f"{kind}: {what}", *frames,
                                was=pointers.shown(was.text), now=what.removeprefix("the text is "),
                                pointer=json_pointer.written(TEXT))  # fmt: skip
        return
    if _is_new_twice(was, now):
        yield traces.divergence("message-twice", session_id, f"{kind}: the text comes twice", *frames,
                                was=pointers.shown(was.text), now=pointers.shown(now.text),
                                pointer=json_pointer.written(TEXT))  # fmt: skip
        return
    if not are_values_compared(traces):
        return  # the texts are not needed: they are compressed
    texts = (Value(frame, TEXT, was.text), Value(actual_frame, TEXT, now.text))
    if not open_end and was.kinds != now.kinds:
        listed = (Value(at, _TYPE, sorted(each.kinds)) for at, each in ((frame, was), (actual_frame, now)))
        if other := difference(traces, session_id, f"{kind}: kinds of content", *listed):
            yield other
            return
    other = difference(
        traces, session_id, f"{kind}:", *texts, begins=begins, open_end=open_end, pieces=now.pieces
    )
    if other:
        yield other
    elif not open_end and not was.may_be_as_many(now):
        counts = (_counted(each.messages) for each in (was, now))
        message = f"{kind}: the same text in other messages"
        yield traces.divergence("content-differs", session_id, message, *frames, was=next(counts),
                                now=next(counts), pointer=json_pointer.written(_MESSAGE_ID))  # fmt: skip


def _counted(messages: tuple[int, int]) -> str:
    """Return the least possible number of messages in words: `2 messages`."""
    return counted(messages[0], "message")


def may_differ(traces: TracePair, was: JoinedText, now: JoinedText) -> bool:
    """Whether `message` may report anything about these: a fast check, without looking at values."""
    return are_values_compared(traces) or _is_lost(was, now) or _is_new_twice(was, now)


def _is_lost(was: JoinedText, now: JoinedText) -> bool:
    return now.is_blank and not was.is_blank


def _is_new_twice(was: JoinedText, now: JoinedText) -> bool:
    """Whether the doubled text is new: the expected one may be doubled too, split only by its tool calls."""
    return now.is_twice and not was.is_twice and now.twice not in was.text


def are_values_compared(traces: TracePair, code: str = "content-differs") -> bool:
    """Whether values are compared at this level; at `exact`, frames are compared, with their values."""
    by_frames = traces.match == "exact" and code == "content-differs"
    return at_level(code, traces.match) and not by_frames


def difference(
    traces: TracePair,
    session_id: str | None,
    what: str,
    expected: Value,
    actual: Value,
    *,
    code: str = "content-differs",
    open_end: bool = False,
    keyed: bool = False,
    figures: bool = False,
    begins: tuple[str, str] = ("", ""),
    pieces: Sequence[tuple[int, int]] = (),
) -> Divergence | None:
    """Return the first difference between two shown values, as `wording` gives them; None if they are equal.

    `open_end`: of two texts, one may be the beginning of the other. `keyed`: the values were taken apart, so
    no pointer leads into them. `figures`: figures that are near each other are equal. `begins`: the beginning
    of each text that is not compared. `pieces`: where pieces of the actual text begin, and their frames.
    """
    if not are_values_compared(traces, code):
        return None
    sides = (traces.expected_normalizer, expected), (traces.actual_normalizer, actual)
    was, now = (
        normalizer.seen(value.value, value.path) if figures else normalizer.shown(value.value, value.path)
        for normalizer, value in sides
    )
    alike = are_near if figures else pointers.same
    if any(begins):
        was, now = (text.removeprefix(begin) for text, begin in zip((was, now), begins, strict=True))
    if alike(was, now) or (open_end and _begins(was, now)):
        return None
    unlike = (each.path for each in pointers.differences(was, now) if not alike(each.expected, each.actual))
    inner = next(unlike, ())
    places = [
        pointers.resolved(inner, compared, side.value) for compared, side in ((was, expected), (now, actual))
    ]
    path = expected.path if keyed else (*expected.path, *places[0])
    values = pointers.at(expected.value, places[0]), pointers.at(actual.value, places[1])
    refused = traces.masks.refusal(path, *values)
    suggested = None
    if not (refused or keyed) and expected.path == actual.path:
        inside = pointers.pattern(places[0], expected.value)
        # A key that is another word in each run has no name in a mask.
        inside = tuple(
            key if name == actual_name else "*"
            for key, name, actual_name in zip(inside, *places, strict=True)
        )
        pattern = (*expected.path, *inside)
        suggested = masks.suggest(pattern, *values)
    before, after = pointers.shown_pair(pointers.at(was, inner), pointers.at(now, inner))
    place = " ".join(("", *inner)) if keyed else "".join((" " * bool(inner), json_pointer.written(inner)))
    return traces.divergence(
        code,
        session_id,
        f"{what}{place} {before} → {after}",
        expected.frame,
        _frame(traces, was, actual, pieces),
        was=before,
        now=after,
        pointer=json_pointer.written(path),
        mask=suggested,
        refused=refused,
        about=what.rpartition(": ")[2] if keyed else None,
    )


def _frame(traces: TracePair, was: Any, actual: Value, pieces: Sequence[tuple[int, int]]) -> int | None:
    """Return the frame of the actual value; if it has pieces, of the last up to which it is as expected."""
    if not pieces:
        return actual.frame

    def is_other(piece: tuple[int, int]) -> bool:
        """Whether the text before a piece is not as expected."""
        before = actual.value[: piece[0]]
        return not was.startswith(traces.actual_uncounted.shown(before, actual.path))

    return pieces[max(bisect_left(pieces, True, key=is_other), 1) - 1][1]


def _begins(was: Any, now: Any) -> bool:
    return isinstance(was, str) and isinstance(now, str) and (was.startswith(now) or now.startswith(was))
