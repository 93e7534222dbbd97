"""What may be asked: every kind of statement that DuckDB has, and every function that stands in FROM."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from acp_trace.store.statements import FUNCTIONS, BadQuery, checked, kind_of

#: For each kind, SQL of it. Those without any are made by no text.
_KINDS: dict[str, tuple[str, ...]] = {
    "SELECT": (
        "SELECT 1",
        "SELECT 1;",
        "-- why\nSELECT 1",
        "WITH a AS (SELECT 1) FROM a",
        "WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM a WHERE n < 3) FROM a",
        "FROM t",
        "FROM t SELECT a",
        "TABLE t",
        "VALUES (1)",
        "(SELECT 1) UNION ALL (VALUES (2)) ORDER BY 1",
        "DESCRIBE t",
        "DESCRIBE SELECT 1",
        "SUMMARIZE t",
        "SHOW TABLES",
        "SHOW ALL TABLES",
        "PIVOT t ON a IN (1, 2) USING count(*)",
        "UNPIVOT t ON a INTO NAME n VALUE v",
        "FROM range(3)",
        "SELECT copy FROM (SELECT 1 AS copy)",
        "SELECT * FROM json_each('[1]')",
        "FROM duckdb_columns()",
        "SELECT unnest([1])",
    ),
    "EXPLAIN": (
        "EXPLAIN SELECT 1",
        "explain analyze FROM t",
        "EXPLAIN (FORMAT json) FROM t",
        "EXPLAIN (ANALYZE, FORMAT json) FROM t",
    ),
    "INSERT": ("INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1) RETURNING *"),
    "UPDATE": ("UPDATE t SET a = 1",),
    "DELETE": ("DELETE FROM t", "TRUNCATE t"),
    "MERGE_INTO": ("MERGE INTO t USING t AS u ON true WHEN MATCHED THEN DELETE",),
    "CREATE": ("CREATE TABLE x (a INT)", "CREATE TEMP MACRO m() AS 1", "CREATE SECRET s (TYPE http)"),
    "ALTER": ("ALTER TABLE t ADD COLUMN b INT", "COMMENT ON TABLE t IS 'x'"),
    "DROP": ("DROP TABLE t", "DEALLOCATE p"),
    "PREPARE": ("PREPARE p AS SELECT 1",),
    "EXECUTE": ("EXECUTE p",),
    "TRANSACTION": ("BEGIN", "COMMIT", "ROLLBACK"),
    "COPY": ("COPY t TO 'x'", "COPY t FROM 'x'"),
    "COPY_DATABASE": ("COPY FROM DATABASE a TO b (SCHEMA)",),
    "EXPORT": ("EXPORT DATABASE 'x'",),
    "PRAGMA": ("PRAGMA table_info('t')", "IMPORT DATABASE 'x'"),
    "VACUUM": ("VACUUM", "ANALYZE"),
    "CALL": ("CALL duckdb_tables()", "CHECKPOINT", "FORCE CHECKPOINT"),
    "SET": ("SET threads = 1", "SET VARIABLE x = 1", "RESET threads", "USE memory"),
    "LOAD": ("LOAD json", "INSTALL json"),
    "ATTACH": ("ATTACH ':memory:' AS x",),
    "DETACH": ("DETACH x",),
    "MULTI": ("PIVOT t ON a USING count(*)",),
    "kind 29": ("UPDATE EXTENSIONS",),
    **dict.fromkeys(
        ("INVALID", "ANALYZE", "VARIABLE_SET", "CREATE_FUNC", "RELATION", "EXTENSION", "LOGICAL_PLAN"), ()
    ),
}
_READ = {"SELECT", "EXPLAIN"}


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        yield connection


def test_every_kind_is_known() -> None:
    """A kind that a new DuckDB brings has to be thought about here."""
    assert set(duckdb.StatementType.__members__) <= set(_KINDS)


@pytest.mark.parametrize(("kind", "sql"), [(kind, sql) for kind, some in _KINDS.items() for sql in some])
def test_only_what_reads_is_taken(connection: duckdb.DuckDBPyConnection, kind: str, sql: str) -> None:
    """What is taken also runs as it is given back."""
    assert [kind_of(one) for one in connection.extract_statements(sql)] == [kind]
    if kind in _READ:
        connection.execute(checked(connection, sql)).fetchall()
        assert connection.execute("FROM t").fetchall() == [(1,)]
    else:
        with pytest.raises(BadQuery, match=r"^query takes one statement that reads"):
            checked(connection, sql)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("", "here is none"),
        ("-- nothing", "here is none"),
        (";;", "here is none"),
        ("SELECT 1; SELECT 2", "these are 2"),
        ("SELECT 1; DROP TABLE t; SELECT 2", "these are 3"),
        ("WITH a AS (COPY t TO 'x') FROM a", "this contains COPY"),
        ("WITH a AS (INSERT INTO t VALUES (2) RETURNING *) FROM a", "this contains INSERT"),
        ("WITH a AS (UPDATE t SET a = 2 RETURNING *) FROM a", "this contains UPDATE"),
        ("SELECT (WITH a AS (DELETE FROM t RETURNING *) SELECT 1 FROM a)", "this contains DELETE"),
        ("FROM (WITH a AS (COPY t TO 'x') FROM a)", "this contains COPY"),
        ("SELECT 1 UNION ALL (WITH a AS (COPY t TO 'x') FROM a)", "this contains COPY"),
        ("EXPLAIN WITH a AS (COPY t TO 'x') FROM a", "this contains COPY"),
        ("EXPLAIN ANALYZE INSERT INTO t VALUES (2)", "this is INSERT"),
        ("FROM checkpoint()", r"does not accept checkpoint\(\) in FROM"),
        ("FROM system.main.Checkpoint()", r"does not accept \w*\(\) in FROM"),
        ("FROM t, LATERAL (FROM query('SELECT 1'))", r"does not accept query\(\) in FROM"),
        ("FROM '/team/lake/turns/*/*.parquet'", "reads tables, not files: /team/lake/turns"),
        ("FROM t WHERE EXISTS (WITH a AS (FROM 'a/b.csv') FROM a)", "not files: a/b.csv"),
        (r"SUMMARIZE 'C:\a.csv'", "not files: C:"),
        ("PIVOT t ON a USING count(*)", "PIVOT needs its values"),
        ("SELEC 1", "syntax error"),
    ],
)  # fmt: skip
def test_what_hides_in_what_reads(connection: duckdb.DuckDBPyConnection, sql: str, why: str) -> None:
    """Of several statements none is run, of one no part; DuckDB's own errors go through."""
    with pytest.raises((BadQuery, duckdb.ParserException), match=why):
        checked(connection, sql)
    assert connection.execute("FROM t").fetchall() == [(1,)]


def test_deep_nesting_ends_in_an_error(connection: duckdb.DuckDBPyConnection) -> None:
    """Of DuckDB or of ours, and no other; what DuckDB can run is taken."""
    sql = "SELECT " + "(SELECT " * 100 + "1" + ")" * 100
    assert connection.execute(checked(connection, sql)).fetchall() == [(1,)]
    for depth in (400, 1000):
        with pytest.raises((BadQuery, duckdb.Error)):
            connection.execute(checked(connection, "SELECT " + "(SELECT " * depth + "1" + ")" * depth))


def test_functions_are_listed_one_by_one(connection: duckdb.DuckDBPyConnection) -> None:
    """All that are allowed exist; all others of this DuckDB are refused."""
    rows = connection.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE function_type IN ('table', 'table_macro')"
    ).fetchall()
    names = {name for (name,) in rows}
    assert names >= FUNCTIONS
    assert not FUNCTIONS & {"query", "query_table", "checkpoint", "glob", "json_execute_serialized_sql"}
    assert not {name for name in FUNCTIONS if name.startswith(("read_", "enable_", "disable_"))}
    for name in names - FUNCTIONS:
        with pytest.raises(BadQuery, match="in FROM"):
            checked(connection, f"FROM {name}()")
