"""`acp-trace ls`."""

from __future__ import annotations

import sys

from acp_trace.cli import common, places, trace_options
from acp_trace.cli.listed_rows import print_rows
from acp_trace.cli.trace_options import nothing


def ls(
    limit: trace_options.Limit = 30,
    sessions: trace_options.Sessions = False,
    agent: trace_options.Agent = None,
    client: trace_options.Client = None,
    label: trace_options.Label = None,
    since: trace_options.Since = None,
    until: trace_options.Until = None,
    origin: trace_options.Origin = None,
    runs: trace_options.Runs = False,
    at: places.OlderAt = None,
    json: common.Json = False,
) -> None:
    """List the traces, newest first.

    Shows each trace with its first prompt and its number of findings. Traces in the spool are imported first.
    A trace must pass all filters. Runs of replay and mock are not shown unless you give --runs. `last` also
    leaves them out; `last-run` is the newest run. The signs in a narrow terminal: ● the trace is live; !
    its recorder was killed; × its agent failed, or was ended by a signal.
    """
    from acp_trace.analyze.listing import by_session
    from acp_trace.report.json import trace_list as trace_list_json
    from acp_trace.report.text import session_list as sessionlist
    from acp_trace.report.text import trace_list as listing
    from acp_trace.store.listings import listings

    options = trace_options.TraceOptions(agent, client, label or (), since, until, origin, runs)
    if at is not None:
        from acp_trace.places.door import team

        team("commands.ls").ls_at(at, options, limit, sessions=sessions, json=json)
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
