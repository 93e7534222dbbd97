"""The table of all readers."""

from __future__ import annotations

from acp_trace.formats.reading import (
    acp_el,
    acpx,
    devtools,
    har,
    jetbrains,
    jsons,
    mitmproxy,
    plain_text,
    snapshots,
    tck,
    tee,
    toad,
    zed,
)
from acp_trace.formats.reading.log import Reader

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
    tck,
    snapshots,
    tee,
    acpx,
    plain_text,
)
#: Formats that nothing else looks like: a reader that recognises one is not compared with others.
SELF_EVIDENT = frozenset({devtools.NAME, har.NAME, mitmproxy.NAME, tck.NAME})
#: By the names of `--from`.
READERS: dict[str, Reader] = {reader.NAME: reader for reader in _ALL}
