"""`acp-trace stats`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, wanted
from acp_trace.cli.errors import NO_TRACES, NOTHING, fail, only_runs
from acp_trace.cli.query import tell_of_live

if TYPE_CHECKING:
    from rich.text import Text

    from acp_trace.store.wanted import TraceFilter

_BY = ("agent", "agent_version", "client", "method")


def stats(
    agent: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this agent, in any case, or a glob; `?` gave no name."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="Only what began since then: 12h, 30d, 2w, or 2026-11-20."),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="WHAT", help="One row an agent, agent_version, client or method.")
    ] = "agent_version",
    runs: wanted.Runs = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a header, without the codes.")] = False,
    json: common.Json = False,
) -> None:
    """Compare agents, versions, clients or methods over all traces.

    How long turns took, the first output of a turn, and a cancel until it settled, as percentiles; 8/9
    cancels ended `cancelled`; findings where they blame the side that is compared. A narrow terminal
    shows fewer columns; --json has all. Runs of replay and mock do not count, unless --runs says so. Ends
    with 4 where no trace is meant.
    """
    common.one_of("--by", by, _BY)
    meant = _filter(agent, since, runs=runs)
    home = common.home()
    common.swept(home)
    tell_of_live(home)
    rows, table = _found(home.store, by, meant)
    if json:
        common.print_json(rows)
    elif csv and rows:
        common.write(_csv(rows))
    elif rows:
        console = common.console()
        console.print(table(console.width), end="")
    if not rows:
        fail(_nothing(home.store, by, agent, since, runs=runs), NOTHING)


def _filter(agent: str | None, since: str | None, *, runs: bool) -> TraceFilter:
    from acp_trace.store.wanted import TraceFilter

    return TraceFilter(agent, since=wanted.moment("--since", since), origins=wanted.origins(runs=runs))


def _found(store: Path, by: str, meant: TraceFilter) -> tuple[list[dict[str, Any]], Callable[[int], Text]]:
    """The rows as JSON has them, and what makes a table of a width of them."""
    from dataclasses import asdict

    from acp_trace.report.text import latency, stats
    from acp_trace.store import stats as store_stats

    if by == "method":
        methods = store_stats.methods(store, meant)
        return [asdict(one) for one in methods], partial(latency.percentiles, methods)
    kind = next(one for one in store_stats.KINDS if one == by)
    rows = store_stats.stats(store, kind, meant)
    return stats.as_json(rows, kind), partial(stats.report, rows, kind)


def _nothing(store: Path, by: str, agent: str | None, since: str | None, *, runs: bool) -> str:
    from acp_trace.store import stats as store_stats
    from acp_trace.trace.entries import RUNS

    if not store_stats.count(store, wanted.origins(runs=runs)):
        left_out = 0 if runs else store_stats.count(store, RUNS)
        return only_runs(left_out) if left_out else NO_TRACES
    asked = [
        f"{option} {text}" for option, text in (("--agent", agent), ("--since", since)) if text is not None
    ]
    what = "no request in a trace" if by == "method" else "no trace"
    return (
        f"there is {what} that matches {' and '.join(asked)}" if asked else "there is no request in any trace"
    )


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
