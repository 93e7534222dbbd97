"""`query`: the store and nothing else, whatever SQL somebody was talked into."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from acp_trace.store.connect import writing
from acp_trace.store.query import BadQuery, query

_SQL = (
    "COPY traces TO '{out}'",
    "COPY (SELECT 1) TO '{out}' (FORMAT parquet)",
    "COPY traces FROM '{secret}'",
    "EXPORT DATABASE '{out}'",
    "IMPORT DATABASE '{out}'",
    "ATTACH '{out}'",
    "ATTACH '{out}' AS x (READ_ONLY)",
    "ATTACH ':memory:' AS x; CREATE TABLE x.t AS FROM read_text('{secret}')",
    "DETACH store",
    "FROM read_csv('{secret}')",
    "FROM read_csv_auto('{secret}')",
    "FROM read_text('{secret}')",
    "FROM read_blob('{secret}')",
    "FROM read_json('{secret}')",
    "FROM read_ndjson_objects('{secret}')",
    "FROM read_parquet('{secret}')",
    "FROM read_duckdb('{secret}')",
    "FROM sniff_csv('{secret}')",
    "FROM parquet_metadata('{secret}')",
    "FROM glob('{folder}/*')",
    "FROM '{secret}'",
    'FROM "{secret}"',
    "SELECT getenv('HOME') AS x",
    "INSTALL httpfs",
    "FORCE INSTALL httpfs FROM 'http://localhost'",
    "LOAD httpfs",
    "LOAD '{secret}'",
    "UPDATE EXTENSIONS",
    "SET enable_external_access = true",
    "RESET enable_external_access",
    "SET GLOBAL temp_directory = '{folder}'",
    "SET lock_configuration = false",
    "SET allowed_paths = ['{secret}']",
    "SET allowed_directories = ['{folder}']",
    "SET home_directory = '{folder}'",
    "SET secret_directory = '{folder}'",
    "SET extension_directory = '{folder}'",
    "SET log_query_path = '{out}'",
    "SET profiling_output = '{out}'",
    "PRAGMA enable_profiling = 'json'; PRAGMA profiling_output = '{out}'",
    "PRAGMA enable_logging",
    "CALL enable_logging(storage = 'file', storage_path = '{out}')",
    "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CREATE TABLE x AS SELECT 1",
    "CREATE OR REPLACE VIEW latency AS SELECT 1",
    "DELETE FROM traces",
    "UPDATE traces SET trace_id = 'x'",
    "INSERT INTO logs VALUES ('a', 1, 1, 'b')",
    "DROP TABLE frames",
    "ALTER TABLE frames ADD COLUMN x INT",
    "VACUUM; COPY frames TO '{out}'",
    "BEGIN; COPY frames TO '{out}'; COMMIT",
    "PREPARE p AS FROM read_text('{secret}'); EXECUTE p",
    "CREATE TEMP MACRO m() AS TABLE FROM read_text('{secret}'); FROM m()",
    "SELECT * FROM query('FROM read_text(''{secret}'')')",
    "SELECT * FROM query_table('{secret}')",
    "EXPLAIN ANALYZE FROM read_text('{secret}')",
    "SUMMARIZE '{secret}'",
    ("SET VARIABLE p=(SELECT path||'.wal' FROM duckdb_databases() WHERE database_name='store'); "
     "COPY (SELECT 'x') TO (getvariable('p'))"),
    "COPY (SELECT 'x') TO '{store}' (USE_TMP_FILE false)",
    "COPY (SELECT 'x') TO '{store}.wal'",
    "COPY (SELECT 'x') TO '{store}.wal.recovery'",
    "COPY (SELECT 'x') TO '{store}.wal.checkpoint'",
    "COPY (SELECT 'x') TO '{store}.tmp/x'",
    "COPY (SELECT 'x') TO '{store}.tmp/../x'",
    "COPY (SELECT 'x' AS a) TO '{store}.tmp/x' (FORMAT parquet, PARTITION_BY (a))",
    "EXPLAIN ANALYZE COPY (SELECT 'x') TO '{store}.wal'",
    "EXPLAIN /* SELECT 1 */ ANALYZE COPY (SELECT 'x') TO '{store}.wal'",
    "WITH c AS (COPY (SELECT 'x') TO '{store}.wal') FROM c",
    "WITH c AS (COPY (SELECT 'x') TO '{store}' (USE_TMP_FILE false)) FROM c",
    "WITH c AS MATERIALIZED (COPY traces TO '{out}') SELECT * FROM (FROM c)",
    "EXPLAIN ANALYZE WITH c AS (COPY (SELECT 'x') TO '{store}.wal') FROM c",
    "SELECT (WITH c AS (COPY (SELECT 'x') TO '{store}.wal') SELECT count(*) FROM c)",
    "FROM query('WITH c AS (COPY (SELECT 1) TO ''{store}.wal'') FROM c')",
    ("FROM json_execute_serialized_sql(json_serialize_sql("
     "'WITH c AS (COPY (SELECT 1) TO ''{store}.wal'') FROM c'))"),
    "WITH c AS (INSERT INTO logs VALUES ('a', 1, 1, 'b') RETURNING *) FROM c",
    "WITH c AS (DELETE FROM traces RETURNING *) FROM c",
    "WITH c AS (UPDATE traces SET trace_id = 'x' RETURNING *) FROM c",
    "ATTACH '{store}.wal' AS x",
    "FROM read_blob('{store}')",
    "FROM read_duckdb('{store}')",
    "SELECT 1; COPY (SELECT 'x') TO '{store}.wal'",
    "COPY (SELECT 'x') TO '{store}.wal'; SELECT 1",
    "FROM enable_logging(storage := 'file', storage_path := '{store}.tmp')",
    "FROM enable_profiling(save_location := '{store}.wal')",
    "CALL force_checkpoint('store')",
    "FROM checkpoint()",
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home") / "store.duckdb"
    with writing(path):
        pass
    return path


@pytest.mark.parametrize("sql", _SQL)
def test_nothing_outside_is_read_or_written(store: Path, tmp_path: Path, sql: str) -> None:
    """Refused, without a word of what is in the file, and without a new one."""
    asked, before = _prepared(store, tmp_path, sql)
    with pytest.raises(BadQuery) as refused:
        _run(store, asked)
    assert "hunter2" not in str(refused.value)
    assert _files(tmp_path) == before[0]
    assert _files(store.parent) == before[1]


@pytest.mark.parametrize("sql", _SQL)
def test_a_statement_that_got_through_would_find_nothing_to_write(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    """The second wall alone: whatever DuckDB says, no file of the home or beside it has changed."""
    asked, before = _prepared(store, tmp_path, sql)
    monkeypatch.setattr("acp_trace.store.query.checked", lambda _, sql: sql)
    with suppress(BadQuery):
        _run(store, asked)
    assert _files(tmp_path) == before[0]
    assert _files(store.parent) == before[1]


def test_the_names_that_duckdb_allows_lead_nowhere(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in its own settings as readable and writable is not there; nor is the store among it."""
    monkeypatch.setattr("acp_trace.store.query.checked", lambda _, sql: sql)
    with query(store, "SELECT current_setting('allowed_paths'), path FROM duckdb_databases()") as result:
        ((allowed, path), *_) = result.rows
        assert [name for name in allowed if Path(name).exists()] == []
        assert str(store) not in allowed
        own = "COPY (SELECT 'x') TO '{}' (USE_TMP_FILE false)"
        for name in (path, f"{path}.wal"):
            with suppress(BadQuery):
                _run(store, own.format(name))
    assert [one.name for one in store.parent.iterdir()] == [store.name]
    with query(store, "SELECT count(*) FROM traces") as result:
        assert list(result.rows) == [(0,)]


def _prepared(store: Path, folder: Path, sql: str) -> tuple[str, tuple[_Files, _Files]]:
    """The SQL with paths in it, and what is there before."""
    secret = folder / "secret.txt"
    secret.write_text("hunter2,hunter2\n")
    (folder / "out").mkdir()
    asked = sql.format(secret=secret, out=folder / "out" / "x", folder=folder, store=store)
    return asked, (_files(folder), _files(store.parent))


_Files = dict[str, bytes | None]


def _files(folder: Path) -> _Files:
    """Every file below a directory, byte for byte, and every directory."""
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def _run(store: Path, sql: str) -> None:
    with query(store, sql) as result:
        assert "hunter2" not in str(list(result.rows))
