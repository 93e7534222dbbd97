"""`acp-trace view`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from acp_trace.cli import common, completion


def view(
    trace: Annotated[
        str | None,
        typer.Argument(
            metavar="TRACE",
            help=f"{common.TRACE_HELP} By default the list of all traces.",
            autocompletion=completion.traces,
        ),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the browser, or only print the address.")
    ] = True,
) -> None:
    """Look at traces in a browser, until Ctrl-C.

    All traces with search, one trace, or two compared; a live trace grows while you look at it. The page
    comes from a server on this machine (127.0.0.1): the address has a secret in it, only notes
    can be written through it, and nothing is loaded from elsewhere. `show --html` writes a trace as a file
    instead.
    """
    import secrets
    from contextlib import ExitStack
    from pathlib import Path

    from acp_trace.view.pages import Pages
    from acp_trace.view.server import Server
    from acp_trace.view.traces import Traces

    if trace == "-" or (trace and Path(trace).is_fifo()):
        what = "standard input" if trace == "-" else "a pipe"
        raise typer.BadParameter(
            f"{what} can be read once: use `show {trace} --html FILE`", param_hint="TRACE"
        )
    home = common.home()
    common.swept(home)
    traces = Traces(home)
    path = ""
    with ExitStack() as stack:
        if trace is not None:
            path = f"{traces.number_of(stack.enter_context(common.opened(trace)))}/"
        # The pages are not closed: that would wait for parts that are being made, and the process ends.
        server = stack.enter_context(Server(Pages(traces), secrets.token_urlsafe(24)))
        url = f"{server.url}{path}"
        print(url, flush=True)
        try:
            if browser:
                _open(url)
            server.serve_forever()
        except KeyboardInterrupt:
            pass


def _open(url: str) -> None:
    import os
    import threading
    import webbrowser

    #: Without one of them, what Python finds on Unix is a browser for the terminal, which lacks JavaScript.
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    has_screen = sys.platform in ("darwin", "win32") or any(name in os.environ for name in screens)

    def opened() -> None:
        if not (has_screen and webbrowser.open(url)):
            print("acp-trace: no browser could be opened: open the address above", file=sys.stderr)

    threading.Thread(target=opened, daemon=True).start()  # some browsers block the thread that opened them
