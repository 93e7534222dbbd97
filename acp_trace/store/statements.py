"""The SQL that the store allows: one statement, which only reads. DuckDB's own parser classifies it.

The kind of a statement is not enough: a SELECT may hold a COPY or an INSERT in its WITH, or call a function
that changes something. So its tree is looked at as well. What is not listed here is refused: a later DuckDB
may know more kinds, nodes and functions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb

ACCEPTED = (
    "query takes one statement that reads: SELECT, WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW or EXPLAIN"
)

#: DuckDB counts WITH, FROM, VALUES, TABLE, DESCRIBE, SUMMARIZE, SHOW, UNPIVOT and PIVOT … IN as SELECT.
READS = frozenset({"SELECT"})
#: The parts of a SELECT that are queries themselves. There are others for COPY, INSERT, UPDATE, DELETE.
_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
#: The functions that FROM may contain. Others read files, run SQL that is still text, or change something.
FUNCTIONS = frozenset({
    "duckdb_columns", "duckdb_constraints", "duckdb_databases", "duckdb_dependencies", "duckdb_functions",
    "duckdb_indexes", "duckdb_keywords", "duckdb_memory", "duckdb_optimizers", "duckdb_schemas",
    "duckdb_sequences", "duckdb_settings", "duckdb_tables", "duckdb_types", "duckdb_variables",
    "duckdb_views", "generate_series", "histogram", "histogram_values", "icu_calendar_names", "json_each",
    "json_tree", "pg_timezone_names", "pragma_collations", "pragma_database_size", "pragma_metadata_info",
    "pragma_platform", "pragma_show", "pragma_storage_info", "pragma_table_info", "pragma_user_agent",
    "pragma_version", "range", "repeat", "repeat_row", "summary", "test_all_types", "unnest",
})  # fmt: skip
_OPTION = r"(?:ANALYZE|FORMAT\s+'?\w+'?)"
_EXPLAIN = re.compile(
    rf"\s*EXPLAIN\b(?P<how>\s+ANALYZE\b)?(?P<form>\s*\(\s*{_OPTION}(?:\s*,\s*{_OPTION})*\s*\))?",
    re.IGNORECASE,
)
#: In the name of a file, which DuckDB takes for a table; the tables of a place are files that it may read.
_SEPARATORS = frozenset("/\\")
_AS_TREE = "SELECT json_serialize_sql(?::VARCHAR)"


class BadQuery(Exception):
    """The query is refused. The message is for people: ours, or DuckDB's, with the place marked."""


def checked(connection: duckdb.DuckDBPyConnection, sql: str) -> str:
    """The SQL to run for this SQL. Runs nothing of it. Raises BadQuery and duckdb.Error."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise BadQuery(f"{ACCEPTED}; {'here is none' if not statements else f'these are {len(statements)}'}")
    (statement,) = statements
    text: str = statement.query
    before = ""
    if kind_of(statement) == "EXPLAIN":
        # The statement is reassembled, so that DuckDB explains what was checked.
        if not (match := _EXPLAIN.match(text)):
            raise BadQuery(f"{ACCEPTED}; nothing may come before EXPLAIN")
        before, text = f"EXPLAIN{match['how'] or ''}{match['form'] or ''} ", text[match.end() :]
        explained = connection.extract_statements(text)
        if len(explained) != 1:
            raise BadQuery(ACCEPTED)
        (statement,) = explained
    if kind_of(statement) == "MULTI":
        raise BadQuery(f"{ACCEPTED}; PIVOT needs its values: PIVOT … ON column IN ('a', 'b')")
    if kind_of(statement) not in READS:
        raise BadQuery(f"{ACCEPTED}; this is {kind_of(statement).replace('_', ' ')}")
    _look(connection, text)
    return before + text


def kind_of(statement: duckdb.Statement) -> str:
    """The name of its kind; its number, where Python's duckdb has no name for it (UPDATE EXTENSIONS)."""
    try:
        return statement.type.name
    except ValueError as error:
        return f"kind {str(error).partition(' ')[0]}"


def _look(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    """Refuses a SELECT that does more than read."""
    (tree,) = connection.execute(_AS_TREE, [text]).fetchone() or ("{}",)
    try:
        plan = json.loads(tree)
    except RecursionError:
        raise BadQuery("the query is nested too deeply") from None
    if plan.get("error") is not False or len(plan["statements"]) != 1:
        raise BadQuery(f"{ACCEPTED}; {plan.get('error_message', 'this is something else')}")
    for node in _nodes(plan):
        kind = node.get("type")
        if isinstance(kind, str) and kind.endswith("_NODE") and kind not in _NODES:
            raise BadQuery(f"{ACCEPTED}; this contains {kind.partition('_')[0]}")
        if kind == "BASE_TABLE" and not _SEPARATORS.isdisjoint(node["table_name"]):
            raise BadQuery(f"query reads tables, not files: {node['table_name'][:200]}")
        if kind == "TABLE_FUNCTION":
            name = node["function"].get("function_name", "")
            if name.lower() not in FUNCTIONS:
                raise BadQuery(
                    f"query does not accept {name}() in FROM: it could do more than read the store"
                )


def _nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object in a JSON document."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            yield node
            left += node.values()
        elif isinstance(node, list):
            left += node
