"""`acp-trace team query DEST`: SQL over the tables of a place; and these tables, for `stats --at`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from acp_trace.cli import common, places, trace_options

if TYPE_CHECKING:
    from acp_trace.store.query import QueryResult
    from acp_trace.store.read import Opener
    from acp_trace.store.wanted import TraceFilter
    from acp_trace.team.lake.tables import Period


def query(
    dest: places.Destination,
    sql: Annotated[str | None, typer.Argument(metavar="SQL", help="DuckDB SQL.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="List tables, views and columns.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a header.")] = False,
    since: trace_options.Since = None,
    until: trace_options.Until = None,
    as_json: common.Json = False,
) -> None:
    """Run read-only SQL over the tables of a place.

    The tables are those of `query`, as of the last `team build`, with an additional column, `day`. A query
    with a condition on `day`, or with --since or --until, reads only the files of these days (docs/team.md).

    Example: acp-trace team query s3://traces/team "SELECT day, count(*) FROM turns GROUP BY ALL"
    """
    from acp_trace.cli.query import query as run

    run(sql, None, schema, csv, dest, since, until, as_json)


@contextmanager
def asked_at(dest: str, sql: str, period: Period) -> Iterator[QueryResult]:
    """What the tables of a place say. Raises BadQuery; ends as `places.opened` does where the place fails."""
    from acp_trace.cli.signals import Deferred, Interruptible
    from acp_trace.team.lake.tables import query as run
    from acp_trace.trace.scratch import scratch

    with Deferred(), scratch() as directory, Interruptible():

        def stuck() -> None:
            from acp_trace.cli import signals

            shutil.rmtree(directory, ignore_errors=True)
            signals.leave()

        with places.opened(dest) as place, run(place, sql, directory, stuck, period) as result:
            yield result


@contextmanager
def tables_at(dest: str, wanted: TraceFilter) -> Iterator[Opener]:
    """The tables of a place, of the days that are wanted."""
    from acp_trace.team.lake.tables import opened
    from acp_trace.trace.scratch import scratch

    with (
        places.opened(dest) as place,
        scratch() as directory,
        opened(place, directory, (wanted.since, wanted.until)) as tables,
        tables.errors_explained(),
    ):
        yield lambda: nullcontext(tables.connection)
