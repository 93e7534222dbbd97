"""acp-trace records, replays and explains the traffic between ACP clients and coding agents.

From Python, it lists, opens, queries and compares traces: docs/python.md.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for true; `typing` itself takes 9 of the 50 ms of a start
if TYPE_CHECKING:
    from acp_trace.api import (
        diff_traces,
        import_log,
        list_traces,
        open_trace,
        query,
        replay_trace,
        spark_tables,
    )

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "diff_traces",
    "import_log",
    "list_traces",
    "open_trace",
    "query",
    "replay_trace",
    "spark_tables",
]


def __getattr__(name: str) -> object:
    """The functions of `acp_trace.api`, imported when they are first asked for: the recorder needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from acp_trace import api

    found = globals()[name] = getattr(api, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
