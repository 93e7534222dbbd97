"""Details of matching requests: what they show or do, beyond the keys by which they match (`keys`).

One table: a *shape* is compared from `semantic` on (existing content must not disappear) and its value from
`content` on; what no model decides is compared as a value from `semantic` on. A new detail is a new row here.
Requests are never matched by details.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from acp_trace.compare.content import lost_words, shapes, shown
from acp_trace.compare.content.shapes import Shape, is_filled
from acp_trace.compare.pairing.pairs import Pairing
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import TracePair, Value
from acp_trace.normalize import pointers
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.protocol import methods
from acp_trace.story.model import Request
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import objects

#: How it is compared: as a shape and at `content` as a value, at `content` alone, or from `semantic` on.
How = Literal["shape", "content", "semantic"]


def _as_it_is(value: Any) -> Any:
    return value


def _blocks(content: Any) -> Any:
    """Return blocks of content without the ids of terminals, which the sides make up."""
    listed = content if isinstance(content, list) else []
    return [
        block | {"terminalId": "‹id›"} if isinstance(block, dict) and "terminalId" in block else block
        for block in listed
    ]


def _variables(env: Any) -> Any:
    """Return variables of an environment by their names, in any order."""
    return {str(each.get("name")): each.get("value") for each in objects(env)}


def _parts(value: Any, _: Callable[[str], str]) -> list[str]:
    """Return the names of what is there; for content, its kinds."""
    if isinstance(value, list):
        kinds = (_kind(block) for block in objects(value))
        return [kind for kind in kinds if kind]
    return [""] if value is not NOTHING and is_filled(value) else []


def _kind(block: dict[str, Any]) -> str:
    """Return the kind of a block of content, or of a location; empty if it shows nothing."""
    inner = block.get("content")
    if block.get("type") == "content" and isinstance(inner, dict):
        return str(inner.get("type")) if inner.get("type") != "text" or is_filled(inner.get("text")) else ""
    return str(block.get("type", "")) or ("path" if is_filled(block.get("path")) else "")


class Detail(NamedTuple):
    """One detail. `take` turns the value at its path into what is compared; `shape` names what is there.

    `depends`: its shape depends on the input, so it is only compared if the raw input or the title is the
    same. `figures`: figures that are near each other are equal.
    """

    name: str
    path: Path
    how: How
    take: Callable[[Any], Any] = _as_it_is
    depends: bool = False
    figures: bool = False
    shape: Shape = _parts


_CALL: Path = ("params", "toolCall")
_INPUT = Detail("raw input", (*_CALL, "rawInput"), "shape")
_TITLE = Detail("title", (*_CALL, "title"), "shape", shape=shapes.title)

#: By method, in the order of checking: for one request, only the first other value is reported.
_DETAILS: dict[str, tuple[Detail, ...]] = {
    methods.PERMISSION: (
        _INPUT,
        _TITLE,
        Detail("content", (*_CALL, "content"), "shape", _blocks, depends=True),
        Detail("locations", (*_CALL, "locations"), "shape", depends=True),
    ),
    "fs/write_text_file": (Detail("content", ("params", "content"), "shape"),),
    "fs/read_text_file": (
        Detail("line", ("params", "line"), "content"),
        Detail("limit", ("params", "limit"), "content"),
    ),
    "terminal/create": (
        Detail("cwd", ("params", "cwd"), "semantic"),
        Detail("env", ("params", "env"), "semantic", _variables),
        Detail("outputByteLimit", ("params", "outputByteLimit"), "semantic"),
    ),
    methods.ELICITATION: (
        Detail("message", ("params", "message"), "shape"),
        Detail("requestedSchema", ("params", "requestedSchema"), "shape"),
        Detail("url", ("params", "url"), "shape"),
    ),
    methods.PROMPT: (Detail("prompt", ("params", "prompt"), "content"),),
}
#: The detail of a request's error.
_ERROR = Detail("error message", ("error", "message"), "shape")
#: The details of a request's result, by method.
_RESULTS: dict[str, tuple[Detail, ...]] = {
    methods.PROMPT: (Detail("usage", ("result", "usage"), "shape", figures=True),)
}


def compare(traces: TracePair, pairing: Pairing, repeats: Mapping[int, set[str]]) -> Divergences:
    """Compare the details of all requests that belong together.

    `repeats`: by frame of the actual trace, details whose other value is reported elsewhere.
    """
    for _, (expected, actual) in pairing.requests:
        pair = _Pair(expected.method, expected.session_id, (expected.frame, actual.frame),
                     ({"params": expected.params}, {"params": actual.params}))  # fmt: skip
        details = _DETAILS.get(expected.method, ())
        lost = _lost(traces, pair, details)
        if lost:
            yield lost
        for detail in details:
            if detail.how == "semantic" and (other := _difference(traces, pair, detail, "request-params")):
                yield other
        if not lost:
            elsewhere = repeats.get(actual.frame, ())
            yield from _differ(traces, pair, [each for each in details if each.name not in elsewhere])
        if answered := _answered(expected, actual):
            frames = expected.response_frame or expected.frame, actual.response_frame or actual.frame
            results = tuple({expected.outcome: request.result} for request in (expected, actual))
            answers = _Pair(expected.method, expected.session_id, frames, results)
            if lost := _lost(traces, answers, answered):
                yield lost
            else:
                yield from _differ(traces, answers, answered)


def _answered(expected: Request, actual: Request) -> tuple[Detail, ...]:
    """Return the compared details of two answers. The usage of a cancelled turn is chance."""
    if expected.outcome != actual.outcome or expected.error_code != actual.error_code:
        return ()
    if expected.outcome == "error":
        return (_ERROR,)
    is_cancelled = pointers.at(expected.result, ("stopReason",)) == "cancelled"
    return () if is_cancelled else _RESULTS.get(expected.method, ())


class _Pair(NamedTuple):
    """Two frames that are compared, and the compared parts of their messages."""

    method: str
    session_id: str | None
    frames: tuple[int, int]
    messages: tuple[Any, ...]

    def values(self, detail: Detail) -> tuple[Value, Value]:
        """Return a detail in both of them; a member that is null counts as missing."""
        taken = (pointers.at(message, detail.path) for message in self.messages)
        values = (NOTHING if value is None or value is NOTHING else detail.take(value) for value in taken)
        expected, actual = (
            Value(frame, detail.path, value) for frame, value in zip(self.frames, values, strict=True)
        )
        return expected, actual


def _lost(traces: TracePair, pair: _Pair, details: Iterable[Detail]) -> Divergence | None:
    """Report what was there and is gone; None if nothing is."""
    gone: list[tuple[Detail, list[str], Value, Value]] = []
    for detail in details:
        if detail.how != "shape":
            continue
        was, now = pair.values(detail)
        still = detail.shape(now.value, str)
        lost = [part for part in detail.shape(was.value, str) if part not in still]
        if lost and (not detail.depends or _about_the_same(traces, pair)):
            gone.append((detail, lost, was, now))
    if not gone:
        return None
    first, _, was, now = gone[0]
    names = [name for detail, lost, *_ in gone for name in _names(detail, lost)]
    words = lost_words.title if first is _TITLE else pointers.shown
    return traces.divergence(
        "content-lost",
        pair.session_id,
        f"{pair.method} no longer has {lost_words.listed(names)}",
        *pair.frames,
        was=words(was.value),
        now=words(now.value),
        pointer=json_pointer.written(first.path),
    )


def _names(detail: Detail, lost: Iterable[str]) -> list[str]:
    """Return what is gone of a detail: `text in its content`, or the detail itself."""
    inner = [part for part in dict.fromkeys(lost) if part not in ("", detail.name)]
    return [f"{lost_words.listed(inner)} in its {detail.name}"] if inner else [detail.name]


def _differ(traces: TracePair, pair: _Pair, details: Iterable[Detail]) -> Divergences:
    """Report the first detail with another value: later ones in a request mostly follow from it."""
    for detail in details if shown.are_values_compared(traces) else ():
        if detail.how != "semantic" and (other := _difference(traces, pair, detail, "content-differs")):
            yield other
            return


def _difference(traces: TracePair, pair: _Pair, detail: Detail, code: str) -> Divergence | None:
    what = f"{pair.method} {detail.name}"
    keyed, values = detail.take is _variables, pair.values(detail)
    return shown.difference(
        traces, pair.session_id, what, *values, code=code, keyed=keyed, figures=detail.figures
    )


def _about_the_same(traces: TracePair, pair: _Pair) -> bool:
    """Whether two permissions show the same raw input, or the same title."""
    for detail in (_INPUT, _TITLE):
        was, now = pair.values(detail)
        seen = traces.expected_uncounted.shown(was.value), traces.actual_uncounted.shown(now.value)
        if NOTHING not in seen and pointers.same(*seen):
            return True
    return False
