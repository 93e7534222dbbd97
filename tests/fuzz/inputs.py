"""From bytes to what a target takes."""

from __future__ import annotations

import io
from typing import BinaryIO, cast

from acp_trace.trace.entries import Entry
from acp_trace.trace.parse import NewerFormat, Parser

MASKS = ("/params/update/content/text:string", "/result/*:uuid", "/*/sessionId", "/params/update/*/0:number")


def entries(data: bytes) -> list[Entry]:
    """The entries of a trace file's bytes; up to the version's mark where it is from a newer format."""
    parser = Parser()
    try:
        found = parser.feed(data)
        last, _ = parser.finish()
    except NewerFormat:
        return []
    return [*found, *([last] if last else [])]


def stream(data: bytes) -> BinaryIO:
    """As an open file."""
    return cast(BinaryIO, io.BytesIO(data))


def typed(data: bytes) -> str:
    """As a word of a command line, of which bytes that are no UTF-8 become surrogates."""
    return data.decode("utf-8", "surrogateescape")
