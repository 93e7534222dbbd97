"""`acp-trace team ls DEST`: the traces of a place, by their names, and by its tables where it has them."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from datetime import timedelta
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from acp_trace.cli import common, places, trace_options
from acp_trace.cli.listed_rows import older_line, print_rows
from acp_trace.cli.trace_options import TraceOptions, left_out_line, nothing

if TYPE_CHECKING:
    from acp_trace.analyze.listing import Listing
    from acp_trace.places.layout import Kept
    from acp_trace.places.place import SharedPlace
    from acp_trace.store.wanted import TraceFilter
    from acp_trace.team.lake.tables import Period


def ls(
    dest: places.Destination,
    limit: trace_options.Limit = 30,
    sessions: trace_options.Sessions = False,
    agent: trace_options.Agent = None,
    client: trace_options.Client = None,
    label: trace_options.Label = None,
    since: trace_options.Since = None,
    until: trace_options.Until = None,
    origin: trace_options.Origin = None,
    runs: trace_options.Runs = False,
    json: common.Json = False,
) -> None:
    """List the traces of a place, newest first.

    For traces that `team build` has added to the tables, shows the columns of `ls`; for the others, only day,
    agent and size, from their file names. --agent, --since and --until apply to all traces. The other filters
    and --sessions apply only to traces in the tables. File names do not show which traces are runs, so runs
    that are not in the tables yet are listed.
    """
    options = TraceOptions(agent, client, label or (), since, until, origin, runs)
    ls_at(dest, options, limit, sessions=sessions, json=json)


def ls_at(dest: str, options: TraceOptions, limit: int, *, sessions: bool, json: bool) -> None:
    """Prints them, the newest first: the first `limit`, all if that is 0."""
    if sessions or options.client or options.label or options.origin or options.runs:
        _by_tables(dest, options, limit, sessions=sessions, json=json)
    else:
        _by_names(dest, options, limit, json=json)


def _by_names(dest: str, options: TraceOptions, limit: int, *, json: bool) -> None:
    """All traces, and of those that are shown, what the tables say."""
    from acp_trace.places.pull import each_once, kept_in

    with places.opened(dest) as place:
        every, wanted = each_once(kept_in(place)), options.filter()
        traces = [each for each in every if _is_wanted(each, wanted)]
        shown, built, older = _newest(place, traces, limit, wanted)
    runs = len(traces) - len(shown) - older
    if json:
        common.print_json(_as_json(shown, built))
    elif shown:
        _print(shown, built, dest)
        if older:
            _say(older_line(older, _command(dest, options)))
        if runs:
            _say(left_out_line(runs))
    elif runs:
        print(nothing(len(every), runs, options.asked), file=sys.stderr)
    else:
        matching = f" that matches {options.asked}" if every else ""
        print(f"{places.url_of(dest)} has no trace{matching}", file=sys.stderr)


def _newest(
    place: SharedPlace, traces: Sequence[Kept], limit: int, wanted: TraceFilter
) -> tuple[list[Kept], dict[str, Listing], int]:
    """The newest `limit` of these, all if that is 0, that are not runs as far as the tables know.

    Also what the tables say of them, and how many are older than the last one.
    """
    shown: list[Kept] = []
    built: dict[str, Listing] = {}
    at, size = 0, limit or len(traces)
    while at < len(traces) and not 0 < limit <= len(shown):
        part = traces[at : at + size]
        at, size = at + len(part), size * 2
        said = _built(place, part)
        built |= said
        shown += [e for e in part if e.id not in said or said[e.id].trace.origin in wanted.origins]
    if 0 < limit < len(shown):
        shown = shown[:limit]
        at = traces.index(shown[-1]) + 1
    return shown, built, len(traces) - at


def _by_tables(dest: str, options: TraceOptions, limit: int, *, sessions: bool, json: bool) -> None:
    """Those of the tables: names do not say what is asked for."""
    from acp_trace.analyze.listing import by_session
    from acp_trace.places.pull import each_once, kept_in
    from acp_trace.report.text import session_list, trace_list
    from acp_trace.team.lake.listings import listings

    def as_json(rows: Sequence[Listing]) -> list[dict[str, Any]]:
        return _as_json([names[one.id] for one in rows], {one.id: one for one in rows})

    wanted = options.filter()
    with places.opened(dest) as place:
        names = {each.id: each for each in each_once(kept_in(place))}
        every = [one for one in listings(place, (wanted.since, wanted.until)) if one.id in names]
    matching = [one for one in every if wanted.wants_but_origin(one.trace)]
    traces = [one for one in matching if wanted.wants(one.trace)]
    runs = 0 if options.origin else len(matching) - len(traces)
    if not json and not traces:
        print(nothing(len(every), runs, options.asked), file=sys.stderr)
    elif sessions:
        more = f"{_command(dest, options)} --sessions"
        print_rows(by_session(traces), limit, session_list.as_json, session_list.sessionlist, more, json=json)
    else:
        print_rows(traces, limit, as_json, trace_list.listing, _command(dest, options), json=json)
    if not json and traces and runs:
        _say(left_out_line(runs))
    in_time = [each for each in names.values() if _began_in(each, (wanted.since, wanted.until))]
    if unbuilt := len(in_time) - len(every):
        _tell(f"{_count(unbuilt)} not in the tables yet: `acp-trace team build {_quoted(dest)}`")


def _built(place: SharedPlace, shown: Sequence[Kept]) -> dict[str, Listing]:
    """What the tables say of some traces, by their ids. Tables that cannot be read say nothing."""
    from acp_trace.places import layout
    from acp_trace.places.place import LackingPackages, PlaceError
    from acp_trace.team.lake.listings import listings
    from acp_trace.team.lake.log import NoTables
    from acp_trace.team.lake.tables import ALWAYS

    if not shown:
        return {}
    began = [layout.began(each.id) for each in shown]
    dated = [time for time in began if time is not None]
    period = (min(dated), max(dated) + timedelta(seconds=1)) if len(dated) == len(began) else ALWAYS
    ids = {each.id for each in shown}
    try:
        return {one.id: one for one in listings(place, period) if one.id in ids}
    except NoTables:
        return {}
    except (PlaceError, LackingPackages) as error:
        _tell(f"{error}; of each trace only its name is shown")
        return {}


def _is_wanted(trace: Kept, wanted: TraceFilter) -> bool:
    from acp_trace.places import layout

    if wanted.agent is not None:
        pattern = wanted.agent.lower()
        if not (fnmatchcase(trace.agent, pattern) or trace.agent == layout.slug(pattern)):
            return False
    return _began_in(trace, (wanted.since, wanted.until))


def _began_in(trace: Kept, period: Period) -> bool:
    from acp_trace.places import layout

    since, until = period
    if since is None and until is None:
        return True
    began = layout.began(trace.id)
    return began is not None and (since is None or began >= since) and (until is None or began < until)


def _as_json(shown: Sequence[Kept], built: dict[str, Listing]) -> list[dict[str, Any]]:
    """What names say, and under `trace` what `ls --json` says; null if it is not in the tables."""
    from acp_trace.report.json import trace_list as trace_list_json

    said = {id_: trace_list_json.as_json([one])[0] for id_, one in built.items()}
    return [
        {"id": e.id, "day": e.day, "agent": e.agent, "key": e.key, "bytes": e.size, "trace": said.get(e.id)}
        for e in shown
    ]


def _print(shown: Sequence[Kept], built: dict[str, Listing], dest: str) -> None:
    """Those that are in no table, which are mostly the newest, by their names; then the others."""
    from acp_trace.report.text import trace_list

    console = common.console()
    if unbuilt := [each for each in shown if each.id not in built]:
        _print_names(unbuilt)
    rows = [built[each.id] for each in shown if each.id in built]
    if not rows:
        return
    if unbuilt:
        _say(f"not in the tables yet: acp-trace team build {_quoted(dest)}")
        console.print()
    console.print(trace_list.listing(rows, console.width, cut=console.is_terminal), end="")


def _print_names(traces: Sequence[Kept]) -> None:
    from acp_trace.places import layout
    from acp_trace.report import units
    from acp_trace.report.safe import safe
    from acp_trace.report.text.columns import Cell, Column, table
    from acp_trace.trace.names import short

    columns = [Column("id"), Column("when"), Column("agent", flexible=True), Column("packed", right=True)]
    rows = []
    for each in traces:
        began = layout.began(each.id)
        when = units.when(began.isoformat()) if began else "–"
        cells = (safe(short(each.id)), when, safe(each.agent), units.size(each.size))
        rows.append([[Cell(text)] for text in cells])
    console = common.console()
    console.print(table(columns, rows, console.width, indent=0, cut=console.is_terminal), end="")


def _count(traces: int) -> str:
    from acp_trace.trace.counts import counted

    return counted(traces, "trace is", "traces are")


def _command(dest: str, options: TraceOptions) -> str:
    return f"acp-trace team ls {_quoted(dest)}{options.again}"


def _quoted(dest: str) -> str:
    from acp_trace.report.safe import safe

    return safe(shlex.quote(dest))


def _say(text: str) -> None:
    """A line below a table."""
    common.console().print(text, style="bright_black", soft_wrap=True)  # a command is to be copied whole


def _tell(text: str) -> None:
    print(f"acp-trace: {text}", file=sys.stderr)
