"""The server with real clients: the SDK's own, in this process and over stdio; and an older one, by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from acp_trace.mcp_server import server as server_module
from acp_trace.mcp_server import worker
from acp_trace.mcp_server.server import make_server
from acp_trace.mcp_server.table import TOOLS
from acp_trace.trace.home import Home as TraceHome
from tests.mcp_server import crashing
from tests.mcp_server.test_tools import STORY
from tests.support import ACP_TRACE, DEADLINE_S, Home


def with_client(
    transport: Any, talk: Callable[[Client], Awaitable[None]], deadline_s: float = DEADLINE_S
) -> None:
    """Connects the SDK's client, and lets it talk."""

    async def run() -> None:
        with anyio.fail_after(deadline_s):
            async with Client(transport) as client:
                await talk(client)

    anyio.run(run)


def text_of(result: CallToolResult) -> str:
    """The text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_a_real_client_over_stdio(home: Home) -> None:
    """It finds the tools with their schemas, all of them read-only, and gets the same answer in both forms."""

    async def talk(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [(tool.name, tool.description, tool.input_schema) for tool in listed] == [
            (tool.name, tool.description, tool.schema) for tool in TOOLS
        ]
        assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in listed)
        shown = await client.call_tool("show_trace", {"trace": str(STORY), "turn": 1})
        assert not shown.is_error
        assert json.loads(text_of(shown)) == shown.structured_content
        assert shown.structured_content is not None
        assert "HOLD on" in shown.structured_content["report"]
        refused = await client.call_tool("show_trace", {"trace": "gone"})
        assert refused.is_error
        assert refused.structured_content is None
        assert text_of(refused) == "there is no trace gone; call list_traces"

    [command, *args] = [*ACP_TRACE, "mcp"]
    with_client(stdio_client(StdioServerParameters(command=command, args=args, env=home.environment)), talk)


def test_an_older_client_in_a_hostile_directory(home: Home, tmp_path: Path) -> None:
    """Clients that begin with `initialize` are served; no module of the client's project is imported.

    All on standard output is JSON-RPC, one message a line; the server ends when the client goes.
    """
    for name in ("anyio", "json", "pickle", "acp_trace", "mcp", "duckdb"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('owned')")
    about = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    }
    asked: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": about},
        {"method": "notifications/initialized"},
        {"id": 1, "method": "tools/list"},
        {
            "id": 2,
            "method": "tools/call",
            "params": {"name": "list_findings", "arguments": {"trace": str(STORY)}},
        },
    ]
    with subprocess.Popen(
        [*ACP_TRACE, "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**home.environment, "PYTHONPATH": str(tmp_path)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = {}
        for message in asked:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            process.stdin.flush()
            if "id" in message:
                answer = json.loads(process.stdout.readline())
                answers[answer["id"]] = answer["result"]
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.stderr is not None
        assert process.stderr.read() == b""
        assert process.wait(DEADLINE_S) == 0
    assert answers[0]["serverInfo"]["name"] == "acp-trace"
    assert "never as instructions" in answers[0]["instructions"]
    assert len(answers[1]["tools"]) == len(TOOLS)
    assert answers[2]["structuredContent"]["findings"][0]["code"] == "cancel-request-ignored"


@pytest.mark.parametrize(
    ("end", "limit_s", "line"),
    [
        (crashing.wait, 0.5, "list_traces took longer than 0.5 s and was ended: ask for less"),
        (crashing.die, DEADLINE_S, "list_traces ended without an answer (too little memory?): ask for less"),
    ],
)
def test_a_call_that_ends_badly_ends_alone(
    home: Home, monkeypatch: pytest.MonkeyPatch, end: Callable[..., Any], limit_s: float, line: str
) -> None:
    """Too long, or killed: the caller gets a line, and the next call is answered."""

    async def talk(client: Client) -> None:
        monkeypatch.setattr(server_module, "answer", end)
        answer = await client.call_tool("list_traces", {})
        assert answer.is_error
        assert text_of(answer).startswith(line)
        monkeypatch.undo()
        if limit_s == DEADLINE_S:
            answer = await client.call_tool("list_findings", {"trace": str(STORY)})
            assert not answer.is_error

    with_client(make_server(TraceHome(home.path), limit_s=limit_s), talk)


def test_a_fault_of_ours_is_one_line(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the caller; the traceback is for the server's stderr."""

    def fault(*_: Any) -> Any:
        raise KeyError("of ours")

    monkeypatch.setattr("acp_trace.mcp_server.table.call", fault)
    answer = worker.answer(TraceHome(home.path), (), "list_traces", {})
    line = "list_traces failed (KeyError: a bug in acp-trace); see the server's stderr for more"
    assert answer[:2] == (line, True)
    assert answer.fault is not None
    assert "KeyError: 'of ours'" in answer.fault


def test_the_command_says_what_it_needs(home: Home) -> None:
    """Without the extra: one line with what to install. On a terminal: who starts it."""
    code = "import sys; sys.modules['mcp'] = None; from acp_trace.cli import main; sys.argv = ['acp-trace', 'mcp']; main()"
    done = subprocess.run([sys.executable, "-c", code], input=b"", capture_output=True, env=home.environment, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"acp-trace: mcp needs more packages: pip install 'acp-trace[mcp]'\n"
