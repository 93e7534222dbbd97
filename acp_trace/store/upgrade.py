"""Making a store, and bringing an older one up to date: its layout, and the facts in it.

The frames are the truth: facts that were derived by older rules are derived again from them.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from acp_trace import __version__
from acp_trace.analyze.version import VERSION
from acp_trace.store import export, schema
from acp_trace.store.derive import derive
from acp_trace.store.rows import Rows
from acp_trace.store.transactions import transaction

if TYPE_CHECKING:
    import duckdb

#: Fills in the streams of the frames of a trace: their numbers, their streams, the trace.
_STREAMS = """
    UPDATE frames SET stream = named.stream
    FROM (SELECT unnest(?::BIGINT[]) AS frame, unnest(?::BIGINT[]) AS stream) AS named
    WHERE frames.trace_id = ? AND frames.frame = named.frame
"""
_OLDER = "SELECT trace_id FROM loads WHERE analyzer_version < ?"

#: For each layout, the SQL that makes the next one of it. Layout 1 is the first; the others have more facts,
#: and from 8 on `frames` has the streams, which are filled in when the facts are derived again.
LAYOUTS: dict[int, list[str]] = {
    **dict.fromkeys(range(1, 7), schema.new_facts()),
    7: [*schema.new_facts(), *schema.added(schema.FRAMES, "stream")],
    **dict.fromkeys(range(8, 17), schema.new_facts()),
}


def is_up_to_date(connection: duckdb.DuckDBPyConnection, layout: int) -> bool:
    """Whether a store of this layout (0: still empty) needs nothing done. Changes nothing."""
    return layout == schema.VERSION and not connection.execute(f"{_OLDER} LIMIT 1", [VERSION]).fetchone()


def bring_up_to_date(connection: duckdb.DuckDBPyConnection, layout: int) -> None:
    """Makes the tables, or upgrades them and what was derived, each step in one transaction."""
    if layout == 0:
        with transaction(connection):
            for statement in schema.statements():
                connection.execute(statement)
            connection.execute(f"INSERT INTO {schema.META} VALUES (?, ?)", [schema.VERSION, __version__])
        return
    for step in range(layout, schema.VERSION):
        with transaction(connection):
            for statement in LAYOUTS[step]:
                connection.execute(statement)
            connection.execute(f"UPDATE {schema.META} SET version = ?", [step + 1])
    for (trace_id,) in connection.execute(_OLDER, [VERSION]).fetchall():
        _derive_again(connection, trace_id)


def _derive_again(connection: duckdb.DuckDBPyConnection, trace_id: str) -> None:
    streams: dict[int, int] = {}
    derived = derive(export.file(lambda: nullcontext(connection), trace_id), streams=streams)
    with transaction(connection):
        for table in schema.FACTS:
            connection.execute(f"DELETE FROM {table.name} WHERE trace_id = ?", [trace_id])
        with Rows(connection, trace_id) as rows:
            rows.facts(derived)
        if streams:
            connection.execute(_STREAMS, [list(streams), list(streams.values()), trace_id])
        connection.execute("UPDATE loads SET analyzer_version = ? WHERE trace_id = ?", [VERSION, trace_id])
