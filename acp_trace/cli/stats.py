"""`acp-trace stats`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, completion, places, trace_options
from acp_trace.cli.errors import NOTHING, fail
from acp_trace.cli.query import tell_of_live

if TYPE_CHECKING:
    from rich.text import Text

    from acp_trace.store.read import Opener
    from acp_trace.store.wanted import TraceFilter

_BY = ("agent", "agent_version", "client", "method")


def stats(
    agent: trace_options.Agent = None,
    client: trace_options.Client = None,
    label: trace_options.Label = None,
    since: trace_options.Since = None,
    until: trace_options.Until = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="WHAT",
            help="One row per agent, agent_version, client or method.",
            autocompletion=completion.words(lambda: _BY),
        ),
    ] = "agent_version",
    origin: trace_options.Origin = None,
    runs: trace_options.Runs = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV with a header, without the codes of findings.")
    ] = False,
    at: places.At = None,
    json: common.Json = False,
) -> None:
    """Compare agents, versions, clients or methods over all traces.

    Shows percentiles of the duration of a turn, of the time to its first output, and of the time until a
    cancel settled. In the column `cancelled`, 8/9 means that 8 of 9 cancels ended `cancelled`. If model calls
    were recorded, a second table shows percentiles of the number of calls in a turn, and of the time that the
    model, the tools and the agent itself took in a turn. The second table also shows the totals of tokens
    and of failed calls. A finding counts only if it blames the side that is compared. A narrow terminal shows
    fewer columns; --json has all. Runs of replay and mock do not count unless you give --runs. Exits with 4
    if no trace matches. With --at, reads the tables of a place that a team shares, as of its last `team
    build`.
    """
    common.one_of("--by", by, _BY)
    options = trace_options.TraceOptions(agent, client, label or (), since, until, origin, runs)
    wanted = options.filter()
    if at is None:
        home = common.home()
        common.swept(home)
        tell_of_live(home)
        rows, table = _found(home.store, by, wanted)
    else:
        from acp_trace.places.door import team

        with team("commands.query").tables_at(at, wanted) as opener:
            rows, table = _found(opener, by, wanted)
    if json:
        common.print_json(rows)
    elif csv and rows:
        common.write(_csv(rows))
    elif rows:
        console = common.console()
        console.print(table(console.width, console.is_terminal), end="")
    if not rows:
        fail(_nothing(home.store, by, options) if at is None else _nothing_at(at, options), NOTHING)


def _nothing_at(dest: str, options: trace_options.TraceOptions) -> str:
    matching = f" that matches {options.asked}" if options.asked else ""
    return f"there is no trace{matching} in the tables of {places.url_of(dest)}"


def _found(
    store: Path | Opener, by: str, wanted: TraceFilter
) -> tuple[list[dict[str, Any]], Callable[[int, bool], Text]]:
    """The rows as JSON has them, and what makes a table of a width of them."""
    from dataclasses import asdict

    from acp_trace.report.text import latency, stats
    from acp_trace.store import stats as store_stats

    if by == "method":
        methods = store_stats.methods(store, wanted)
        return [asdict(method) for method in methods], lambda width, _: latency.percentiles(methods, width)
    kind = next(one for one in store_stats.KINDS if one == by)
    rows = store_stats.stats(store, kind, wanted)
    return stats.as_json(rows, kind), lambda width, cut: stats.report(rows, kind, width, cut=cut)


def _nothing(store: Path, by: str, options: trace_options.TraceOptions) -> str:
    from dataclasses import replace

    from acp_trace.store.stats import count
    from acp_trace.store.wanted import ORIGINS, TraceFilter

    wanted = options.filter()
    stored = count(store, TraceFilter(origins=ORIGINS))
    matching = count(store, wanted)
    left_out = 0 if options.origin or matching else count(store, replace(wanted, origins=ORIGINS))
    what = "trace"
    if by == "method":
        what = "request in a trace" if options.asked else "request in any trace"
    return trace_options.nothing(stored, left_out, options.asked, what)


def _csv(rows: list[dict[str, Any]]) -> bytes:
    import csv
    import io

    from acp_trace.report.text.stats import flat

    made = [flat(row) for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(made[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(made)
    return text.getvalue().encode()
