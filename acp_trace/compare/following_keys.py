"""The subject of a divergence, as keys by which others follow: a tool call, a terminal, a turn … Pure.

Each function returns the keys of one divergence; none if it is not, or not certainly, about such a thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from acp_trace.compare.pairing import request_keys
from acp_trace.compare.requests import options
from acp_trace.compare.result import Divergence
from acp_trace.compare.sides import Sides
from acp_trace.normalize import pointers
from acp_trace.protocol import methods
from acp_trace.story.model import Request
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import objects

_CREATE, _TERMINAL = "terminal/create", "terminal/"
_KIND = json_pointer.written(request_keys.KIND)
_ALWAYS = "_always"
_NOISE = "noise"
#: The fields of findings about a wrong value.
_FIELDS = {"title-too-long": "/params/update/title"}

_Keys = Iterator[Hashable]


def everything(_: Divergence, __: Sides) -> _Keys:
    """Return one key for everything."""
    yield "everything"


# -- tool calls, and their requests


def crossed(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the frames of a tool call that is sent to another session, and its id in the actual trace."""
    for side, places, frame in sides.frames(divergence):
        yield side, frame
        if side == "actual" and (of := places.calls.get(frame)) is not None:
            yield side, of.id


def in_crossed(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the first frame of a tool call, or a permission's call id that its session lacks."""
    for side, places, frame in sides.frames(divergence):
        request, of = places.requests.get(frame), places.calls.get(frame)
        if of is not None and divergence.code != "request-params":
            yield side, of.frame
        elif side == "actual" and request is not None and request.call is None:
            yield side, pointers.at(request.params, ("toolCall", "toolCallId"))


def call(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the tool call, and the terminals that it shows."""
    for side, places, frame in sides.frames(divergence):
        if (of := places.calls.get(frame)) is not None:
            yield side, "call", divergence.session_id, of.id, of.frame
            yield from ((side, divergence.session_id, terminal) for terminal in places.terminals(of))


def permitted_call(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the tool call that a permission is for."""
    for side, places, frame in sides.frames(divergence):
        request = places.requests.get(frame)
        if request is not None and request.call is not None:
            yield side, "call", divergence.session_id, request.call.id, request.call.frame


def asked_by_call(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the tool call that a permission is for; the terminal that a request makes or is about."""
    yield from permitted_call(divergence, sides)
    yield from terminal_made(divergence, sides)
    yield from _terminal_named(divergence, sides)


def terminal_made(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the terminal that a request makes."""
    for side, places, frame in sides.frames(divergence):
        request = places.requests.get(frame)
        if request is not None and request.method == _CREATE and isinstance(request.result, dict):
            yield side, divergence.session_id, request.result.get("terminalId")


def terminal_used(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the terminal that a request is about, or that a tool call showed in the expected trace."""
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
    """Return the requests of a tool call up to its permission, which came when the call was over."""
    of = None if divergence.got_event is None else sides.actual.calls.get(divergence.got_event.frame)
    if of is None or not of.permissions:
        return
    session = of.permissions[0].session_id
    for frame, request in sides.actual.requests.items():
        if request.session_id == session and of.frame < frame <= of.permissions[-1].frame:
            yield frame


def request(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the request of the expected trace that it is about, or that is answered."""
    of = sides.expected_request(divergence)
    if of is not None:
        yield of.frame


def actual_request(divergence: Divergence, _: Sides) -> _Keys:
    """Return the frame of the actual trace."""
    if divergence.got_event is not None:
        yield divergence.got_event.frame


def permission_of_other_kind(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the permissions of a tool call that has another kind."""
    frame = divergence.got_event.frame if divergence.got_event is not None else 0
    if divergence.pointer == _KIND:
        yield frame
    elif divergence.code == "tool-call-kind" and (of := sides.actual.calls.get(frame)) is not None:
        yield from (permission.frame for permission in of.permissions)


def swapped_ids(divergence: Divergence, _: Sides) -> _Keys:
    """Return the permission, if an id now belongs to another of its options."""
    if divergence.about == options.IDS and divergence.expected_event is not None:
        yield divergence.expected_event.frame


def behind_swapped_ids(divergence: Divergence, sides: Sides) -> _Keys:
    """Return such permissions earlier in the turn: after their answer, the agent is unpredictable."""
    for side, places, frame in sides.frames(divergence):
        session_id = places.story.at(frame).session_id
        of = places.turn(session_id, frame)
        for swap in sides.with_codes(divergence.session_id, ("permission-option-differs",)):
            before = dict(swap.frames)[side]
            if of is not None and swap.expected_event is not None and of.frame < before < frame:
                yield from swapped_ids(swap, sides)


def always_options(divergence: Divergence, sides: Sides) -> _Keys:
    """Return a permission whose one-time options are the same: a missing way to refuse would be a defect."""
    kinds = [Counter(_kinds(places.requests.get(frame))) for _, places, frame in sides.frames(divergence)]
    if len(kinds) == 2 and kinds[0] == kinds[1]:
        yield from actual_request(divergence, sides)


def _kinds(request: Request | None) -> list[str]:
    """Return the kinds of its options, without permanent ones, which are made for one kind of tool."""
    options = objects(request.params.get("options")) if request is not None else ()
    return [kind for option in options if not (kind := str(option.get("kind"))).endswith(_ALWAYS)]


def change_in_call(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the tool call that shows or writes another value; with both values.

    Added or removed content has no such values.
    """
    frame = divergence.expected_event.frame if divergence.expected_event is not None else 0
    of, request = sides.expected.calls.get(frame), sides.expected.requests.get(frame)
    if of is None and request is not None:
        of = request.call if request.method == methods.PERMISSION else sides.expected.call_around(request)
    if of is not None and not {None, "nothing"} & {divergence.expected, divergence.got}:
        yield divergence.session_id, of.frame, divergence.expected, divergence.got


# -- lines, and frames as a whole


def unanswered(_: Divergence, sides: Sides) -> _Keys:
    """Return a key if requests of the client have no answer in the actual trace."""
    if sides.actual.unanswered:
        yield "unanswered"


def behind_unanswered(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the same key for what the agent sent after such a request."""
    event = divergence.got_event
    if event is not None and event.sender == "agent":
        yield from ("unanswered" for frame in sides.actual.unanswered[:1] if frame < event.frame)


def last_lines(divergence: Divergence, sides: Sides) -> _Keys:
    """Return a key if an agent's last lines are not messages, and the divergence is about the first of them.

    Messages of the client meanwhile do not matter: it does not wait for noise.
    """
    story = sides.actual.story
    odd = {event.frame for event in story.odd}
    if not odd:
        return
    first = story.frames
    while first and (first in odd or story.at(first).sender == "client"):
        first -= 1
    is_within = divergence.code != _NOISE or (divergence.got_event and divergence.got_event.frame > first)
    if max(odd) > first and is_within:
        yield _NOISE


def field_of_finding(divergence: Divergence, _: Sides) -> _Keys:
    """Return the field of a frame that a finding is about."""
    if divergence.got_event is not None and divergence.about in _FIELDS:
        yield divergence.got_event.frame, _FIELDS[divergence.about]


def field(divergence: Divergence, _: Sides) -> _Keys:
    """Return the field of a frame that has another value."""
    if divergence.got_event is not None:
        yield divergence.got_event.frame, divergence.pointer


# -- sessions and turns


def opened(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the session that a request made."""
    request = sides.expected_request(divergence)
    if request is not None and methods.OPENERS.get(request.method) == "result":
        yield sides.expected.opened(request.frame)


def loaded(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the session that a request names."""
    request = sides.expected_request(divergence)
    if request is not None and isinstance(request.params.get("sessionId"), str):
        yield request.params["sessionId"]


def turn(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the turn of the expected trace that it is in."""
    if divergence.expected_event is not None:
        of = sides.expected.turn(divergence.session_id, divergence.expected_event.frame)
        if of is not None:
            yield of.session_id, of.turn


def ended_turn(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the turn of the expected trace that it ends."""
    request = sides.expected_request(divergence)
    if request is not None and request.method == methods.PROMPT:
        yield from turn(divergence, sides)


def silent_turn(divergence: Divergence, sides: Sides) -> _Keys:
    """Return a turn of the expected trace of which no message is left."""
    session_id, event = divergence.session_id, divergence.expected_event
    of = None if event is None else sides.expected.turn(session_id, event.frame)
    if of is None:
        return
    missing = {
        each.expected_event.frame
        for each in sides.with_codes(session_id, ("message-missing",))
        if each.expected_event is not None
    }
    if sides.expected.messages.get((of.session_id, of.turn), {0}) <= missing:
        yield of.session_id, of.turn
