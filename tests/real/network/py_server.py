"""The agent of `py_agent.py`, served by the Python SDK: `python py_server.py uvicorn|hypercorn [CERT KEY]`.

Over HTTP and WebSocket, at /acp. Prints its URL. Imports nothing of ours but the agent.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from acp.http.asgi import create_asgi_app

from tests.real.py_agent import Agent

_GRACE_S = 1  #: for connections that are still open when it is told to end


def _uvicorn(app: Any, listener: socket.socket, tls: list[str]) -> None:
    import uvicorn

    certificate, key = tls or (None, None)
    config = uvicorn.Config(
        app,
        log_level="warning",
        timeout_graceful_shutdown=_GRACE_S,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _hypercorn(app: Any, listener: socket.socket, tls: list[str]) -> None:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.graceful_timeout = _GRACE_S
    config.accesslog = None
    config.errorlog = None
    if tls:
        config.certfile, config.keyfile = tls

    async def run() -> None:
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        await serve(app, config, shutdown_trigger=ended.wait)

    asyncio.run(run())


def main(server: str, *tls: str) -> None:
    """Serves until SIGTERM."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    scheme = "https" if tls else "http"
    print(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/acp", flush=True)
    app = create_asgi_app(lambda _: Agent(""))
    {"uvicorn": _uvicorn, "hypercorn": _hypercorn}[server](app, listener, [*tls])


if __name__ == "__main__":
    main(*sys.argv[1:])
