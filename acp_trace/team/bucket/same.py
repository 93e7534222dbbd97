"""Whether what a place has under the id of a trace is that trace, by its beginning. Pure.

A recorder makes an id of its second and of 24 random bits: among the recorders of a large team, two get the
same one now and then. A trace file may be edited. And of a trace that was pushed before it was whole, the
place has the beginning alone.

What was pushed without its secrets, or without lines that cannot be read, is that trace all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from acp_trace.places import packing
from acp_trace.redact.values import PLACEHOLDER
from acp_trace.trace.jsontext import object_in

#: How many bytes of an object are looked at: the header, or all of a small trace.
LOOKED_AT = 64 << 10
#: Bytes that are read of the trace here beyond what the place has: lines that the place may lack.
_BEYOND = 64 << 10
_PLACEHOLDER = re.compile(PLACEHOLDER.encode())
_NUMBER = re.compile(rb"\d+")


def difference(packed: bytes, pieces: Iterable[bytes]) -> str | None:
    """Why the place has not got this trace, in words; None if it may have it.

    `packed`: the first LOOKED_AT bytes of the object, or all. `pieces`: the lines of the trace.
    """
    try:
        there, is_whole = packing.beginning(packed)
    except ValueError:
        return None
    here = _first(pieces, len(there) + _BEYOND)
    theirs, ours = _header(there), _header(here)
    began = theirs.get("started_at"), ours.get("started_at")
    if None not in began and began[0] != began[1]:
        return f"the place has another trace with this id, which began at {began[0]}"
    if is_whole and len(there) < len(here) and here.startswith(there):
        return "the place has only the beginning of this trace: remove that object, and push again"
    if number := _other_line(there, here):
        return f"the place has another trace with this id: line {number} differs"
    return None


def _other_line(there: bytes, here: bytes) -> int | None:
    """The number of the first line that only another trace has; None if there may be none.

    A cut line is passed over. A line of the same trace differs if a secret was replaced, with a placeholder
    or by 0, and a line that cannot be read may be left out. So a copy without its secrets is not compared.
    """
    if _PLACEHOLDER.search(there):
        return None
    theirs, ours = there.split(b"\n")[:-1], here.split(b"\n")[:-1]
    for number, (line, own) in enumerate(zip(theirs, ours, strict=False)):
        if line != own:
            is_left_out = line in ours[number:]
            is_zeroed = b":0" in line and _NUMBER.sub(b"0", line) == _NUMBER.sub(b"0", own)
            return None if is_left_out or is_zeroed else number + 1
    return None


def _first(pieces: Iterable[bytes], size: int) -> bytes:
    """The first bytes of these pieces."""
    taken: list[bytes] = []
    left = size
    for piece in pieces:
        taken.append(piece[:left])
        left -= len(taken[-1])
        if not left:
            break
    return b"".join(taken)


def _header(lines: bytes) -> dict[str, Any]:
    return object_in(lines.partition(b"\n")[0])
