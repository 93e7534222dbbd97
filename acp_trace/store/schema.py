"""The tables and views of the store, as data: names, types, and the comment of every column.

Tables are flat; every row begins with `trace_id`; nothing refers across traces. The tables of facts
come from `analyze.facts`, one class a table. Nothing here opens a database.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_type_hints

from acp_trace.analyze import facts
from acp_trace.store.percentiles import LATENCY

#: The layout of tables and views. A store with a higher number was made by a newer acp-trace.
VERSION = 2


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its SQL type and what it holds."""

    name: str
    type: str
    doc: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `fact` is the class whose fields are its columns after `trace_id`."""

    name: str
    doc: str
    columns: tuple[Column, ...]
    fact: type | None = None

    @property
    def names(self) -> str:
        """The columns for an SQL list."""
        return ", ".join(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class View:
    """A view; its columns explain themselves in `columns`."""

    name: str
    doc: str
    sql: str
    columns: tuple[Column, ...] = ()


_TRACE_ID = Column("trace_id", "VARCHAR", "the trace")
_TYPES = {int: "BIGINT", str: "VARCHAR", bool: "BOOLEAN"}


def _sql_type(hint: Any) -> str:
    inner = [one for one in getattr(hint, "__args__", (hint,)) if one is not type(None)]
    return _TYPES[inner[0]]


def _of(name: str, fact: type) -> Table:
    hints = get_type_hints(fact)
    columns = [
        Column(field.name, _sql_type(hints[field.name]), field.metadata["doc"])
        for field in dataclasses.fields(fact)
    ]
    if fact is facts.Trace:
        columns[0] = Column("trace_id", "VARCHAR", columns[0].doc)
    else:
        columns.insert(0, _TRACE_ID)
    return Table(name, _first_line(fact), tuple(columns), fact)


def _first_line(fact: type) -> str:
    return (fact.__doc__ or "").partition("\n")[0].rstrip(".")


FRAMES = Table(
    "frames",
    "Every frame, verbatim, with what people filter by",
    (
        _TRACE_ID,
        Column("frame", "BIGINT", "its number in the trace, from 1"),
        Column("t_ns", "BIGINT", "when it was read, ns since the trace began"),
        Column("sender", "VARCHAR", "client or agent"),
        Column("kind", "VARCHAR", "request, notification, response, invalid, text or bytes"),
        Column("method", "VARCHAR", "the method; of a response, that of its request"),
        Column("id", "VARCHAR", "the id's JSON text"),
        Column("id_type", "VARCHAR", "the id's JSON type"),
        Column("answers", "BIGINT", "of a response, the frame of its request"),
        Column("session_id", "VARCHAR", "the session it belongs to"),
        Column("update_kind", "VARCHAR", "the kind of a session/update"),
        Column("size", "BIGINT", "bytes, without the newline"),
        Column("partial", "BOOLEAN", "the sender ended without a newline"),
        Column("body", "VARCHAR", "the text verbatim; NULL where it is no UTF-8"),
        Column("bytes", "BLOB", "the bytes of a frame that is no UTF-8"),
    ),
)

LINES = Table(
    "lines",
    "Lines of the trace file that a row of frames does not hold in full: what export needs",
    (
        _TRACE_ID,
        Column("line", "BIGINT", "line number in the file, from 1"),
        Column("kind", "VARCHAR", "header, frame, text, base64, log, gap, end, unknown, damaged, torn"),
        Column("raw", "BLOB", "the line verbatim, with its newline"),
    ),
)

LOGS = Table(
    "logs",
    "What the agent wrote to stderr, line by line",
    (
        _TRACE_ID,
        Column("line", "BIGINT", "line number in the file"),
        Column("t_ns", "BIGINT", "when it was read, ns since the trace began"),
        Column("text", "VARCHAR", "the line"),
    ),
)

DAMAGE = Table(
    "damage",
    "Lines of the trace file that could not be read (the first hundred)",
    (
        _TRACE_ID,
        Column("line", "BIGINT", "line number in the file"),
        Column("problem", "VARCHAR", "why"),
    ),
)

LOADS = Table(
    "loads",
    "How each trace came into the store",
    (
        _TRACE_ID,
        Column("loaded_at", "VARCHAR", "when, RFC 3339 in UTC"),
        Column(
            "file_bytes",
            "BIGINT",
            "bytes of the trace's lines: of its file, or of those that its capture becomes",
        ),
        Column("sha256", "VARCHAR", "digest of these lines"),
        Column("analyzer_version", "BIGINT", "rules by which the facts were derived"),
    ),
)

#: What is derived from the frames, and derived again when the analyser's rules change.
FACTS: tuple[Table, ...] = (
    _of("traces", facts.Trace),
    *(_of(name, rows) for name, rows in facts.ROWS.items()),
)

TABLES: tuple[Table, ...] = (*FACTS, FRAMES, LOGS, DAMAGE, LINES, LOADS)

VIEWS = (
    View(
        "latency",
        "Percentiles (nearest rank) of each trace by sender and method, over answered exchanges",
        f"SELECT trace_id, {LATENCY} FROM exchanges GROUP BY trace_id, sender, method",
        (
            _TRACE_ID,
            Column("sender", "VARCHAR", "who asked: client or agent"),
            Column("method", "VARCHAR", "the method"),
            Column("count", "BIGINT", "requests"),
            Column("answered", "BIGINT", "those that were answered"),
            Column("open", "BIGINT", "those that never were"),
            Column("errors", "BIGINT", "those that were answered with an error"),
            Column("min_ns", "BIGINT", "shortest latency"),
            Column("p50_ns", "BIGINT", "half took no longer"),
            Column("p95_ns", "BIGINT", "95 % took no longer"),
            Column("max_ns", "BIGINT", "longest latency"),
        ),
    ),
    View(
        "failures",
        "Exchanges that were answered with an error, or never",
        """
        SELECT e.trace_id, t.agent_name, t.agent_version, e.frame, e.sender, e.method, e.session_id,
               e.outcome, e.error_code
        FROM exchanges e JOIN traces t USING (trace_id) WHERE e.outcome <> 'result'
        """,
        (
            _TRACE_ID,
            Column("agent_name", "VARCHAR", "agentInfo.name"),
            Column("agent_version", "VARCHAR", "agentInfo.version"),
            Column("frame", "BIGINT", "the request"),
            Column("sender", "VARCHAR", "who asked"),
            Column("method", "VARCHAR", "the method"),
            Column("session_id", "VARCHAR", "the session"),
            Column("outcome", "VARCHAR", "error or open"),
            Column("error_code", "BIGINT", "the error's code"),
        ),
    ),
)

#: Holds the versions; not documented for queries, because nothing in it is about traces.
META = "acp_trace_store"

#: Takes up free space for a moment, while the database is written anew.
FILLER = "acp_trace_filler"


def statements() -> list[str]:
    """The SQL that makes an empty store."""
    return [f"CREATE TABLE {META} (version INTEGER, made_by VARCHAR)", *_creation(TABLES)]


def facts_anew() -> list[str]:
    """The SQL that makes the tables of facts and the views anew, all empty: to be derived from the frames."""
    dropped = [f"DROP VIEW IF EXISTS {view.name}" for view in VIEWS]
    dropped += [f"DROP TABLE IF EXISTS {table.name}" for table in FACTS]
    return [*dropped, *_creation(FACTS), "UPDATE loads SET analyzer_version = 0"]


def written_anew() -> list[str]:
    """The SQL that copies all tables of the store into new ones, which take their names and their place."""
    copied = [
        statement
        for table in TABLES
        for statement in (
            f"INSERT INTO {table.name} SELECT {table.names} FROM {table.name}_old",
            f"DROP TABLE {table.name}_old",
        )
    ]
    return [
        *(f"DROP VIEW IF EXISTS {view.name}" for view in VIEWS),
        *(f"ALTER TABLE {table.name} RENAME TO {table.name}_old" for table in TABLES),
        *_creation(TABLES),
        *copied,
    ]


def _creation(tables: Sequence[Table]) -> list[str]:
    """The SQL that makes some tables, and all views."""
    made = []
    for table in tables:
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        made.append(f"CREATE TABLE {table.name} ({columns})")
    made += [f"CREATE VIEW {view.name} AS {view.sql}" for view in VIEWS]
    documented: tuple[tuple[str, Sequence[Table | View]], ...] = (("TABLE", tables), ("VIEW", VIEWS))
    for kind, things in documented:
        for thing in things:
            made.append(f"COMMENT ON {kind} {thing.name} IS {_quoted(thing.doc)}")
            made += [
                f"COMMENT ON COLUMN {thing.name}.{column.name} IS {_quoted(column.doc)}"
                for column in thing.columns
            ]
    return made


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
