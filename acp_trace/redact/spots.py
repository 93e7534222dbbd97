"""Where a string of a line is: in which message, under which rule, and whether it may change at all.

Most lines of a trace have few shapes. What was found for one line is kept for those of the same shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from acp_trace.redact.kept import IDS, is_free, is_kept
from acp_trace.redact.places import StringPlace
from acp_trace.redact.rules import ANYWHERE, ARGUMENTS, SERVERS, Rule
from acp_trace.redact.secret_names import words
from acp_trace.redact.splice import Kind, Path, Visit, scalars, shape, splice
from acp_trace.redact.splice import parts as parts_of

#: Members of a line that identify it. All others may change: `log`, `text`, `agent`, `labels` …
_OF_THE_LINE = words("acp_trace id started_at transport recorder platform redacted t from partial")
_ARGV = Rule(ARGUMENTS, ("agent", "argv", "*"), how="arguments")
#: Most shapes that are kept, and most parts of them all, which takes about 10 MB. A shape has at most a
#: quarter of these parts, and at most the last number of characters.
_SHAPES, _PARTS, _SIZE = 64, 1 << 16, 1 << 15


class Spot(NamedTuple):
    """The place of a string that may change."""

    path: tuple[str | int | None, ...]  #: from the message, or from the line if there is no message
    method: str | None = None
    rule: Rule | None = None


class Spotted(NamedTuple):
    """A string, key or number of a line (`splice.AnyScalar`), and its place."""

    at: int
    path: tuple[str | int | None, ...]  #: from the line
    kind: Kind
    spot: Spot | None  #: None if it never changes


class Spots:
    """Finds the place of every string of a line."""

    def __init__(self) -> None:
        self._made: dict[tuple[object, ...], tuple[list[Spotted], list[Spotted]]] = {}
        self._parts = 0

    def splice(
        self, text: str, places: tuple[StringPlace, ...], visit: Visit[Spotted], *, every: bool = False
    ) -> str | None:
        """See `splice.splice`: visit the scalars of a line that may change, or every scalar."""
        cut = parts_of(text)
        return splice(cut, self.of(cut, places, every=every), visit)

    def of(
        self, parts: Sequence[str], places: tuple[StringPlace, ...], *, every: bool = False
    ) -> Iterable[Spotted]:
        """Return the scalars of a line that may change, or every scalar, in order. `parts`: see `splice`."""
        if len(parts) > _PARTS // 4:
            return (one for one in _spotted(parts, places) if every or one.spot is not None)
        key = (shape(parts), places)
        made = self._made.get(key)
        if made is None:
            found = list(_spotted(parts, places))
            made = found, [one for one in found if one.spot is not None]
            has_colons = all(parts[one.at + 1].startswith(":") for one in found if one.kind == "key")
            if has_colons and sum(len(part) for part in key[0] if isinstance(part, str)) <= _SIZE:
                self._keep(key, made, len(parts))
        return made[0] if every else made[1]

    def _keep(self, key: tuple[object, ...], made: tuple[list[Spotted], list[Spotted]], parts: int) -> None:
        if len(self._made) >= _SHAPES or self._parts + parts > _PARTS:
            self._made.clear()
            self._parts = 0
        self._made[key] = made
        self._parts += parts


def _spotted(parts: Sequence[str], places: Sequence[StringPlace]) -> Iterator[Spotted]:
    for at, path, kind in scalars(parts):
        yield Spotted(at, tuple(path), kind, spot(path, kind, places))


def spot(path: Path, kind: Kind, places: Sequence[StringPlace]) -> Spot | None:
    """The place of a string, key or number of a line; None where it stays, whatever it holds."""
    if path[0] != "frame" or not places:
        return _of_line(path, kind)
    place = places[0]
    if len(places) > 1 or len(place.base) > 1:
        at = tuple(path)
        place = next((one for one in places if at[: len(one.base)] == one.base), StringPlace())
    within = tuple(path[len(place.base) :])
    if kind == "key":
        free = is_free(within[:-1], place.method)
        return Spot(within, place.method) if free and within[-1] not in IDS else None
    if is_kept(within, place.method):
        return None
    rule = _leading(place.rules, within)
    if rule is None and SERVERS in within:
        rule = _leading(ANYWHERE, within[within.index(SERVERS) :])
    if kind == "number" and (rule is None or rule.how != "value"):
        return None
    return Spot(within, place.method, rule)


def _of_line(path: Path, kind: Kind) -> Spot | None:
    if path[0] in _OF_THE_LINE or kind == "number":
        return None
    within = tuple(path)
    if kind == "key" and not (within[0] == "labels" and len(within) > 1):
        return None
    return Spot(within, rule=_ARGV if within[:2] == ("agent", "argv") else None)


def _leading(rules: Sequence[Rule], path: tuple[str | int | None, ...]) -> Rule | None:
    """Return the first rule whose path leads to `path`, or to a container of it."""
    size = len(path)
    for rule in rules:
        parts = rule.path
        if len(parts) == size or (len(parts) < size and rule.deep):
            for part, key in zip(parts, path, strict=False):
                if part != "*" and part != str(key):
                    break
            else:
                return rule
    return None
