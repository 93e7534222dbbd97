"""A small MCP server with one tool, `greet`, on the official package: over stdio, streamable HTTP and SSE.

    with serving() as servers:
        servers.command   # what a client starts for stdio
        servers.urls      # {"http": …, "sse": …}, on the loopback; they answer by now

As a script it is the server itself, in the kit with the package: `mcp_server.py` over stdio,
`mcp_server.py FD` over both others, on a socket that listens already.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

if __name__ != "__main__":
    from tests.real import packages

PINS = ("mcp==2.3.0",)  # brings uvicorn and starlette
NAME = "my-tools"
TOOL = "greet"
PARAMETER = "name"  #: of the tool: a text
_PATHS = {"http": "/mcp", "sse": "/sse"}
_ANSWER_S = 30  #: the first request may take as long: Python has to import the package


@dataclass(frozen=True, slots=True)
class Servers:
    """How a client reaches the server: what it starts, and the URL of each other transport."""

    command: tuple[str, ...]
    urls: Mapping[str, str]


@contextmanager
def serving() -> Iterator[Servers]:
    """Runs the server over HTTP and SSE until the end of the block. Raises OutOfReach without the package."""
    command = (str(packages.python(PINS) / "python"), "-I", str(Path(__file__).resolve()))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        process = subprocess.Popen(
            [*command, str(listening.fileno())],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[listening.fileno()],
        )
    try:
        _await_answer(url)
        yield Servers(command, {kind: url + path for kind, path in _PATHS.items()})
    finally:
        process.kill()  # streams that a client left open would hold up a polite end
        process.wait()


def _await_answer(url: str) -> None:
    """The socket listens before the server does: a request waits for it. Raises OutOfReach."""
    try:
        urllib.request.urlopen(url, timeout=_ANSWER_S).close()
    except urllib.error.HTTPError as refused:  # no page there, but a server
        refused.close()
    except OSError as error:
        raise packages.OutOfReach(f"the MCP server does not answer: {error}") from None


def _serve(words: list[str]) -> None:
    """The server itself. Imports what only its kit has."""
    from mcp.server.mcpserver import MCPServer

    server = MCPServer(NAME, version="1.0.0")

    @server.tool(name=TOOL)
    def greet(name: str) -> str:
        """Greets someone by name."""
        return f"Hello, {name}!"

    if not words:
        server.run()
        return
    import uvicorn
    from starlette.applications import Starlette

    app: Starlette = server.streamable_http_app(streamable_http_path=_PATHS["http"])
    app.router.routes.extend(server.sse_app(sse_path=_PATHS["sse"]).routes)
    config = uvicorn.Config(app, log_level="error")
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(words[0]))])


if __name__ == "__main__":
    _serve(sys.argv[1:])
