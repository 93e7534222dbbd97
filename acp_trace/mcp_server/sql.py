"""The tools `query_traces` and `describe_tables`: SQL over all traces, as `query` has it."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from acp_trace.mcp_server.limits import MOST_BYTES, MOST_OF_ROW
from acp_trace.mcp_server.paging import page
from acp_trace.mcp_server.tool import Arguments, CallRefused, Document, Limit, Offset
from acp_trace.report.json.query_rows import objects
from acp_trace.report.safe import safe_lines
from acp_trace.store.query import BadQuery, described, query
from acp_trace.store.sweep import sweep
from acp_trace.trace import spool
from acp_trace.trace.home import Home
from acp_trace.trace.near_misses import suggestion


class QueryTracesArguments(Arguments):
    """Run read-only SQL (DuckDB) over all traces in the store: for figures, or questions about many traces.

    One statement that reads: SELECT, WITH, FROM, DESCRIBE, SUMMARIZE, EXPLAIN. Every table has `trace_id`;
    columns in `…_ns` are nanoseconds. Call describe_tables for tables and columns first. Count and aggregate
    in SQL; long values are cut. A trace that is still being recorded is not in the store.
    """

    sql: Annotated[str, Meta(description="One DuckDB SQL statement that only reads.", max_length=20_000)]
    limit: Limit = 50
    offset: Offset = 0


def query_traces(home: Home, given: QueryTracesArguments) -> Document:
    """The rows of `query --json`."""
    sweep(home)
    live = [each.id for each in spool.spooled(home.spool) if each.live]
    try:
        with query(home.store, given.sql) as result:
            columns = result.columns
            taken = page(result.rows, given.offset, given.limit)
    except BadQuery as error:
        raise CallRefused(safe_lines(str(error))) from None
    made = taken._replace(items=list(objects(columns, taken.items))).document("rows", dict, MOST_OF_ROW)
    return {"columns": columns, **made, **({"not_in_the_store": live[:10]} if live else {})}


class DescribeTablesArguments(Arguments):
    """List the tables and views of the store, or the columns of some of them, each with what it means."""

    tables: Annotated[
        tuple[str, ...],
        Meta(description="The tables whose columns are wanted. Empty: only the names of all."),
    ] = ()


def describe_tables(_: Home, given: DescribeTablesArguments) -> Document:
    """A part of `query --schema --json`."""
    known = {table["name"]: table for table in described()}
    for name in given.tables:
        if name not in known:
            near = suggestion(name, known) or "; call describe_tables without arguments"
            raise CallRefused(f"there is no table {name!r}{near}")
    if given.tables:
        tables = [known[name] for name in dict.fromkeys(given.tables)]
    else:
        tables = [{key: table[key] for key in ("name", "kind", "doc")} for table in known.values()]
    return page(tables, 0, len(tables)).document("tables", dict, MOST_BYTES)
