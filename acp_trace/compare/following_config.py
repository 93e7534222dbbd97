"""The choice, option or metadata that a divergence is about, as keys by which others follow from it. Pure.

As in `following_keys`: no keys if a divergence is not certainly about such a thing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from acp_trace.compare.result import Divergence
from acp_trace.compare.sides import Sides
from acp_trace.compare.work import config_steps
from acp_trace.story.model import Request

_SET_OPTION, _SET_MODE = "session/set_config_option", "session/set_mode"
_MODE = "mode"  #: the common id of the option that is also the legacy mode
_SET_TO = ("/params/value", "/params/modeId")
_METADATA = ("title-never-set", "metadata-never-set", "metadata-set", "metadata-cleared")

_Keys = Iterator[Hashable]


def choices(divergence: Divergence, _: Sides) -> _Keys:
    """Return the choices that are no longer offered, one key each."""
    names = (divergence.expected or "").split(", ")
    yield from ((divergence.session_id, divergence.about, name) for name in names)


def chosen(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the expected value of an option or the mode, as one of its choices."""
    session_id, option = divergence.session_id, divergence.about
    if divergence.expected_event is None:
        return
    request = sides.expected_request(divergence)
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
    """Return all that is no longer listed as a mode, or as a model."""
    if divergence.about in ("mode", "model"):
        yield divergence.session_id, frozenset((divergence.expected or "").split(", "))


def listed_as_choices(divergence: Divergence, _: Sides) -> _Keys:
    """Return all that is no longer listed as a choice of one option."""
    names = [name.partition(" ") for name in (divergence.expected or "").split(", ")]
    if divergence.about == "choice" and len({option for option, _, _ in names}) == 1:
        yield divergence.session_id, frozenset(value for _, _, value in names)


def requested(divergence: Divergence, sides: Sides) -> _Keys:
    """Return the option that a request sets, with both values."""
    request = sides.expected_request(divergence)
    option = None if request is None else _set(request)[0]
    if option is None or divergence.pointer not in _SET_TO or _is_other_option(divergence, sides):
        return
    for name in {_MODE, config_steps.MODE} if option in (_MODE, config_steps.MODE) else {option}:
        yield divergence.session_id, name, divergence.expected, divergence.got


def value(divergence: Divergence, _: Sides) -> _Keys:
    """Return the option, with both values."""
    yield divergence.session_id, divergence.about, divergence.expected, divergence.got


def value_of_modes(divergence: Divergence, _: Sides) -> _Keys:
    """Return both values of the legacy mode."""
    if divergence.about == config_steps.MODE:
        yield divergence.session_id, divergence.expected, divergence.got


def value_of_options(divergence: Divergence, _: Sides) -> _Keys:
    """Return both values of an option."""
    if divergence.about != config_steps.MODE:
        yield divergence.session_id, divergence.expected, divergence.got


def _is_other_option(divergence: Divergence, sides: Sides) -> bool:
    """Whether the two requests set different options."""
    requests = (places.requests.get(frame) for _, places, frame in sides.frames(divergence))
    return len({_set(request)[0] for request in requests if request is not None}) > 1


def _set(request: Request) -> tuple[str | None, object]:
    """Return the option that a request sets, and the value."""
    if request.method == _SET_MODE:
        return config_steps.MODE, request.params.get("modeId")
    if request.method == _SET_OPTION:
        return str(request.params.get("configId")), request.params.get("value")
    return None, None


def no_metadata(divergence: Divergence, sides: Sides) -> _Keys:
    """Return a session that had metadata and no longer gets any."""
    session_id = divergence.session_id
    changed = list(sides.with_codes(session_id, _METADATA))
    sent = {
        "/".join(change.path.split("/")[:3])
        for change in sides.expected.story.facts.metadata_changes
        if change.session_id == session_id
    }
    if all(each.code.endswith("never-set") for each in changed) and sent <= {each.about for each in changed}:
        yield session_id
