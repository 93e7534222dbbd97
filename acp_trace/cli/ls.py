"""`acp-trace ls`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, places, trace_options
from acp_trace.cli.listed_rows import print_rows
from acp_trace.cli.trace_options import nothing

if TYPE_CHECKING:
    pass


def ls(
    limit: Annotated[
        int, typer.Option("-n", metavar="N", min=0, help="Show only the newest N; 0 shows all.")
    ] = 30,
    sessions: Annotated[
        bool, typer.Option("--sessions", help="List sessions instead, each with its traces.")
    ] = False,
    agent: trace_options.Agent = None,
    client: trace_options.Client = None,
    label: trace_options.Label = None,
    since: trace_options.Since = None,
    until: trace_options.Until = None,
    origin: trace_options.Origin = None,
    runs: trace_options.Runs = False,
    at: places.At = None,
    json: common.Json = False,
) -> None:
    """List the traces, newest first.

    Each trace has its first prompt and its number of findings. Traces in the spool are imported first. A
    trace must pass all filters. Runs of replay and mock are not shown unless you give --runs. `last` leaves
    them out, too; `last-run` is the newest run. In a narrow terminal, ● marks a live trace, ! an incomplete
    one, whose recorder was killed, and × one whose agent failed or was ended by a signal.

    With --at, list the traces that a place has. Those in its tables, which `lake build` makes, have the same
    columns; of the others their names say day, agent and size. Filters besides --agent, --since and --until,
    and --sessions, are about those in the tables alone. Names do not say which traces are runs: those that
    are in no table yet are listed.
    """
    from acp_trace.analyze.listing import by_session
    from acp_trace.report.json import trace_list as trace_list_json
    from acp_trace.report.text import session_list as sessionlist
    from acp_trace.report.text import trace_list as listing
    from acp_trace.store.listings import listings

    options = trace_options.TraceOptions(agent, client, label or (), since, until, origin, runs)
    if at is not None:
        from acp_trace.cli.ls_at import ls_at

        ls_at(at, options, limit, sessions=sessions, json=json)
        return
    wanted = options.filter()
    home = common.home()
    common.swept(home)
    all_rows = listings(home)
    matching = [row for row in all_rows if wanted.wants_but_origin(row.trace)]
    traces = [row for row in matching if wanted.wants(row.trace)]
    left_out = 0 if origin else len(matching) - len(traces)
    if not json and not traces:
        print(nothing(len(all_rows), left_out, options.asked), file=sys.stderr)
        return
    if sessions:
        rows, more = by_session(traces), f"acp-trace ls{options.again} --sessions"
        print_rows(rows, limit, sessionlist.as_json, sessionlist.sessionlist, more, json=json)
    else:
        print_rows(
            traces, limit, trace_list_json.as_json, listing.listing, f"acp-trace ls{options.again}", json=json
        )
    if not json and left_out:
        common.console().print(trace_options.left_out_line(left_out), style="bright_black")
