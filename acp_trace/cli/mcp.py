"""`acp-trace mcp`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from acp_trace.cli import common, places
from acp_trace.cli.errors import USAGE, fail


def mcp(
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DEST",
            help="Also read traces from this place: s3://, gs://, az:// or file://. Repeatable.",
        ),
    ] = None,
) -> None:
    """Let a coding agent read traces: an MCP server on stdio.

    It has tools to list traces, show a trace, list findings and frames, query, and compare. No tool changes a
    trace. An MCP client starts this command: docs/mcp.md has the configuration for Claude Code, Codex,
    Cursor, Zed and others. It needs the extra acp-trace[mcp].
    """
    if sys.stdin.isatty():
        fail("mcp is started by an MCP client, and speaks JSON-RPC with it: see docs/mcp.md", USAGE)
    try:
        from acp_trace.mcp_server.server import serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types", "anyio"):
            raise
        fail("mcp needs more packages: pip install 'acp-trace[mcp]'", USAGE)
    serve(common.home(), [places.url_of(each) for each in at or []])
