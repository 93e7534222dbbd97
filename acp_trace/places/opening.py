"""Find the package for an address, and open its place: the only reader of the entry points of places.

A package takes the addresses of a scheme by an entry point of the group `acp_trace.places` with its name. It
names what is called with the URL and `make`, and gives a SharedPlace. Entry points are read when an address
is used, never before: to look through what is installed takes longer than the start of a recorder. Only
what a person types, or has configured, is an address: nothing in a trace chooses a package.
"""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from typing import TYPE_CHECKING

from acp_trace.places import layout
from acp_trace.places.door import BUNDLED, SCHEMES
from acp_trace.places.foreign import ForeignPlace, failure
from acp_trace.places.place import NoPlace, PlaceError, SharedPlace
from acp_trace.trace.jsontext import object_in

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "acp_trace.places"
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+")
#: Bytes of a marker, which has 23: anyone may have put a file of any length there.
_LONGEST_MARKER = 1 << 16


def schemes() -> tuple[str, ...]:
    """The schemes that some package takes: first those of this one."""
    return tuple(_takers())


@cache
def _takers() -> dict[str, list[EntryPoint]]:
    """The entry points of each scheme, also of a scheme that must not be taken twice."""
    from importlib.metadata import EntryPoint, entry_points

    takers: dict[str, list[EntryPoint]] = {scheme: [] for scheme in SCHEMES}
    try:
        found = tuple(entry_points(group=GROUP))
    except Exception:  # a file of any installed package may be damaged
        found = ()
    for each in found:
        if _SCHEME.fullmatch(each.name):
            takers.setdefault(each.name, []).append(each)
    for scheme in SCHEMES:  # a checkout that is not installed, and what Spark sends, have no entry points
        takers[scheme] = takers[scheme] or [EntryPoint(scheme, BUNDLED, GROUP)]
    return takers


def open_place(url: str, *, make: bool = False) -> SharedPlace:
    """Open a place. `make`: turn a directory or prefix into a place, making the directory if it is missing.

    `url`: as `address.url_of` has it. Raises PlaceError with one line for any failure of a package.
    """
    place = _opened(url, make=make)
    place.is_new = False
    marked = _marker(place)
    if marked is None:
        if not make:
            makes = f"`acp-trace team push {shlex.quote(url)}` makes one"
            raise NoPlace(f"{url} is not a place for traces: {makes}")
        if place.put(layout.MARKER, json.dumps({"acp_trace_place": layout.VERSION}).encode() + b"\n"):
            place.is_new = True
            return place
        marked = _marker(place) or b""  # another machine has put it meanwhile
    _check(url, marked)
    return place


def _opened(url: str, *, make: bool) -> SharedPlace:
    scheme = url.partition("://")[0]
    takers = _takers().get(scheme, [])
    names = [each.dist.name if each.dist else each.value for each in takers]
    if len(takers) != 1:
        what = f"is taken by {' and '.join(names)}: uninstall all but one" if takers else "is not known"
        raise PlaceError(f"{url}: {scheme}:// {what}")
    try:
        place = takers[0].load()(url, make=make)
    except (PlaceError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        raise failure(url, names[0], error) from error
    if not isinstance(place, SharedPlace):
        raise PlaceError(f"{url}: the package {names[0]} gives what is not a place for {scheme}://")
    if takers[0].value != BUNDLED:
        return ForeignPlace(place, names[0], url)
    place.url = url
    return place


def _marker(place: SharedPlace) -> bytes | None:
    """The marker, or the beginning of one that is too long; None if it is not there."""
    pieces = place.pieces(layout.MARKER)
    if pieces is None:
        return None
    marked = b""
    while len(marked) <= _LONGEST_MARKER and (piece := next(pieces, b"")):
        marked += piece
    return marked


def _check(url: str, marked: bytes) -> None:
    document = object_in(marked) if len(marked) <= _LONGEST_MARKER else {}
    version = document.get("acp_trace_place")
    if not isinstance(version, int):
        raise PlaceError(f"{url}: {layout.MARKER} in it is not acp-trace's: use another place")
    if version != layout.VERSION:
        raise PlaceError(
            f"{url} has layout {version}, and this acp-trace knows {layout.VERSION}: update acp-trace"
        )
