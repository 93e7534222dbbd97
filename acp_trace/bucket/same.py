"""Whether what a place has under the id of a trace is that trace, by its beginning. Pure.

A recorder makes an id of its second and of 24 random bits: among the recorders of a large team, two get the
same one now and then. And of a trace that was pushed before it was whole, the place has the beginning alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from acp_trace.bucket import packing
from acp_trace.trace.jsontext import value_or_none

#: So many bytes of an object are looked at: the header, and a small trace whole.
LOOKED_AT = 64 << 10


def difference(packed: bytes, pieces: Iterable[bytes]) -> str | None:
    """Why the place has not got this trace, in words; None if it may have it.

    `packed`: the first LOOKED_AT bytes of the object, or all. `pieces`: the lines of the trace.
    """
    try:
        there, is_whole = packing.beginning(packed)
    except ValueError:
        return None
    here = _first(pieces, len(there) + 1)
    theirs, ours = _header(there), _header(here)
    began = theirs.get("started_at"), ours.get("started_at")
    if None not in began and began[0] != began[1]:
        return f"the place has another trace with this id, which began at {began[0]}"
    if is_whole and len(there) < len(here) and here.startswith(there):
        return "the place has the beginning of this trace alone: remove it there, and push again"
    return None


def _first(pieces: Iterable[bytes], size: int) -> bytes:
    """The first bytes of these pieces."""
    taken = b""
    for piece in pieces:
        taken += piece
        if len(taken) >= size:
            break
    return taken[:size]


def _header(lines: bytes) -> dict[str, Any]:
    header = value_or_none(lines.partition(b"\n")[0])
    return header if isinstance(header, dict) else {}
