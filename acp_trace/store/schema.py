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
from acp_trace.analyze.listing import LOCAL_DATE, LOGGED_AT
from acp_trace.store.latency_sql import LATENCY
from acp_trace.store.literals import quoted

#: The layout of tables and views. A store with a higher number was made by a newer acp-trace.
VERSION = 17


@dataclass(frozen=True, slots=True)
class SqlColumn:
    """One column: its SQL type and what it holds."""

    name: str
    type: str
    doc: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `fact` is the class whose fields are its columns after `trace_id`."""

    name: str
    doc: str
    columns: tuple[SqlColumn, ...]
    fact: type | None = None

    @property
    def names(self) -> str:
        """The columns for an SQL list."""
        return ", ".join(column.name for column in self.columns)


@dataclass(frozen=True, slots=True)
class SqlView:
    """A view; its columns explain themselves in `columns`.

    `template`: its SQL, with MORE behind `trace_id` and at the end of its columns.
    """

    name: str
    doc: str
    template: str
    columns: tuple[SqlColumn, ...] = ()

    def sql(self, *more: str) -> str:
        """Its SQL. `more`: columns of its tables that are the same in all rows of a trace."""
        return self.template.replace("MORE", "".join(f", {name}" for name in more))


_TRACE_ID = SqlColumn("trace_id", "VARCHAR", "the trace")
_TYPES = {int: "BIGINT", str: "VARCHAR", bool: "BOOLEAN"}


def _sql_type(hint: Any) -> str:
    inner = [one for one in getattr(hint, "__args__", (hint,)) if one is not type(None)]
    return _TYPES[inner[0]]


def _of(name: str, fact: type) -> Table:
    hints = get_type_hints(fact)
    columns = [
        SqlColumn(field.name, _sql_type(hints[field.name]), field.metadata["doc"])
        for field in dataclasses.fields(fact)
    ]
    if fact is facts.Trace:
        columns[0] = SqlColumn("trace_id", "VARCHAR", columns[0].doc)
    else:
        columns.insert(0, _TRACE_ID)
    return Table(name, _first_line(fact), tuple(columns), fact)


def _first_line(fact: type) -> str:
    return (fact.__doc__ or "").partition("\n")[0].rstrip(".")


FRAMES = Table(
    "frames",
    "Every frame, verbatim, with columns to filter by",
    (
        _TRACE_ID,
        SqlColumn("frame", "BIGINT", "its number in the trace, from 1"),
        SqlColumn("t_ns", "BIGINT", "when it was read, in ns from the start of the trace"),
        SqlColumn("sender", "VARCHAR", "client or agent"),
        SqlColumn("kind", "VARCHAR", "request, notification, response, invalid, text or bytes"),
        SqlColumn("method", "VARCHAR", "the method; for a response, the method of its request"),
        SqlColumn("id", "VARCHAR", "the id's JSON text"),
        SqlColumn("id_type", "VARCHAR", "the id's JSON type"),
        SqlColumn("answers", "BIGINT", "for a response, the frame of its request"),
        SqlColumn("session_id", "VARCHAR", "the session it belongs to"),
        SqlColumn("update_kind", "VARCHAR", "the kind of a session/update"),
        SqlColumn("size", "BIGINT", "bytes, without the newline"),
        SqlColumn("partial", "BOOLEAN", "whether the sender ended before it wrote the newline of this frame"),
        SqlColumn("body", "VARCHAR", "the text verbatim; NULL if it is not UTF-8"),
        SqlColumn("bytes", "BLOB", "the bytes of a frame that is not UTF-8"),
        SqlColumn("stream", "BIGINT", "the stream on which it was sent; NULL over standard input and output"),
    ),
)

LINES = Table(
    "lines",
    "Lines of the trace file that the frames table cannot give back exactly; export needs them",
    (
        _TRACE_ID,
        SqlColumn("line", "BIGINT", "line number in the file, from 1"),
        SqlColumn(
            "kind",
            "VARCHAR",
            "header, frame, text, base64, log, gap, end, model, http, unknown, damaged, torn",
        ),
        SqlColumn("raw", "BLOB", "the line verbatim, with its newline"),
    ),
)

LOGS = Table(
    "logs",
    "What the agent wrote to stderr, line by line",
    (
        _TRACE_ID,
        SqlColumn("line", "BIGINT", "line number in the file"),
        SqlColumn("t_ns", "BIGINT", "when it was read, in ns from the start of the trace"),
        SqlColumn("text", "VARCHAR", "the line"),
    ),
)

DAMAGE = Table(
    "damage",
    "Lines of the trace file that could not be read (the first hundred)",
    (
        _TRACE_ID,
        SqlColumn("line", "BIGINT", "line number in the file"),
        SqlColumn("problem", "VARCHAR", "why the line could not be read"),
    ),
)

LOADS = Table(
    "loads",
    "When each trace was imported, and from which lines",
    (
        _TRACE_ID,
        SqlColumn("loaded_at", "VARCHAR", "when, RFC 3339 in UTC"),
        SqlColumn(
            "file_bytes",
            "BIGINT",
            "size in bytes of the lines of the trace file or, for a capture, of the JSON Lines made from it",
        ),
        SqlColumn("sha256", "VARCHAR", "digest of these lines"),
        SqlColumn("analyzer_version", "BIGINT", "version of the rules by which acp-trace analysed the trace"),
    ),
)

#: The traces with when they began: what orders them, as `analyze.listing.Listing.began`.
TRACES_BY_AGE = f"""(
SELECT *, coalesce(
  started_at,
  CASE WHEN origin = 'imported' AND regexp_full_match(labels ->> '{LOGGED_AT}', '{LOCAL_DATE}')
  THEN replace(replace(labels ->> '{LOGGED_AT}', ' ', 'T'), ',', '.') END,
  loaded_at
) AS began FROM traces LEFT JOIN loads USING (trace_id)
)"""

#: What is derived from the frames, and derived again when the analyser's rules change.
FACTS: tuple[Table, ...] = (
    _of("traces", facts.Trace),
    *(_of(name, rows) for name, rows in facts.ROWS.items()),
)

TABLES: tuple[Table, ...] = (*FACTS, FRAMES, LOGS, DAMAGE, LINES, LOADS)

VIEWS = (
    SqlView(
        "latency",
        "Percentiles (nearest rank) of latency in each trace by sender and method, over answered exchanges",
        f"SELECT trace_id, {LATENCY} MORE FROM exchanges GROUP BY trace_id MORE, sender, method",
        (
            _TRACE_ID,
            SqlColumn("sender", "VARCHAR", "the side that sent the request: client or agent"),
            SqlColumn("method", "VARCHAR", "the method"),
            SqlColumn("count", "BIGINT", "requests"),
            SqlColumn("answered", "BIGINT", "requests that were answered"),
            SqlColumn("open", "BIGINT", "requests that were never answered"),
            SqlColumn("errors", "BIGINT", "requests that were answered with an error"),
            SqlColumn("min_ns", "BIGINT", "shortest latency"),
            SqlColumn("p50_ns", "BIGINT", "median latency: half took no longer"),
            SqlColumn("p95_ns", "BIGINT", "95th percentile: 95 % took no longer"),
            SqlColumn("max_ns", "BIGINT", "longest latency"),
        ),
    ),
    SqlView(
        "failures",
        "Exchanges that were answered with an error, or never",
        """
        SELECT trace_id, t.agent_name, t.agent_version, e.frame, e.sender, e.method, e.session_id,
               e.outcome, e.error_code MORE
        FROM exchanges e JOIN traces t USING (trace_id MORE) WHERE e.outcome <> 'result'
        """,
        (
            _TRACE_ID,
            SqlColumn("agent_name", "VARCHAR", "agentInfo.name"),
            SqlColumn("agent_version", "VARCHAR", "agentInfo.version"),
            SqlColumn("frame", "BIGINT", "the request"),
            SqlColumn("sender", "VARCHAR", "the side that sent the request"),
            SqlColumn("method", "VARCHAR", "the method"),
            SqlColumn("session_id", "VARCHAR", "the session"),
            SqlColumn("outcome", "VARCHAR", "error or open"),
            SqlColumn("error_code", "BIGINT", "the error's code"),
        ),
    ),
)

#: Holds the versions; not documented for queries, because nothing in it is about traces.
META = "acp_trace_store"

#: Takes up free space for a moment, while the database is rewritten.
FILLER = "acp_trace_filler"


def statements() -> list[str]:
    """The SQL that makes an empty store."""
    return [f"CREATE TABLE {META} (version INTEGER, made_by VARCHAR)", *_creation(TABLES)]


def uncommented() -> list[str]:
    """The SQL that makes its tables and views without comments, which take most of the time."""
    return _structure(TABLES)


def new_facts() -> list[str]:
    """The SQL that remakes the tables of facts and the views, all empty: to be derived from the frames."""
    dropped = [f"DROP VIEW IF EXISTS {view.name}" for view in VIEWS]
    dropped += [f"DROP TABLE IF EXISTS {table.name}" for table in FACTS]
    return [*dropped, *_creation(FACTS), "UPDATE loads SET analyzer_version = 0"]


def added(table: Table, name: str) -> list[str]:
    """The SQL that adds a column to a table, with NULL in every row: it has to be the table's last one."""
    column = next(each for each in table.columns if each.name == name)
    return [f"ALTER TABLE {table.name} ADD COLUMN {name} {column.type}", _comment(table, column)]


def rewritten() -> list[str]:
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
    """The SQL that makes some tables, and all views, and says what they contain."""
    return [*_structure(tables), *_comments(tables)]


def _structure(tables: Sequence[Table]) -> list[str]:
    made = []
    for table in tables:
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        made.append(f"CREATE TABLE {table.name} ({columns})")
    return [*made, *(f"CREATE VIEW {view.name} AS {view.sql()}" for view in VIEWS)]


def _comments(tables: Sequence[Table]) -> list[str]:
    made = []
    documented: tuple[tuple[str, Sequence[Table | SqlView]], ...] = (("TABLE", tables), ("VIEW", VIEWS))
    for kind, things in documented:
        for thing in things:
            made.append(f"COMMENT ON {kind} {thing.name} IS {quoted(thing.doc)}")
            made += [_comment(thing, column) for column in thing.columns]
    return made


def _comment(thing: Table | SqlView, column: SqlColumn) -> str:
    return f"COMMENT ON COLUMN {thing.name}.{column.name} IS {quoted(column.doc)}"
