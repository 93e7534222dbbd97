"""`acp-trace model`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from acp_trace.cli import common
from acp_trace.cli.errors import NOTHING, fail


def model(
    trace: common.Trace = "last",
    every: Annotated[
        bool, typer.Option("--all", help="Also the requests that were not to a language model.")
    ] = False,
    json: common.Json = False,
) -> None:
    """List what an agent asked its language model, one line per request.

    The trace must be recorded with `record --model`. `at` is the time since the trace began; `first` is the
    time from the request to the first byte of the response, `took` to its end.
    """
    from acp_trace.model.exchange import exchanges_in
    from acp_trace.report.json.exchanges import rows
    from acp_trace.report.text.exchange_list import exchange_list, rest_line

    with common.opened(trace) as source:
        exchanges = exchanges_in(source.entries())
    shown = [exchange for exchange in exchanges if every or exchange.is_whole]
    if json:
        common.print_json(rows(shown))
        return
    if not exchanges:
        fail(f"{source.name} has no requests to a model: record them with `record --model`", NOTHING)
    console = common.console()
    if shown:
        console.print(exchange_list(shown, console.width), end="")
    else:
        print("no request was to a language model", file=sys.stderr)
    if len(shown) < len(exchanges):
        console.print(rest_line(len(exchanges) - len(shown)), style="bright_black")
