"""acp-trace records, replays and explains the traffic between ACP clients and coding agents."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself takes 9 of the 50 ms of a start
if TYPE_CHECKING:
    from os import PathLike

    from acp_trace.api import OpenTrace

__version__ = "0.1.0"
__all__ = ["__version__", "open_trace"]


def open_trace(trace: str = "last", home: str | PathLike[str] | None = None) -> OpenTrace:
    """Opens a trace: a path, `-` for standard input, an id or how it begins, `last`, `last~2`.

    `home`: the directory in which ids are looked up; by default that of the commands (`ACP_TRACE_HOME`).
    Raises UnknownTrace, NoTrace, OSError and StoreError (see `acp_trace.api`).
    """
    from acp_trace.api import open_trace

    return open_trace(trace, home)
