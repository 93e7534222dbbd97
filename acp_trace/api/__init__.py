"""acp-trace from Python: `acp_trace.open_trace("last").analyze()` gives the report as typed, frozen data.

The classes of the report, with shapes and units, are those of `acp_trace.report.model`; what each field
means stands in docs/report.md. The commands do not live here, and nothing here prints.
"""

from __future__ import annotations

from acp_trace.api.opened import OpenTrace, open_trace
from acp_trace.report.selection import NoSuchSession
from acp_trace.store.catalog import NoTrace, UnknownTrace
from acp_trace.store.errors import StoreError
from acp_trace.trace.files import Unreadable
from acp_trace.trace.parse import NewerFormat

__all__ = [
    "NewerFormat",
    "NoSuchSession",
    "NoTrace",
    "OpenTrace",
    "StoreError",
    "UnknownTrace",
    "Unreadable",
    "open_trace",
]
