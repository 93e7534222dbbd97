"""The table of all readers, and which of them files are for."""

from __future__ import annotations

from collections.abc import Sequence

from acp_trace.formats.reading import (
    acp_el,
    acpx,
    devtools,
    har,
    jetbrains,
    jsons,
    mitmproxy,
    plain_text,
    tee,
    toad,
    zed,
)
from acp_trace.formats.reading.log import File, Reader

#: In the order in which they are asked; the last three take plain messages: `tee` two files of one side each,
#: `acpx` one with both, and `plain_text` whatever has messages in it.
_ALL: tuple[Reader, ...] = (
    devtools,
    zed,
    jetbrains,
    jsons,
    toad,
    acp_el,
    har,
    mitmproxy,
    tee,
    acpx,
    plain_text,
)
#: By the names of `--from`.
READERS: dict[str, Reader] = {reader.NAME: reader for reader in _ALL}


def recognised(files: Sequence[File]) -> Reader | None:
    """The reader that these files are for, all together; None if no reader knows them. Never raises."""
    return next((reader for reader in READERS.values() if reader.recognises(files)), None)
