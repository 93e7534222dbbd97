"""What matching requests ask for, and how they end: results, errors, stop reasons, answers."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from acp_trace.analyze import facts
from acp_trace.compare.codes import at_level
from acp_trace.compare.pairing import request_keys
from acp_trace.compare.pairing.pairs import Pairing, SessionPair
from acp_trace.compare.requests import options
from acp_trace.compare.result import Divergence, Divergences
from acp_trace.compare.trace_pair import Explains, TracePair, Value
from acp_trace.normalize import pointers
from acp_trace.normalize.bindings import bind_options
from acp_trace.normalize.pointers import NOTHING, Path
from acp_trace.protocol import methods, outcomes
from acp_trace.protocol.payloads import first_text
from acp_trace.story.model import Request, Story

_LONGEST = 100  #: characters of an error's text, for people


def compare(traces: TracePair, pairing: Pairing, settled: Container[int]) -> Iterator[Divergence | Explains]:
    """Compare what requests asked for and how they ended, request by request.

    `settled`: the requests, by expected frame, whose other end is reported already.
    """
    for sessions, (expected, actual) in pairing.requests:
        yield from _requested(traces, pairing, sessions, expected, actual)
        if expected.frame not in settled:
            yield from _ended(traces, expected, actual)


def _params(request: Request) -> list[tuple[Path, Any]]:
    """Return the compared parameters, except options of a permission, which are not one value."""
    params = request_keys.params(request.method, request.params, request.tool_kind)
    return [param for param in params if param[0] != options.PATH]


def _requested(
    traces: TracePair,
    pairing: Pairing,
    sessions: SessionPair | None,
    expected: Request,
    actual: Request,
) -> Iterator[Divergence | Explains]:
    session_id, method = expected.session_id, expected.method
    call = actual.call
    kinds = {request.call.kind for request in (expected, actual) if request.call is not None}
    for (path, was), (actual_path, now) in zip(_params(expected), _params(actual), strict=True):
        if path == request_keys.KIND and expected.call is not None and call is None and now is NOTHING:
            continue  # only the tool call gave the kind, and here no tool call belongs to the permission
        # An unknown agent's kind may be a list, which is not hashable.
        is_both = len(kinds) == 2 and all(kind in (was, now) for kind in kinds)
        if path == request_keys.KIND and call is not None and is_both:
            yield Explains(frozenset({actual.frame}), call.frame)
            continue  # the tool call has another kind too, which is reported there
        value, actual_value = Value(expected.frame, path, was), Value(actual.frame, actual_path, now)
        what = f"{method} {path[-1]}:"
        if other := traces.difference("request-params", session_id, what, value, actual_value):
            yield other
    if method == methods.PROMPT and not at_level("content-differs", traces.match):
        yield from _prompted(traces, expected, actual)
    if method in request_keys.TERMINALS:
        ids = [request.params.get("terminalId") for request in (expected, actual)]
        if all(isinstance(id_, str) for id_ in ids) and pairing.bindings.actual("terminal", ids[0]) != ids[1]:
            message, pointer = f"{method} is about another terminal", "/params/terminalId"
            frames = expected.frame, actual.frame
            yield traces.divergence("request-params", session_id, message, *frames, pointer=pointer)
    where = pairing.where(sessions, expected.where)
    if where is None or actual.where is None:
        return
    turns = [place.number if place.part == "turn" else None for place in (where, actual.where)]
    if turns[0] != turns[1]:
        was, now = (place.place for place in (expected.where or where, actual.where))
        message, frames = f"{method} comes {now} instead of {was}", (expected.frame, actual.frame)
        yield traces.divergence("request-moved", session_id, message, *frames, was=was, now=now)


def _prompted(traces: TracePair, expected: Request, actual: Request) -> Divergences:
    """Note that a prompt asks for something else, if its text is not compared."""
    path: Path = ("params", "prompt")
    was, now = (request.params.get("prompt", NOTHING) for request in (expected, actual))
    if NOTHING in (was, now):
        return
    if traces.expected_uncounted.shown(was, path) != traces.actual_uncounted.shown(now, path):
        before, after = pointers.shown_pair(first_text(was), first_text(now))
        message = f"another prompt (compared from `content` on): {before} → {after}"
        frames = expected.frame, actual.frame
        yield traces.divergence("prompt-differs", expected.session_id, message, *frames, was=before,
                                now=after, pointer="/params/prompt")  # fmt: skip


#: Codes by the expected end of a request, and its actual end.
_ENDS = {
    ("result", "error"): "error-instead-of-result",
    ("error", "result"): "result-instead-of-error",
    ("result", "open"): "response-missing",
    ("error", "open"): "response-missing",
    ("open", "result"): "response-extra",
    ("open", "error"): "response-extra",
}


NO_ANSWER, _NO_END = "no answer", "no end of the turn"
#: The words for an end, by the code.
_ENDING = {
    "error-instead-of-result": "ends with {}",
    "result-instead-of-error": "ends with {}",
    "response-missing": "gets {}",
    "response-extra": "gets {}",
}


def _ended(traces: TracePair, expected: Request, actual: Request) -> Divergences:
    turn = traces.expected.turns.get(expected.frame)
    actual_turn = traces.actual.turns.get(actual.frame)
    if turn is not None and actual_turn is not None and expected.outcome == actual.outcome == "result":
        yield from _stopped(traces, expected, actual, turn, actual_turn)
        return
    code = _ENDS.get((expected.outcome, actual.outcome))
    if code is not None:
        is_certain = traces.expected.whole or expected.outcome != "open"
        cut = not (traces.actual.whole if actual.outcome == "open" else is_certain)
        was, now = words(traces.expected, expected), words(traces.actual, actual)
        if not cut:
            short = f"error {actual.error_code}" if actual.outcome == "error" else now
            text = now.removeprefix(short)
            message = f"{expected.method} {_ENDING[code].format(short)} instead of {was}"
            message += f":{text}" if text else ""
            frames = expected.response_frame or expected.frame, actual.response_frame or actual.frame
            yield traces.divergence(code, expected.session_id, message, *frames, was=was, now=now)
    elif expected.outcome == "error":
        path, what = ("error", "code"), f"{expected.method}: error code"
        values = _at(expected, path), _at(actual, path)
        if other := traces.difference("error-code", expected.session_id, what, *values):
            yield other
    elif expected.outcome == "result":
        yield from _results(traces, expected, actual)


def _results(traces: TracePair, expected: Request, actual: Request) -> Divergences:
    if expected.method == methods.PERMISSION and (other := _permission(traces, expected, actual)):
        yield other
    was, now = dict(request_keys.results(expected)), dict(request_keys.results(actual))
    for path in dict.fromkeys([*was, *now]):
        what = f"{expected.method} {path[-1]}:"
        value = Value(expected.response_frame, path, was.get(path, NOTHING))
        actual_value = Value(actual.response_frame, path, now.get(path, NOTHING))
        if other := traces.difference("result-differs", expected.session_id, what, value, actual_value):
            yield other


def _permission(traces: TracePair, expected: Request, actual: Request) -> Divergence | None:
    code, session_id = "permission-answer", expected.session_id
    path = ("result", "outcome", "outcome")
    outcomes = _at(expected, path), _at(actual, path)
    if other := traces.difference(code, session_id, "answer to a permission:", *outcomes):
        return other
    path = ("result", "outcome", "optionId")
    values = _at(expected, path), _at(actual, path)
    was, now = (value.value for value in values)
    if isinstance(was, str) and isinstance(now, str):
        bound = bind_options(expected.params.get("options"), actual.params.get("options"), was)
        if bound.get(was, was) != now:
            return traces.difference(code, session_id, "answer to a permission: option", *values)
    return None


def _at(request: Request, path: Path) -> Value:
    """Return a value of a response."""
    return Value(request.response_frame, path, pointers.at(request.result, path[1:]))


def _stopped(
    traces: TracePair,
    expected: Request,
    actual: Request,
    turn: facts.Turn,
    actual_turn: facts.Turn,
) -> Divergences:
    """Compare how two turns ended whose prompts succeeded; in draft 2 that is another frame."""
    if turn.settled_frame is None or actual_turn.settled_frame is None:
        missing = turn.settled_frame is not None
        whole = traces.actual.whole if missing else traces.expected.whole
        if (turn.settled_frame is None) != (actual_turn.settled_frame is None) and whole:
            code = "response-missing" if missing else "response-extra"
            was, now = words(traces.expected, expected), words(traces.actual, actual)
            frames = turn.settled_frame or turn.frame, actual_turn.settled_frame or actual_turn.frame
            message = f"turn {turn.turn} {_how(now)}; in the expected trace, it {_how(was)}"
            yield traces.divergence(code, expected.session_id, message, *frames, was=was, now=now)
        return
    values = []
    settled = (traces.expected, turn.settled_frame), (traces.actual, actual_turn.settled_frame)
    for story, frame in settled:
        message_ = story.message(frame)
        is_update = pointers.at(message_, ("method",)) is not NOTHING
        path = ("params", "update", "stopReason") if is_update else ("result", "stopReason")
        values.append(Value(frame, path, pointers.at(message_, path)))
    what = f"turn {turn.turn}: stopReason"
    if other := traces.difference("stop-reason", expected.session_id, what, *values):
        yield other


def _how(ending: str) -> str:
    return "does not end" if ending == _NO_END else f"ends with {ending}"


def _error_text(error: Any) -> Any:
    """Return the message of an error, with its data: `Internal error` alone explains nothing."""
    message, data = (pointers.at(error, (name,)) for name in ("message", "data"))
    details = outcomes.details(data)
    if not isinstance(message, str) or details is None or details in message:
        return message
    return f"{message}: {details}"


def words(story: Story, request: Request) -> str:
    """Return how a request ended, for people."""
    turn = story.turns.get(request.frame)
    if request.outcome == "error":
        message = _error_text(request.result)
        return f"error {request.error_code}" + (f" {pointers.shown(message, _LONGEST)}" if message else "")
    if request.outcome == "open" or (turn is not None and turn.settled_frame is None):
        return NO_ANSWER if request.outcome == "open" else _NO_END
    return "a result" if turn is None else f"{turn.stop_reason}"
