"""`acp-trace view`."""

from __future__ import annotations

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
    """View traces in a browser, until Ctrl-C.

    Shows all traces with search, one trace, or a comparison of two; a live trace grows as you watch. The page
    comes from a server on this machine (127.0.0.1). Its address contains a secret. The page keeps nothing
    but your notes on messages, and loads nothing from elsewhere. To write a trace to a file instead, use
    `show --html`.
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
    import threading

    from acp_trace.cli.browsing import open_in_browser

    # Some browsers block the thread that opened them.
    threading.Thread(target=open_in_browser, args=(url,), daemon=True).start()
