"""A payload, broken against the protocol's shapes: the same number breaks it at the same place. Pure.

A member is removed, or gets a value of another type, or a word that the protocol does not know. The judge of
the shapes decides whether a change breaks anything, so the analyser reports every break made here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from acp_trace.protocol.shapes.judge import FaultKind, Path
from acp_trace.protocol.shapes.tables import VersionShapes

#: Most places of a payload to look at: the first ones, which have the important members.
_MOST_PLACES = 400
_UNKNOWN = "acp-trace-unknown"
_META = "_meta"
_GONE: Any = object()


class BrokenPayload(NamedTuple):
    """A payload that no longer fits its shape, at `path`."""

    value: Any
    path: Path
    kind: FaultKind


def broken(payload: Any, shape: str, shapes: VersionShapes, number: int) -> BrokenPayload | None:
    """Return the payload with one break, chosen by `number`; None if no change would break its shape.

    `shape`: its name in `shapes`. The payload itself is not changed.
    """
    changes = [
        (path, value) for path, old in islice(_places(payload), _MOST_PLACES) for value in _values(old, path)
    ]
    random.Random(number).shuffle(changes)
    before = {(fault.path, fault.kind) for fault in shapes.faults(payload, shape)}
    for path, value in changes:
        changed = _changed(payload, path, value)
        for fault in shapes.faults(changed, shape):
            is_known = fault.kind != "extra-field" and not fault.is_tolerated
            if is_known and (fault.path, fault.kind) not in before:
                return BrokenPayload(changed, fault.path, fault.kind)
    return None


def _places(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield all members and items of a value, outermost first."""
    below: list[tuple[Path, Any]] = [(path, value)]
    while below:
        inside: list[tuple[Path, Any]] = []
        for at, each in below:
            if isinstance(each, dict):
                inside += [((*at, name), member) for name, member in each.items() if name != _META]
            elif isinstance(each, list):
                inside += [((*at, number), item) for number, item in enumerate(each)]
        yield from inside
        below = inside


def _values(old: Any, path: Path) -> Iterator[Any]:
    """Yield replacements for a value."""
    if isinstance(path[-1], str):
        yield _GONE
    yield 17 if isinstance(old, str) else _UNKNOWN
    if isinstance(old, str):
        yield _UNKNOWN


def _changed(value: Any, path: Path, new: Any) -> Any:
    """Return the value with a new one at a path; everything beside the path is shared."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if new is _GONE and len(path) == 1:
        del copy[path[0]]  # type: ignore[arg-type]
    else:
        copy[path[0]] = _changed(copy[path[0]], path[1:], new)  # type: ignore[index]
    return copy
