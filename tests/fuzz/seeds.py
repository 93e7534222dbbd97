"""What the fuzzers begin with: recordings cut into pieces that are small enough to be run often.

Made anew each time from `sample_traces/`, and from the recordings beside the repository where they are, so
that no second copy of them has to be kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from tests.support import TRACES

#: Longest seed: an input takes a millisecond then, and whole conversations still fit.
LONGEST = 5_000
_LONGEST_LINE = 1_500


@cache
def traces() -> tuple[bytes, ...]:
    """Trace files: the beginnings and the ends of recordings, without their longest lines."""
    return tuple(dict.fromkeys(piece for path in TRACES for piece in _pieces(path.read_bytes())))


@cache
def streams() -> tuple[bytes, ...]:
    """What one side said, as its pipe gave it: the frames of a recording, line by line."""
    found = []
    for trace in traces():
        for sender in (b"client", b"agent"):
            mark = b'"from":"%b","frame":' % sender
            said = [line.partition(mark)[2][:-1] for line in trace.split(b"\n") if mark in line]
            found.append(b"".join(line + b"\n" for line in said))
    return tuple(dict.fromkeys(filter(None, found)))


def _pieces(trace: bytes) -> Iterator[bytes]:
    header, *lines = (line for line in trace.splitlines(keepends=True) if len(line) <= _LONGEST_LINE)
    begins = _fitting(lines)
    yield header + b"".join(begins)
    if len(begins) < len(lines):
        yield header + b"".join(reversed(_fitting(lines[::-1])))
        yield header + b"".join(begins[:6] + _fitting(lines[len(lines) // 2 :])[:20])


def _fitting(lines: list[bytes]) -> list[bytes]:
    """The first of these lines, as many as fit."""
    taken, size = [], 0
    for line in lines:
        size += len(line)
        if size > LONGEST:
            break
        taken.append(line)
    return taken
