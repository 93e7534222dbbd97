"""Two traces side by side: which frames are in one row, as `diff` compares them. Pure.

A comparison pairs requests, responses and the beginnings of runs. This module aligns the chunks between
those: by their content, then by their order.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace.analyze.frame import Frame
from acp_trace.compare.pairing.align import Pair, align_in_steps, increasing
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.normalize.masks import Mask, places
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.updates import JOINED, TOOL_CALLS, call_id
from acp_trace.report.page.columns import little_endian
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import value_or_none

#: Rows of one block.
BLOCK = 1 << 16
_EXCHANGED = (MessageKind.REQUEST, MessageKind.RESPONSE)


class SideBySide(NamedTuple):
    """A row: a frame of each trace, 0 for none, and the first divergence of the row.

    Divergences are counted from 1, in the order of `Comparison.divergences`; 0: none.
    """

    expected: int
    actual: int
    divergence: int = 0


class _Line(NamedTuple):
    """What gives a frame its place. `turn`: the frame of the last prompt of its session."""

    frame: int
    kind: MessageKind
    session: str | None
    turn: int
    stream: tuple[str | None, ...]
    call: str
    answers: int
    text: int
    is_chunk: bool


def rows(expected: Iterable[Frame], actual: Iterable[Frame], comparison: Comparison) -> list[SideBySide]:
    """All frames of both traces, in the order of the expected one.

    Frames that are only in the actual trace keep their place in its order.
    """
    sides = (
        [_line(frame, turn) for frame, turn in _turns(expected)],
        [_line(frame, turn) for frame, turn in _turns(actual)],
    )
    pairs = _pairs(*sides, comparison)
    marks = _marks(comparison.divergences)
    backbone = dict(increasing(sorted(pairs.items())))
    taken = set(pairs.values())
    found: list[SideBySide] = []
    following = 1

    def add(expected_frame: int, actual_frame: int) -> None:
        numbers = marks.get((0, expected_frame)), marks.get((1, actual_frame))
        found.append(SideBySide(expected_frame, actual_frame, min(filter(None, numbers), default=0)))

    for line in sides[0]:
        there = pairs.get(line.frame, 0)
        if line.frame in backbone:
            for frame in range(following, there):
                if frame not in taken:
                    add(0, frame)
            following = there + 1
        add(line.frame, there)
    for frame in range(following, len(sides[1]) + 1):
        if frame not in taken:
            add(0, frame)
    return found


def blocks(found: Sequence[SideBySide]) -> Iterator[bytes]:
    """The rows, block by block: all expected frames, all actual ones, all divergences; 4 bytes a number."""
    for start in range(0, len(found), BLOCK):
        block = found[start : start + BLOCK]
        yield little_endian([array("I", column) for column in zip(*block, strict=True)])


def masked(frames: Iterable[Frame], masks: Sequence[Mask]) -> dict[str, list[str]]:
    """Where the masks hide something: the pointers of its values, by frame."""
    if not masks:
        return {}
    hidden = (
        (frame.frame, [path for mask in masks for path in places(mask, value_or_none(frame.data))])
        for frame in frames
    )
    return {str(frame): [json_pointer.written(path) for path in paths] for frame, paths in hidden if paths}


def _turns(frames: Iterable[Frame]) -> Iterator[tuple[Frame, int]]:
    """Each frame with the last prompt of its session."""
    prompts: dict[str | None, int] = {}
    for frame in frames:
        if frame.method == methods.PROMPT and frame.kind is MessageKind.REQUEST:
            prompts[frame.session_id] = frame.frame
        yield frame, prompts.get(frame.session_id, 0)


def _line(frame: Frame, turn: int) -> _Line:
    call = call_id(frame.data) if frame.update in TOOL_CALLS else None
    text = frame.data
    for name in filter(None, (frame.session_id, call)):
        text = text.replace(name.encode("utf-8", "replace"), b"")
    return _Line(
        frame.frame,
        frame.kind,
        frame.session_id,
        turn,
        (frame.sender, frame.kind, frame.method, frame.update if call is None else "tool call"),
        call or "",
        frame.answers or 0,
        hash(text),
        frame.update in JOINED,
    )


def _pairs(expected: Sequence[_Line], actual: Sequence[_Line], comparison: Comparison) -> dict[int, int]:
    """Frames that belong together, by that of the expected trace."""
    pairs = _known(expected, actual, comparison.pairs)
    back = {there: here for here, there in pairs.items()}
    sessions: dict[str | None, str | None] = {}  #: what the expected trace calls those of the actual one
    calls: dict[tuple[str | None, str], str] = {}
    for here, there in pairs.items():
        line, other = expected[here - 1], actual[there - 1]
        sessions.setdefault(other.session, line.session)
        if line.call and other.call:
            calls.setdefault((other.session, other.call), line.call)
    alone = _alone(comparison.divergences)
    runs = {here: there for here, there in pairs.items() if expected[here - 1].is_chunk}
    for here, there in runs.items():  # the content of the chunks of a run shows which belong together
        del pairs[here], back[there]
    begins = {here: here for here in runs}, {there: here for here, there in runs.items()}
    streams: dict[Hashable, tuple[list[_Line], list[_Line]]] = {}
    for at, side in enumerate((expected, actual)):
        run: dict[Hashable, int] = {}
        for line in side:
            if (at, line.frame) in alone or line.answers:
                continue
            name: tuple[Hashable, ...] = line.session, line.turn, line.stream, line.call
            if at:
                name = (
                    sessions.get(line.session, line.session),
                    back.get(line.turn, -1) if line.turn else 0,
                    line.stream,
                    calls.get((line.session, line.call), line.call),
                )
            if line.frame in begins[at]:
                run[name] = begins[at][line.frame]
            streams.setdefault((name, run.get(name)), ([], []))[at].append(line)
    for in_expected, in_actual in streams.values():
        pairs.update(_aligned(in_expected, in_actual, pairs, back))
    answers = {line.answers: line.frame for line in reversed(actual) if line.answers}
    for line in expected:
        answer = answers.get(pairs.get(line.answers, 0), 0) if line.frame not in pairs else 0
        if answer and answer not in back and not {(0, line.frame), (1, answer)} & alone:
            pairs[line.frame] = answer
    return pairs


def _known(expected: Sequence[_Line], actual: Sequence[_Line], pairs: Iterable[Pair]) -> dict[int, int]:
    """The pairs of a comparison, each frame in one of them: those of requests and responses first."""
    ordered = sorted(
        pairs,
        key=lambda pair: (
            expected[pair[0] - 1].kind not in _EXCHANGED,
            expected[pair[0] - 1].stream != actual[pair[1] - 1].stream,
            pair,
        ),
    )
    known: dict[int, int] = {}
    taken: set[int] = set()
    for here, there in ordered:
        if here not in known and there not in taken:
            known[here] = there
            taken.add(there)
    return known


def _aligned(
    expected: Sequence[_Line], actual: Sequence[_Line], pairs: dict[int, int], back: dict[int, int]
) -> list[Pair]:
    """What of two streams belongs together. What is in a pair of both already holds the rest apart."""
    frames = {line.frame for line in actual}
    kept = increasing([
        (line.frame, pairs[line.frame]) for line in expected if pairs.get(line.frame) in frames
    ])  # fmt: skip
    expected_kept, actual_kept = {here for here, _ in kept}, {there for _, there in kept}
    left = [line for line in expected if line.frame in expected_kept or line.frame not in pairs]
    actual_left = [line for line in actual if line.frame in actual_kept or line.frame not in back]
    if not left or not actual_left:
        return []
    own = [(0, pairs[line.frame]) if line.frame in pairs else (1, line.frame) for line in left]
    actual_own = [(0, line.frame) if line.frame in back else (2, line.frame) for line in actual_left]
    aligned = align_in_steps(
        (own, actual_own),
        ([line.text for line in left], [line.text for line in actual_left]),
        ([0] * len(left), [0] * len(actual_left)),
    )
    return [(left[i].frame, actual_left[j].frame) for i, j in aligned.pairs]


def _marks(divergences: Sequence[Divergence]) -> dict[tuple[int, int], int]:
    """By side and frame, the first divergence there: one that fails before one that does not."""
    marks: dict[tuple[int, int], int] = {}
    for fails in (True, False):
        for counted, divergence in enumerate(divergences, 1):
            if (divergence.severity == "error") is fails:
                for trace, frame in divergence.frames:
                    marks.setdefault((int(trace == "actual"), frame), counted)
    return marks


def _alone(divergences: Iterable[Divergence]) -> set[tuple[int, int]]:
    """By side, the frames that are reported as missing in the other trace."""
    return {
        (int(trace == "actual"), frame)
        for divergence in divergences
        if divergence.expected_event is None or divergence.got_event is None
        for trace, frame in divergence.frames
        if divergence.code.endswith(_WITHOUT)
    }


#: What a divergence is called that says of a frame that it has no counterpart.
_WITHOUT = ("-missing", "-extra", "-twice")
