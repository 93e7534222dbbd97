"""Captures made by hand: the bytes that a recorder would have written."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise

from acp_trace.trace.capture_layout import MAIN, RECORDER, head, preamble
from acp_trace.trace.capture_lines import Rendering
from acp_trace.trace.document import document
from tests.support import END, HEADER

#: Of every capture made here.
MARK = b"\xffmark\n\x00}"


def block(stream: int, data: bytes, t: int = 0, connection: int = MAIN) -> bytes:
    """One block."""
    return head(MARK, t, len(data), stream, connection) + data


def said(t: int = 0, /, **keys: object) -> bytes:
    """What the recorder says of itself."""
    return block(RECORDER, document(keys), t)


def capture(*blocks: bytes, end: bool = True, **changes: object) -> bytes:
    """A whole capture: the preamble, the header, these blocks, the footer."""
    footer = said(10**6, end={key: END[key] for key in ("exit_code", "signal")}) if end else b""
    return b"".join([preamble(MARK), said(**{**HEADER, **changes}), *blocks, footer])


def rendered(*pieces: bytes, over: bool = True) -> bytes:
    """The lines of a capture that is read in these pieces."""
    rendering = Rendering()
    lines = b"".join([rendering.feed(piece) for piece in pieces])
    return lines + rendering.finish() if over else lines


def cut(data: bytes, sizes: Iterable[int]) -> list[bytes]:
    """The data in pieces of these sizes; the last one is what is left."""
    ends = [0, *(end for end in accumulate(sizes) if end < len(data)), len(data)]
    return [data[start:end] for start, end in pairwise(ends)]
