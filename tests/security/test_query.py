"""`query`: the store and nothing else, whatever SQL somebody was talked into."""

from __future__ import annotations

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
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2,hunter2\n")
    (tmp_path / "out").mkdir()
    before, data = sorted(tmp_path.rglob("*")), store.read_bytes()
    asked = sql.format(secret=secret, out=tmp_path / "out" / "x", folder=tmp_path)
    with pytest.raises(BadQuery) as refused:
        _run(store, asked)
    assert "hunter2" not in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == before
    assert store.read_bytes() == data
    assert sorted(path.name for path in store.parent.iterdir()) == [store.name]


def _run(store: Path, sql: str) -> None:
    with query(store, sql) as result:
        assert "hunter2" not in str(list(result.rows))
