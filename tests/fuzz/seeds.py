"""What the fuzzers begin with: recordings cut into pieces that are small enough to be run often.

Made anew each time from `sample_traces/`, and from the recordings beside the repository where they are, so
that no second copy of them has to be kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from acp_trace.trace.capture_layout import preamble
from tests.support import TRACES
from tests.trace.capturing import MARK, block

#: Longest seed: an input takes a millisecond then, and whole conversations still fit.
LONGEST = 5_000
_LONGEST_LINE = 1_500
_FRAME = re.compile(rb'\{"t":\d+,"from":"(client|agent)","frame":(.*)\}\n')


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


@cache
def captures() -> tuple[bytes, ...]:
    """Captures in lines (see `blocks`), what the recorder said and what both sides did, and some as they are."""
    found = []
    for trace in traces():
        header, *entries = trace.splitlines(keepends=True)
        made = [b"0" + header]
        for line in entries:
            if frame := _FRAME.match(line):
                made.append((b"1" if frame[1] == b"client" else b"2") + frame[2] + b"\n")
            elif b'"log":' in line:
                made.append(b"3" + line)
            else:
                made.append(b"0" + line)
        found.append(b"".join(made))
    gap = b'0{"gap":{"reason":"x","torn":2,"streams":[{"stream":2,"bytes":9,"lines":1,"rest":2}]}}\n'
    found += [one + b"5]\n" + gap + b"2[1]\n6\n1{" for one in found[:8]]
    raw = [blocks(one)[:LONGEST] for one in sorted(found, key=len)[:8]]
    return (*found, *raw, *(preamble(MARK) + one for one in raw))


def blocks(data: bytes) -> bytes:
    """A block of each line: its first byte chooses the stream, and whether one is torn or holds no newline."""
    made = []
    for number, line in enumerate(data.split(b"\n")):
        how = line[0] if line else 0
        whole = block((how - 48) % 5, line[1:] if how & 64 else line[1:] + b"\n", number * 1000, how >> 7)
        made.append(whole[: -(how % 50)] if how & 48 == 32 else whole)
    return b"".join(made)


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
