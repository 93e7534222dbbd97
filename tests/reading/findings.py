"""The findings whose definition is mechanical: code and frame of each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from tests.reading import cancels, config, metadata, sessions
from tests.reading.story import Story
from tests.reading.wire import MISSING, Frame, text

Pair = tuple[str, int]
_RFC3339 = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)",
    re.ASCII,
)
_ENDS_SESSIONS = {"session/close", "session/delete", "session/archive"}
_TYPES = {"title": str, "updatedAt": str, "_meta": dict}


def findings(story: Story) -> set[Pair]:
    """All of them."""
    return {pair for rule in _RULES for pair in rule(story)}


def _lines(story: Story) -> Iterator[Pair]:
    for frame in story.frames:
        if frame.kind == "noise":
            yield "not-json", frame.number
        if frame.kind == "batch":
            yield "batch", frame.number
    blank = [one.number for one in story.frames if one.kind == "blank"]
    yield from (("blank-line", number) for number in blank[:1])


def _responses(story: Story) -> Iterator[Pair]:
    for frame in story.frames:
        if frame.kind != "response" or story.answered_by(frame) or _answers_noise(story, frame):
            continue
        asked = [
            one
            for one in story.exchanges
            if one.sender != frame.sender and one.request.id == frame.id and one.request.number < frame.number
        ]
        if asked:
            yield "second-answer", frame.number
        else:
            yield "response-to-nothing", frame.number


def _answers_noise(story: Story, frame: Frame) -> bool:
    """An error without an id is how one answers a line that cannot be read."""
    unread = any(
        one.sender != frame.sender and (one.kind in {"noise", "blank", "odd", "batch"} or _faulty(one))
        for one in story.frames
        if one.number <= frame.number
    )
    return unread and frame.id is None and frame.error_code in {-32700, -32600}


def _faulty(frame: Frame) -> bool:
    """A request or a notification that can be read, and is no proper JSON-RPC 2.0 all the same."""
    version = frame.message.get("jsonrpc")
    return bool(frame.method) and (version != "2.0" or isinstance(frame.id, (bool, list, dict)))


def _requests(story: Story) -> Iterator[Pair]:
    for one in story.exchanges:
        if one.response is None:
            yield "never-answered", one.request.number
        if any(
            other.sender == one.sender
            and other.request.id == one.request.id
            and other.open_at(one.request.number)
            for other in story.exchanges
        ):
            yield "id-reused", one.request.number


def _cancels(story: Story) -> Iterator[Pair]:
    for one in cancels.all_cancels(story):
        ended = cancels.outcome(story, one)
        settled = cancels.settled(story, one)
        if one.kind == "session/cancel" and ended == "completed" and settled:
            yield "cancel-other-stop-reason", settled.number
        if ended == "unanswered":
            yield "cancel-unanswered", one.frame.number
        if one.kind == "session/cancel" and one.target:
            yield from _permissions(story, one.frame, version=story.version(one.frame.number))
        if one.kind == "internal" and not (_session_ended(story, one) or _leaked(story, one)):
            yield "internal-cancel", one.frame.number


def _permissions(story: Story, cancel: Frame, version: int | None) -> Iterator[Pair]:
    for one in sessions.permissions(story, cancel.session or ""):
        if version == 2 and one.response is None:
            continue  # the agent may take it back
        if one.open_at(cancel.number) and cancels.ended(story, one) != "cancelled":
            yield "permission-not-cancelled", (one.response or one.request).number


def _session_ended(story: Story, cancel: cancels.Cancel) -> bool:
    """Whether the session was closed, deleted or archived under the target, which cancels what is open."""
    target = cancel.target
    return target is not None and any(
        one.method in _ENDS_SESSIONS
        and one.sender == "client"
        and one.request.session == target.session
        and target.request.number < one.request.number < cancel.frame.number
        for one in story.exchanges
    )


def _leaked(story: Story, cancel: cancels.Cancel) -> bool:
    """Whether a session/cancel came between the turn before and this one: that has a code of its own."""
    turn = story.turn_of(cancel.target) if cancel.target else None
    if turn is None:
        return False
    turns = story.turns[turn.session]
    before = turns[turn.index - 1].prompt.request.number if turn.index else 0
    return any(
        one.kind == "session/cancel"
        and one.target is None
        and one.frame.session == turn.session
        and before < one.frame.number < turn.prompt.request.number
        for one in cancels.all_cancels(story)
    )


def _sets(story: Story) -> Iterator[Pair]:
    asked = [one for one in story.exchanges if one.method == "session/set_config_option"]
    for name in story.sessions:
        steps = config.steps(story, name)
        for step in steps:
            if (
                step.set
                and step.honoured is False
                and not step.frame.failed
                and _had(story, steps, step.frame)
            ):
                yield "set-not-honoured", step.frame.number
        for one in asked:
            if one.request.session != name or one.sender != "client":
                continue
            before = config.known([step for step in steps if step.frame.number < one.request.number])
            if before is not None and (code := _misfit(before, one.request)):
                yield code, one.request.number


def _had(story: Story, steps: list[config.Step], answer: Frame) -> bool:
    """Whether the option that a set request names may have been there when it was answered."""
    asked = story.answered_by(answer)
    id = None if asked is None else asked.request.params.get("configId")
    before = config.known([step for step in steps if step.frame.number < answer.number])
    is_contested = any(
        one is not asked
        and one.method == "session/set_config_option"
        and asked is not None
        and (one.sender, one.request.session) == ("client", asked.request.session)
        and one.request.params.get("configId") == id
        and one.open_at(answer.number)
        for one in story.exchanges
    )
    return (
        isinstance(id, str) and not is_contested and (before is None or config.find(before, id) is not None)
    )


def _misfit(state: config.State, request: Frame) -> str | None:
    id, value = request.params.get("configId"), request.params.get("value", MISSING)
    option = config.find(state, id)
    if option is None:
        return "config-unknown-option" if isinstance(id, str) else None
    values = [one.value for one in option.choices]
    wrong = (values and value not in values) or (
        option.raw.get("type") == "boolean" and not isinstance(value, bool)
    )
    return "config-unknown-value" if wrong else None


def _listed_times(story: Story) -> Iterator[Pair]:
    """Of sessions that session/list tells: the first answer alone."""
    for one in story.exchanges:
        if one.method != "session/list" or one.sender != "client" or one.response is None:
            continue
        rows = one.response.result.get("sessions")
        times = (
            [row.get("updatedAt") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        )
        if any(isinstance(time, str) and not _is_time(time) for time in times):
            yield "updated-at-invalid", one.response.number
            return


def _information(story: Story) -> Iterator[Pair]:
    for name in story.sessions:
        invalid = []
        deep: metadata.State = {}
        flat: metadata.State = {}
        for frame in metadata.info_updates(story, name):
            if any(
                frame.update.get(key) is not None and not isinstance(frame.update[key], kind)
                for key, kind in _TYPES.items()
            ):
                yield "info-wrong-type", frame.number
            if len(text(frame.update.get("title")) or "") > 500:
                yield "title-too-long", frame.number
            said = text(frame.update.get("updatedAt"))
            if said is not None and not _is_time(said):
                invalid.append(frame.number)
            agreed = _meta(deep) == _meta(flat)
            deep, flat = (metadata.fold(one, frame, rule) for one, rule in ((deep, "rfd"), (flat, "shallow")))
            if agreed and _meta(deep) != _meta(flat):
                yield "meta-merge-differs", frame.number
        yield from (("updated-at-invalid", number) for number in invalid[:1])


def _meta(state: metadata.State) -> object:
    return state.get("_meta", {})


def _is_time(said: str) -> bool:
    parts = _RFC3339.fullmatch(said)
    if not parts:
        return False
    try:
        date.fromisoformat(parts[1])
    except ValueError:
        return False
    return True


def _after_settle(story: Story) -> Iterator[Pair]:
    for name in story.sessions:
        gaps = set()
        for frame in story.updates(name):
            begun = [one for one in story.turns[name] if one.prompt.request.number < frame.number]
            if (
                frame.update_kind in cancels.TURN_UPDATES
                and begun
                and not any(one.covers(frame.number) for one in begun)
                and not _being_opened(story, name, frame.number)
                and not _has_ended(story, name, frame.number)
                and story.version(frame.number) != 2
                and len(begun) not in gaps
                and not _was_loaded(
                    story, name, max(one.settled.number for one in begun if one.settled), frame.number
                )
            ):
                gaps.add(len(begun))
                yield "update-after-settle", frame.number


def _has_ended(story: Story, name: str, number: int) -> bool:
    """Whether a request that ends the session was the last to change that: there is another code for it."""
    changes = [
        (one.response.number, one.method in _ENDS_SESSIONS)
        for one in story.exchanges
        if one.sender == "client" and one.response is not None and not one.response.failed
        if one.opens == name or (one.method in _ENDS_SESSIONS and one.request.session == name)
    ]
    return max(((at, ends) for at, ends in changes if at < number), default=(0, False))[1]


def _was_loaded(story: Story, name: str, since: int, number: int) -> bool:
    """Whether the session was loaded since its last turn settled: what comes then is late for its history."""
    return any(
        one.method == "session/load"
        and one.request.session == name
        and one.response is not None
        and not one.response.failed
        and since < one.response.number < number
        for one in story.exchanges
    )


def _being_opened(story: Story, name: str, number: int) -> bool:
    """Whether a load or a resume was open: what a resume replays has a code of its own."""
    return any(
        one.method in {"session/load", "session/resume"}
        and one.request.session == name
        and one.open_at(number)
        for one in story.exchanges
    )


_RULES: tuple[Callable[[Story], Iterator[Pair]], ...] = (
    _lines,
    _responses,
    _requests,
    _cancels,
    _sets,
    _listed_times,
    _information,
    _after_settle,
)
#: The codes that this reading looks for.
CODES = frozenset(
    {
        "not-json",
        "blank-line",
        "batch",
        "response-to-nothing",
        "second-answer",
        "never-answered",
        "id-reused",
        "cancel-other-stop-reason",
        "cancel-unanswered",
        "permission-not-cancelled",
        "internal-cancel",
        "config-unknown-option",
        "config-unknown-value",
        "set-not-honoured",
        "info-wrong-type",
        "title-too-long",
        "updated-at-invalid",
        "meta-merge-differs",
        "update-after-settle",
    }
)
