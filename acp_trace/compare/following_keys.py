"""What a divergence is about, as keys by which others follow from it: a terminal, a turn, a choice … Pure.

Each function gives the keys of one divergence; none if it is not about such a thing, or not surely so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

from acp_trace.compare.frame_index import FrameIndex
from acp_trace.compare.pairing import keys
from acp_trace.compare.result import Divergence
from acp_trace.compare.story.model import Request, Story
from acp_trace.compare.work import config_steps
from acp_trace.protocol import methods
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import objects

_CREATE, _TERMINAL = "terminal/create", "terminal/"
_SET_OPTION, _SET_MODE = "session/set_config_option", "session/set_mode"
_MODE = "mode"  #: what most agents call the option that is also their legacy mode
_SET_TO = ("/params/value", "/params/modeId")
_KIND = json_pointer.written(keys.KIND)
_ALWAYS = "_always"
_METADATA = ("title-never-set", "metadata-never-set", "metadata-set", "metadata-cleared")

_Keys = Iterator[Hashable]


class Sides:
    """Divergences, and what stands at the frames of both traces."""

    def __init__(self, divergences: Sequence[Divergence], expected: Story, actual: Story) -> None:
        self.divergences = divergences
        self.expected, self.actual = FrameIndex(expected), FrameIndex(actual)

    def frames(self, divergence: Divergence) -> Iterator[tuple[str, FrameIndex, int]]:
        """The frames that a divergence is about, each with its trace and the name of that."""
        if divergence.expected_event is not None:
            yield "expected", self.expected, divergence.expected_event.frame
        if divergence.got_event is not None:
            yield "actual", self.actual, divergence.got_event.frame

    def told(self, session_id: str | None, codes: Sequence[str]) -> Iterator[Divergence]:
        """What is told of a session by some codes."""
        return (
            divergence
            for divergence in self.divergences
            if divergence.session_id == session_id and divergence.code in codes
        )


# -- tool calls, and what they ask for


def call(divergence: Divergence, sides: Sides) -> _Keys:
    """The tool call, and the terminals that it shows."""
    for side, places, frame in sides.frames(divergence):
        if (of := places.calls.get(frame)) is not None:
            yield side, "call", divergence.session_id, of.id, of.frame
            yield from ((side, divergence.session_id, terminal) for terminal in places.terminals(of))


def asked_by_call(divergence: Divergence, sides: Sides) -> _Keys:
    """The tool call that a permission is for; the terminal that a request makes or is about."""
    for side, places, frame in sides.frames(divergence):
        request = places.requests.get(frame)
        if request is not None and request.call is not None:
            yield side, "call", divergence.session_id, request.call.id, request.call.frame
    yield from terminal_made(divergence, sides)
    yield from _terminal_named(divergence, sides)


def terminal_made(divergence: Divergence, sides: Sides) -> _Keys:
    """The terminal that a request makes."""
    for side, places, frame in sides.frames(divergence):
        request = places.requests.get(frame)
        if request is not None and request.method == _CREATE and isinstance(request.result, dict):
            yield side, divergence.session_id, request.result.get("terminalId")


def terminal_used(divergence: Divergence, sides: Sides) -> _Keys:
    """The terminal that a request is about, or that a tool call showed in the expected trace."""
    if divergence.code == "tool-call-status" or divergence.about == "content":
        for side, places, frame in sides.frames(divergence):
            if side == "expected" and (of := places.calls.get(frame)) is not None:
                yield from ((side, divergence.session_id, terminal) for terminal in places.terminals(of))
    else:
        yield from _terminal_named(divergence, sides)


def _terminal_named(divergence: Divergence, sides: Sides) -> _Keys:
    for side, places, frame in sides.frames(divergence):
        request = places.requests.get(frame)
        if request is not None and request.method.startswith(_TERMINAL) and request.method != _CREATE:
            yield side, divergence.session_id, request.params.get("terminalId")


def too_late(divergence: Divergence, sides: Sides) -> _Keys:
    """The requests of a tool call up to its permission, which came when it was over."""
    of = None if divergence.got_event is None else sides.actual.calls.get(divergence.got_event.frame)
    if of is None or not of.permissions:
        return
    session = of.permissions[0].session_id
    for frame, request in sides.actual.requests.items():
        if request.session_id == session and of.frame < frame <= of.permissions[-1].frame:
            yield frame


def actual_request(divergence: Divergence, _: Sides) -> _Keys:
    """The frame of the actual trace."""
    if divergence.got_event is not None:
        yield divergence.got_event.frame


def permission_of_other_kind(divergence: Divergence, sides: Sides) -> _Keys:
    """The permissions of a tool call that has another kind."""
    frame = divergence.got_event.frame if divergence.got_event is not None else 0
    if divergence.pointer == _KIND:
        yield frame
    elif divergence.code == "tool-call-kind" and (of := sides.actual.calls.get(frame)) is not None:
        yield from (permission.frame for permission in of.permissions)


def always_options(divergence: Divergence, sides: Sides) -> _Keys:
    """A permission whose options for this one time are the same: a way to say no that is gone is a defect."""
    kinds = [Counter(_kinds(places.requests.get(frame))) for _, places, frame in sides.frames(divergence)]
    if len(kinds) == 2 and kinds[0] == kinds[1]:
        yield from actual_request(divergence, sides)


def _kinds(request: Request | None) -> list[str]:
    """The kinds of its options, but those that hold for ever, which are made for one kind of tool."""
    options = objects(request.params.get("options")) if request is not None else ()
    return [kind for option in options if not (kind := str(option.get("kind"))).endswith(_ALWAYS)]


# -- sessions and turns


def opened(divergence: Divergence, sides: Sides) -> _Keys:
    """The session that a request made."""
    request = _expected_request(divergence, sides)
    if request is not None and methods.OPENERS.get(request.method) == "result":
        yield sides.expected.opened(request.frame)


def loaded(divergence: Divergence, sides: Sides) -> _Keys:
    """The session that a request names."""
    request = _expected_request(divergence, sides)
    if request is not None and isinstance(request.params.get("sessionId"), str):
        yield request.params["sessionId"]


def turn(divergence: Divergence, sides: Sides) -> _Keys:
    """The turn of the expected trace that it is in."""
    if divergence.expected_event is not None:
        of = sides.expected.turn(divergence.session_id, divergence.expected_event.frame)
        if of is not None:
            yield of.session_id, of.turn


def ended_turn(divergence: Divergence, sides: Sides) -> _Keys:
    """The turn of the expected trace that it ends."""
    request = _expected_request(divergence, sides)
    if request is not None and request.method == methods.PROMPT:
        yield from turn(divergence, sides)


def silent_turn(divergence: Divergence, sides: Sides) -> _Keys:
    """A turn of the expected trace of which no message is left."""
    session_id, event = divergence.session_id, divergence.expected_event
    of = None if event is None else sides.expected.turn(session_id, event.frame)
    if of is None:
        return
    missing = {
        each.expected_event.frame
        for each in sides.told(session_id, ("message-missing",))
        if each.expected_event is not None
    }
    if sides.expected.messages.get((of.session_id, of.turn), {0}) <= missing:
        yield of.session_id, of.turn


def _expected_request(divergence: Divergence, sides: Sides) -> Request | None:
    event = divergence.expected_event
    return None if event is None else sides.expected.requests.get(event.frame)


# -- configuration and metadata


def choices(divergence: Divergence, _: Sides) -> _Keys:
    """What is no longer offered, one by one."""
    names = (divergence.expected or "").split(", ")
    yield from ((divergence.session_id, divergence.about, name) for name in names)


def chosen(divergence: Divergence, sides: Sides) -> _Keys:
    """What an option or the mode is set to in the expected trace, as one of its choices."""
    session_id, option = divergence.session_id, divergence.about
    if divergence.expected_event is None:
        return
    request = _expected_request(divergence, sides)
    if divergence.code == "request-params":
        if request is None or divergence.pointer not in _SET_TO or _is_other_option(divergence, sides):
            return
        option, value = _set(request)
    elif option == config_steps.MODE and request is not None and request.method == _SET_MODE:
        value = request.params.get("modeId")
    else:
        of = None if option == config_steps.MODE else option
        value = sides.expected.value(divergence.expected_event.frame, of)
    if not isinstance(value, str):
        return
    if option == config_steps.MODE:
        yield session_id, "mode", value
    else:
        yield session_id, "choice", f"{option} {value}"
    if option in (_MODE, config_steps.MODE):
        yield session_id, "choice", f"{_MODE} {value}"
        yield session_id, "mode", value


def listed_as_modes(divergence: Divergence, _: Sides) -> _Keys:
    """All that is no longer listed as a mode, or as a model."""
    if divergence.about in ("mode", "model"):
        yield divergence.session_id, frozenset((divergence.expected or "").split(", "))


def listed_as_choices(divergence: Divergence, _: Sides) -> _Keys:
    """All that is no longer listed as a choice of one option."""
    names = [name.partition(" ") for name in (divergence.expected or "").split(", ")]
    if divergence.about == "choice" and len({option for option, _, _ in names}) == 1:
        yield divergence.session_id, frozenset(value for _, _, value in names)


def requested(divergence: Divergence, sides: Sides) -> _Keys:
    """The option that a request sets, with both values."""
    request = _expected_request(divergence, sides)
    option = None if request is None else _set(request)[0]
    if option is None or divergence.pointer not in _SET_TO or _is_other_option(divergence, sides):
        return
    for name in {_MODE, config_steps.MODE} if option in (_MODE, config_steps.MODE) else {option}:
        yield divergence.session_id, name, divergence.expected, divergence.got


def value(divergence: Divergence, _: Sides) -> _Keys:
    """The option, with both values."""
    yield divergence.session_id, divergence.about, divergence.expected, divergence.got


def value_of_modes(divergence: Divergence, _: Sides) -> _Keys:
    """Both values of the legacy mode."""
    if divergence.about == config_steps.MODE:
        yield divergence.session_id, divergence.expected, divergence.got


def value_of_options(divergence: Divergence, _: Sides) -> _Keys:
    """Both values of an option."""
    if divergence.about != config_steps.MODE:
        yield divergence.session_id, divergence.expected, divergence.got


def _is_other_option(divergence: Divergence, sides: Sides) -> bool:
    """Whether the two requests set different options."""
    requests = (places.requests.get(frame) for _, places, frame in sides.frames(divergence))
    return len({_set(request)[0] for request in requests if request is not None}) > 1


def _set(request: Request) -> tuple[str | None, object]:
    """The option that a request sets, and to what."""
    if request.method == _SET_MODE:
        return config_steps.MODE, request.params.get("modeId")
    if request.method == _SET_OPTION:
        return str(request.params.get("configId")), request.params.get("value")
    return None, None


def no_metadata(divergence: Divergence, sides: Sides) -> _Keys:
    """A session of which nothing is told any more that was told."""
    session_id = divergence.session_id
    told = list(sides.told(session_id, _METADATA))
    sent = {
        "/".join(change.path.split("/")[:3])
        for change in sides.expected.story.facts.metadata_changes
        if change.session_id == session_id
    }
    if all(each.code.endswith("never-set") for each in told) and sent <= {each.about for each in told}:
        yield session_id
