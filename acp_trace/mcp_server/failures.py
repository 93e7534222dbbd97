"""A failure in a tool -> one line for its caller: what is wrong, and what to do. Pure."""

from __future__ import annotations

import duckdb

from acp_trace.mcp_server.tool import CallRefused
from acp_trace.places.address import BadAddress
from acp_trace.places.place import PlaceError
from acp_trace.places.pull import NotInPlace
from acp_trace.report.safe import safe, safe_lines
from acp_trace.store.catalog import NoTrace, UnknownTrace
from acp_trace.store.errors import StoreError
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.near_misses import did_you_mean
from acp_trace.trace.os_errors import file_and_reason
from acp_trace.trace.parse import NewerFormat


def line_of(error: Exception) -> str | None:
    """The line; None for an unexpected exception."""
    match error:
        case CallRefused():
            return safe_lines(str(error))
        case NoTrace():
            runs = " but runs of replay or mock (list_traces with `runs`)" if error.runs else ""
            return f"there is no trace yet{runs}: record one with `acp-trace record -- AGENT`"
        case UnknownTrace():
            advice = f"; {error.advice}" if error.advice else did_you_mean(error.candidates)
            return safe(f"{error.why}{advice or '; call list_traces'}")
        case NotInPlace():
            return safe(f"{error}{did_you_mean(error.candidates)}")
        case BadAddress() | PlaceError():
            return safe(str(error))
        case Unreadable() | NewerFormat() | StoreError():
            return safe(str(error))
        case OSError() | MemoryError():
            return safe(file_and_reason(error) if isinstance(error, OSError) else "not enough memory")
        case duckdb.Error():
            return safe(f"the store: {str(error).partition(chr(10))[0]}")
    return None
