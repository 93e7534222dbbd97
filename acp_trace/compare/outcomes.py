"""How matched requests ended: result or error, stop reasons, cancels, answers to permissions.

One cause is said once: a turn whose cancel ended otherwise is no matter of its stop reason as well.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from acp_trace.analyze import facts
from acp_trace.compare import keys, pointers
from acp_trace.compare.bindings import bind_options
from acp_trace.compare.collector import Collector, Value
from acp_trace.compare.pointers import NOTHING, Path
from acp_trace.compare.sessions import Both, Matched, there
from acp_trace.compare.story import Request, Story
from acp_trace.protocol import methods

_TERMINALS = ("terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release")


def judge(found: Collector, matched: Matched) -> None:
    """Compares what was asked and how it ended, request by request."""
    settled = _cancels(found, matched)
    for both, (one, other) in matched.requests:
        found.pair(one.frame, other.frame)
        if one.response_frame is not None and other.response_frame is not None:
            found.pair(one.response_frame, other.response_frame)
        _asked(found, both, one, other)
        if one.frame not in settled:
            _ended(found, one, other)


def _params(request: Request) -> list[tuple[Path, Any]]:
    return keys.params(request.method, request.params, request.tool_kind)


def _asked(found: Collector, both: Both | None, one: Request, other: Request) -> None:
    session_id = one.session_id
    for (path, was), (its_path, now) in zip(_params(one), _params(other), strict=True):
        value, its = Value(one.frame, path, was), Value(other.frame, its_path, now)
        found.same("request-params", session_id, f"{one.method} {path[-1]}", value, its)
    if one.method in _TERMINALS:
        ids = [request.params.get("terminalId") for request in (one, other)]
        if all(isinstance(id_, str) for id_ in ids) and not found.bindings.pair("terminal", *ids):
            told = f"{one.method} is about another terminal"
            at = "/params/terminalId"
            found.say("request-params", session_id, told, one.frame, other.frame, pointer=at)
    where = there(found, both, one.where)
    if where is None or other.where is None:
        return
    was, now = ((place.number if place.part == "turn" else None) for place in (where, other.where))
    if was != now:
        told = f"{one.method} comes {other.where}, and came {one.where}"
        found.say("request-moved", session_id, told, one.frame, other.frame,
                  was=str(one.where), now=str(other.where))  # fmt: skip


def _ended(found: Collector, one: Request, other: Request) -> None:
    turn, its = found.expected.turns.get(one.frame), found.actual.turns.get(other.frame)
    if turn is not None and its is not None and one.outcome == other.outcome == "result":
        _stopped(found, one, other, turn, its)
        return
    code = {
        ("result", "error"): "error-instead-of-result",
        ("error", "result"): "result-instead-of-error",
        ("result", "open"): "response-missing",
        ("error", "open"): "response-missing",
        ("open", "result"): "response-extra",
        ("open", "error"): "response-extra",
    }.get((one.outcome, other.outcome))
    if code is not None:
        cut = not (
            found.actual.whole if other.outcome == "open" else found.expected.whole or one.outcome != "open"
        )
        was, now = _words(found.expected, one), _words(found.actual, other)
        found.unmatched("open" in (one.outcome, other.outcome))
        if not cut:
            told = f"{one.method}: {was} → {now}"
            frames = one.response_frame or one.frame, other.response_frame or other.frame
            found.say(code, one.session_id, told, *frames, was=was, now=now)
    elif one.outcome == "error":
        path = ("error", "code")
        found.same("error-code", one.session_id, f"{one.method} error", _at(one, path), _at(other, path))
    elif one.outcome == "result":
        _results(found, one, other)


def _results(found: Collector, one: Request, other: Request) -> None:
    if one.method == methods.PERMISSION:
        _permission(found, one, other)
    elif one.method == "terminal/create":
        ids = [pointers.at(side.result, ("terminalId",)) for side in (one, other)]
        if all(isinstance(id_, str) for id_ in ids):
            found.bindings.pair("terminal", *ids)
    was, now = dict(keys.results(one)), dict(keys.results(other))
    for path in dict.fromkeys([*was, *now]):
        found.same(
            "result-differs",
            one.session_id,
            f"{one.method} {path[-1]}",
            Value(one.response_frame, path, was.get(path, NOTHING)),
            Value(other.response_frame, path, now.get(path, NOTHING)),
        )


def _permission(found: Collector, one: Request, other: Request) -> None:
    path = ("result", "outcome", "outcome")
    if not found.same("permission-answer", one.session_id, "permission", _at(one, path), _at(other, path)):
        return
    path = ("result", "outcome", "optionId")
    chosen, got = (pointers.at(side.result, path[1:]) for side in (one, other))
    if isinstance(chosen, str) and isinstance(got, str):
        options = bind_options(one.params.get("options"), other.params.get("options"))
        if options.get(chosen, chosen) != got:
            values = Value(one.response_frame, path, chosen), Value(other.response_frame, path, got)
            found.same("permission-answer", one.session_id, "permission", *values)


def _at(request: Request, path: Path) -> Value:
    """A value of a response."""
    return Value(request.response_frame, path, pointers.at(request.result, path[1:]))


def _stopped(found: Collector, one: Request, other: Request, turn: facts.Turn, its: facts.Turn) -> None:
    """Compares how two turns ended whose prompts succeeded; in draft 2 that is another frame."""
    if turn.settled_frame is None or its.settled_frame is None:
        missing = turn.settled_frame is not None
        whole = found.actual.whole if missing else found.expected.whole
        if (turn.settled_frame is None) != (its.settled_frame is None) and whole:
            code = "response-missing" if missing else "response-extra"
            was, now = _words(found.expected, one), _words(found.actual, other)
            frames = turn.settled_frame or turn.frame, its.settled_frame or its.frame
            found.say(code, one.session_id, f"turn {turn.turn}: {was} → {now}", *frames, was=was, now=now)
        return
    found.pair(turn.settled_frame, its.settled_frame, 0)  # counted as what carries it
    values = []
    for story, frame in ((found.expected, turn.settled_frame), (found.actual, its.settled_frame)):
        message = story.message(frame)
        update = pointers.at(message, ("method",)) is not NOTHING
        path = ("params", "update", "stopReason") if update else ("result", "stopReason")
        values.append(Value(frame, path, pointers.at(message, path)))
    found.same("stop-reason", one.session_id, f"turn {turn.turn} ends", *values)


def _cancels(found: Collector, matched: Matched) -> set[int]:
    """Compares how cancels ended; the requests whose end that says, by their frames in the first trace."""
    ours, theirs = (_aimed(story.facts) for story in (found.expected, found.actual))
    stray: dict[str | None, list[facts.Cancellation]] = defaultdict(list)
    for its in found.actual.facts.cancellations:
        if its.kind != "internal" and its.target_frame is None:
            stray[its.session_id].append(its)
    judged: set[int] = set()
    for both, (one, other) in matched.requests:
        cancel = ours.get(one.frame)
        if cancel is None:
            continue
        left = stray.get(other.session_id if both else None)
        nowhere = left.pop(0) if left and other.frame not in theirs else None
        ended = theirs.get(other.frame, nowhere)
        if ended is None or ended.outcome == cancel.outcome or _unknown(found, cancel, ended):
            continue
        if _masked(found, one, other):
            continue
        judged.add(one.frame)
        frames = cancel.settled_frame or cancel.frame, ended.settled_frame or ended.frame
        told = f"{cancel.kind} of {one.method}: {cancel.outcome} → {ended.outcome}"
        was = _both(cancel.outcome, _words(found.expected, one))
        now = _both(ended.outcome, _words(found.actual, other))
        found.say("cancel-outcome", one.session_id, told, *frames, was=was, now=now)
    return judged


def _aimed(found: facts.Facts) -> dict[int, facts.Cancellation]:
    """The first cancel that was aimed at a request, by the frame of that."""
    aimed: dict[int, facts.Cancellation] = {}
    for one in found.cancellations:
        if one.kind != "internal" and one.target_frame is not None:
            aimed.setdefault(one.target_frame, one)
    return aimed


def _unknown(found: Collector, cancel: facts.Cancellation, its: facts.Cancellation) -> bool:
    """Whether a trace ended before its request was answered."""
    cut_a = cancel.outcome == "unanswered" and not found.expected.whole
    return cut_a or (its.outcome == "unanswered" and not found.actual.whole)


def _masked(found: Collector, one: Request, other: Request) -> bool:
    """Whether a mask hides the stop reason, which is what would differ."""
    path = ("result", "stopReason")
    was, now = (pointers.at(side.result, path[1:]) for side in (one, other))
    if not found.masks or NOTHING in (was, now):
        return False
    return found.expected_normalizer.text(was, path) == found.actual_normalizer.text(now, path)


def _both(outcome: str, words: str) -> str:
    """What became of a cancel, and how the request ended, where that does not say the same again."""
    return words if f"{words} ".startswith(f"{outcome} ") else f"{outcome}: {words}"


def _words(story: Story, request: Request) -> str:
    """How a request ended, for people."""
    turn = story.turns.get(request.frame)
    if request.outcome == "error":
        message = pointers.at(request.result, ("message",))
        return f"error {request.error_code}" + (f" {pointers.shown(message, 60)}" if message else "")
    if request.outcome == "open" or (turn is not None and turn.settled_frame is None):
        return "no answer" if request.outcome == "open" else "no end of the turn"
    return "a result" if turn is None else f"{turn.stop_reason}"
