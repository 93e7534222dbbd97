"""The SDK of the Model Context Protocol, with the tools in it. The tools themselves are defined elsewhere.

Each call runs in a separate process, which is kept for the next call. Only a process can be ended in the
middle: when a call takes too long, or the client cancels it. If a trace breaks it, the server continues.
The low-level server is used: the other one makes schemas by pydantic, from functions with types that the
pure part would then have twice.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import anyio.to_process
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    TextContent,
    Tool,
    ToolAnnotations,
)

from acp_trace import __version__
from acp_trace.mcp_server.limits import LIMIT_S
from acp_trace.mcp_server.table import INSTRUCTIONS, TOOLS
from acp_trace.mcp_server.tool import CallAnswer, McpTool
from acp_trace.mcp_server.worker import answer
from acp_trace.trace import jsontext
from acp_trace.trace.home import Home

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

_log = logging.getLogger(__name__)

#: Calls that run at the same time; others wait.
_AT_ONCE = 2


def serve(home: Home, places: Sequence[str] = (), limit_s: float = LIMIT_S) -> None:
    """Speaks MCP on standard input and output until the input ends. `places`: as in `make_server`."""
    logging.basicConfig(level=logging.WARNING, format="acp-trace mcp: %(message)s")  # goes to stderr
    # asyncio warns of an "Unknown child process" if one that it ends has just ended by itself.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    # Workers are started with `python -m`, which looks for modules in the current directory: that of the
    # client's project, which may hold anything. And without the flags that this process has (`-EP`).
    os.environ["PYTHONSAFEPATH"] = "1"
    if sys.flags.ignore_environment:
        for name in ("PYTHONHOME", "PYTHONPATH"):
            os.environ.pop(name, None)
    anyio.run(partial(_serve, home, places, limit_s))


async def _serve(home: Home, places: Sequence[str], limit_s: float) -> None:
    server = make_server(home, places, limit_s)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def make_server(home: Home, places: Sequence[str] = (), limit_s: float = LIMIT_S) -> Server[Any]:
    """The server, not yet connected. `places`: the URLs of the places whose traces may be opened."""
    limiter: anyio.CapacityLimiter | None = None

    async def list_tools(_: ServerRequestContext[Any], __: Any) -> ListToolsResult:
        return ListToolsResult(tools=[_tool(tool) for tool in TOOLS])

    async def call_tool(_: ServerRequestContext[Any], asked: CallToolRequestParams) -> CallToolResult:
        nonlocal limiter
        limiter = limiter or anyio.CapacityLimiter(_AT_ONCE)  # it belongs to the loop that runs
        try:
            with anyio.fail_after(limit_s):
                given = await anyio.to_process.run_sync(
                    answer, home, places, asked.name, asked.arguments, cancellable=True, limiter=limiter
                )
        except TimeoutError:
            given = CallAnswer(
                f"{asked.name} took longer than {limit_s:g} s and was ended: ask for less", True
            )
        except anyio.BrokenWorkerProcess:
            given = CallAnswer(
                f"{asked.name} ended without an answer (too little memory?): ask for less", True
            )
        if given.fault is not None:
            _log.error("%s", given.fault)
        return _result(given)

    return Server(
        "acp-trace",
        version=__version__,
        title="acp-trace",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tool(tool: McpTool) -> Tool:
    """A tool as clients list it."""
    return Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema,
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def _result(answer: CallAnswer) -> CallToolResult:
    """The answer twice, as the specification asks (Tools, "Structured Content"): clients use one of both.

    Claude Code and VS Code give a model the structured one alone (anthropics/claude-code#79944,
    microsoft/vscode#290063), others the text alone: so both say the same.
    """
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)],
        structured_content=None if answer.is_error else jsontext.value(answer.text.encode()),
        is_error=answer.is_error,
    )
