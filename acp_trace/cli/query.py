"""`acp-trace query`."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acp_trace.cli import common, places, trace_options
from acp_trace.cli.errors import USAGE, Misuse

if TYPE_CHECKING:
    from acp_trace.store.query import QueryResult


def query(
    sql: Annotated[str | None, typer.Argument(metavar="SQL", help="DuckDB SQL.")] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Query only these trace files, without the store. Repeatable."),
    ] = None,
    schema: Annotated[bool, typer.Option("--schema", help="List tables, views and columns.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a header.")] = False,
    at: places.OlderAt = None,
    since: Annotated[str | None, typer.Option(hidden=True)] = None,
    until: Annotated[str | None, typer.Option(hidden=True)] = None,
    as_json: common.Json = False,
) -> None:
    """Run read-only SQL over all traces in the store.

    Example: acp-trace query "SELECT method, count(*), max(latency_ns) FROM exchanges GROUP BY ALL"
    """
    if schema:
        _schema(as_json)
        return
    if not sql:
        raise Misuse("give SQL, or --schema")
    if os.path.isfile(sql):
        raise Misuse(f"{sql!r} is a file, not SQL: query it with --trace")
    if at is not None and trace:
        raise Misuse("give --at or --trace, not both")
    if at is None and (since or until):
        raise Misuse("--since and --until need the tables of a place: give --at, too")
    from acp_trace.places.door import team
    from acp_trace.store.query import BadQuery

    try:
        with (
            team("commands.query").asked_at(at, sql, trace_options.period(since, until))
            if at is not None
            else _asked(sql, trace or []) as result
        ):
            (_as_json if as_json else _as_csv if csv else _as_table)(result)
    except BadQuery as error:
        from acp_trace.report.safe import safe_lines

        print(safe_lines(str(error)), file=sys.stderr)
        raise typer.Exit(USAGE) from None


@contextmanager
def _asked(sql: str, traces: list[Path]) -> Iterator[QueryResult]:
    """The result from the store, or from a store of only these traces."""
    from acp_trace.store.query import query as run

    with _store(traces) as store:

        def stuck() -> None:
            from acp_trace.cli import signals

            if traces:  # a copy of what is in them
                shutil.rmtree(store.parent, ignore_errors=True)
            signals.leave()

        with run(store, sql, stuck) as result:
            yield result


@contextmanager
def _store(traces: list[Path]) -> Iterator[Path]:
    home = common.home()
    if not traces:
        common.swept(home)
        tell_of_live(home)
        yield home.store
        return
    from acp_trace.cli.signals import Deferred, Interruptible
    from acp_trace.store.of_files import store_of
    from acp_trace.trace.scratch import scratch

    with Deferred(), scratch() as directory, Interruptible():
        with common.progress() as tick:
            store = store_of(traces, directory, tick)
        yield store


def tell_of_live(home: Any) -> None:
    """A trace that is being recorded is in no table yet: say so, or its absence looks like a fault."""
    from acp_trace.trace import spool

    live = [one.id for one in spool.spooled(home.spool) if one.live]
    if live:
        from acp_trace.report.safe import safe

        named = safe(", ".join(live[:3])) + (" …" if len(live) > 3 else "")
        print(f"acp-trace: still being recorded, so not in the store yet: {named}", file=sys.stderr)


def _as_table(result: QueryResult) -> None:
    from acp_trace.report.text.records import records

    console = common.console()
    width = console.width if sys.stdout.isatty() or "COLUMNS" in os.environ else None
    console.print(records(result.columns, list(result.rows), width), end="", soft_wrap=True)


def _as_csv(result: QueryResult) -> None:
    import csv
    import io

    from acp_trace.report.json.query_rows import plain

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(result.columns)
    for row in result.rows:
        writer.writerow([plain(item) for item in row])
        if text.tell() > 1 << 16:
            common.write(text.getvalue().encode())
            text.seek(0)
            text.truncate()
    common.write(text.getvalue().encode())


def _as_json(result: QueryResult) -> None:
    from acp_trace.report.json.query_rows import objects

    rows = list(objects(result.columns, result.rows))
    common.write(json.dumps(rows, indent=2, ensure_ascii=False, default=str).encode() + b"\n")


def _schema(as_json: bool) -> None:
    from acp_trace.store.query import described

    described_tables: list[dict[str, Any]] = described()
    if as_json:
        common.print_json(described_tables)
        return
    from acp_trace.report.text.schema import tables

    with common.paged() as out:
        width = out.width if sys.stdout.isatty() else 1000  # in a pipe, a column is a line
        out.print(tables(described_tables, width), end="", soft_wrap=True)
