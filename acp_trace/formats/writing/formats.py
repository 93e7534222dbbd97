"""The table of all writers. A row is a name; the module behind it is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from acp_trace.formats.writing.writer import FormatWriter

#: As in `--to NAME`: the module with the function `write`.
WRITERS = {
    "perfetto": "acp_trace.formats.writing.perfetto",
    "mermaid": "acp_trace.formats.writing.mermaid",
    "markdown": "acp_trace.formats.writing.markdown",
    "jsons": "acp_trace.formats.writing.jsons",
    "har": "acp_trace.formats.writing.har",
    "otlp": "acp_trace.formats.writing.otlp",
}
#: Made to be shown to others: not written of a trace with secrets, unless the user insists.
PUBLIC = frozenset({"markdown"})


def writer(name: str) -> FormatWriter:
    """The writer of a format of `WRITERS`."""
    return cast("FormatWriter", import_module(WRITERS[name]).write)
