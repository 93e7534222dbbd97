"""`query`: SQL over the store, or over some trace files, as `acp-trace query` runs it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from os import PathLike
from pathlib import Path

from acp_trace.api.data_table import DataTable
from acp_trace.api.homes import HomePath, swept_home
from acp_trace.store.of_files import store_of
from acp_trace.store.query import query as run
from acp_trace.trace.scratch import scratch


def query(
    sql: str, *, traces: Sequence[str | PathLike[str]] | None = None, home: HomePath = None
) -> DataTable:
    """The result of one statement of DuckDB SQL that reads, over all traces of the store, or `traces` alone.

    `traces`: trace files, which are not put into the store. The tables are in docs/store.md; live traces are
    not in them. All rows are in memory: use LIMIT. Raises BadQuery for SQL that is wrong or does not read,
    NotLoaded for a file that is not a trace, StoreError and OSError.
    """
    with ExitStack() as stack:
        if traces is None:
            store = swept_home(home).store
        else:
            store = store_of([Path(trace) for trace in traces], stack.enter_context(scratch()))
        result = stack.enter_context(run(store, sql))
        return DataTable(tuple(result.columns), tuple(result.types), tuple(result.rows))
