"""Where a string of a line stands: in which message, under which rule, and whether it may change at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from acp_trace.redact.kept import IDS, is_free, is_kept
from acp_trace.redact.names import words
from acp_trace.redact.places import StringPlace
from acp_trace.redact.rules import ANYWHERE, ARGUMENTS, SERVERS, Rule
from acp_trace.redact.splice import Kind, Path

#: What of a line says what it is. All else in it may change: `log`, `text`, `agent`, `labels` …
_OF_THE_LINE = words("acp_trace id started_at transport recorder platform redacted t from partial")
_ARGV = Rule(ARGUMENTS, ("agent", "argv", "*"), how="arguments")


class Spot(NamedTuple):
    """The place of a string that may change."""

    path: tuple[str | int | None, ...]  #: from the message, or from the line where there is no message
    method: str | None = None
    rule: Rule | None = None


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
    rule = next((one for one in place.rules if _leads(one, within)), None)
    if rule is None and SERVERS in within:
        below = within[within.index(SERVERS) :]
        rule = next((one for one in ANYWHERE if _leads(one, below)), None)
    return Spot(within, place.method, rule)


def _of_line(path: Path, kind: Kind) -> Spot | None:
    if path[0] in _OF_THE_LINE or kind == "number":
        return None
    within = tuple(path)
    if kind == "key" and not (within[0] == "labels" and len(within) > 1):
        return None
    return Spot(within, rule=_ARGV if within[:2] == ("agent", "argv") else None)


def _leads(rule: Rule, path: tuple[str | int | None, ...]) -> bool:
    """Whether a rule's path leads to what stands at `path`, or to what that is in."""
    parts = rule.path
    if len(path) < len(parts) or (len(path) > len(parts) and not rule.deep):
        return False
    return all(part in ("*", str(key)) for part, key in zip(parts, path, strict=False))
