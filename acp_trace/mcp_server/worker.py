"""What runs in the process of a call. Imports nothing heavy until it is called."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from acp_trace.mcp_server.tool import CallAnswer
from acp_trace.trace.home import Home


def answer(home: Home, places: Sequence[str], name: str, arguments: dict[str, Any] | None) -> CallAnswer:
    """Calls a tool. Never raises, because a traceback does not reach the other process.

    `places`: the URLs of the places whose traces may be opened.
    """
    # anyio's workers have no `__main__` if that of their parent is not a file, and DuckDB wants one.
    sys.modules.setdefault("__main__", ModuleType("__main__"))
    try:
        from acp_trace.mcp_server.opening import allow
        from acp_trace.mcp_server.table import call

        allow(places)
        return call(home, name, arguments)
    except Exception as error:
        what = f"{name} failed ({type(error).__name__}: a bug in acp-trace)"
        return CallAnswer(
            f"{what}; see the server's stderr for more", is_error=True, fault=traceback.format_exc()
        )
