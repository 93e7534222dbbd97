"""Rows of two traces whose lists differ, although the divergence for that is in another row. Pure.

Choices, options, modes and commands are compared once for each session, and reported where they were last
listed. So an answer that lists other choices has no divergence of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acp_trace.analyze.frame import Frame
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.normalize import pointers
from acp_trace.protocol import methods, updates
from acp_trace.protocol.message import MessageKind
from acp_trace.report.page.alignment import SideBySide
from acp_trace.trace import json_pointer
from acp_trace.trace.jsontext import as_object, value_or_none

_OPTIONS = ("configOptions",)
_MODES = ("modes", "currentModeId")
#: Where a divergence's thing is listed: by what it is about, or by its code, if that is an option.
_LISTED = {
    "choice": _OPTIONS,
    "mode": _MODES,
    "legacy mode": _MODES,
    "model": ("models",),
    "command": ("availableCommands",),
}
_CODES = frozenset({"choice-missing", "config-final", "config-timeline", "option-missing", "option-new"})
_SETTERS = frozenset({*methods.OPENERS, methods.SET_OPTION, methods.SET_MODE})
_UPDATES = frozenset({updates.CONFIG, updates.MODE, "available_commands_update"})


def reported_elsewhere(
    sides: Sequence[Iterable[Frame]], rows: Sequence[SideBySide], comparison: Comparison
) -> dict[str, list[tuple[int, str]]]:
    """Of each such row: index of the divergence, and pointer of the member with the list that differs."""
    divergences = [
        (at, divergence) for at, divergence in enumerate(comparison.divergences) if divergence.code in _CODES
    ]
    divergences.sort(key=lambda each: each[1].severity != "error")
    if not divergences:
        return {}
    expected, actual = ({frame.frame: frame for frame in side if _lists(frame)} for side in sides)
    found = {}
    for index, row in enumerate(rows):
        one, other = expected.get(row.expected), actual.get(row.actual)
        if row.divergence or one is None or other is None:
            continue
        differing = list(_differing(one, other))
        places = [
            (at, pointer)
            for at, divergence in divergences
            if divergence.session_id == one.session_id
            for name, pointer in differing
            if name in _members(divergence)
        ]
        if places:
            found[str(index)] = places
    return found


def _lists(frame: Frame) -> bool:
    answers = frame.kind is MessageKind.RESPONSE and frame.method in _SETTERS
    return answers or frame.update in _UPDATES


def _members(divergence: Divergence) -> tuple[str, ...]:
    about = divergence.about or ""
    return _LISTED.get(about, _OPTIONS)


def _differing(expected: Frame, actual: Frame) -> Iterator[tuple[str, str]]:
    """Name and pointer of each member that lists other things."""
    path = ("result",) if expected.update is None else ("params", "update")
    one, other = (as_object(pointers.at(value_or_none(frame.data), path)) for frame in (expected, actual))
    for name in ("configOptions", "modes", "models", "availableCommands", "currentModeId"):
        if one.get(name) != other.get(name):
            yield name, json_pointer.written((*path, name))
