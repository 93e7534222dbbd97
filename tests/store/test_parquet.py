"""`export --to parquet`: every table of a trace as a file, with types, read back by DuckDB, pyarrow, pandas and Polars."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from acp_trace.store import schema
from tests.commands import Commands
from tests.support import SAMPLES

_SAMPLE = next(path for path in SAMPLES if path.stem == "gemini-model")


def _exported(commands: Commands, trace: str | Path, directory: Path) -> Path:
    said = commands.json("export", trace, "--to", "parquet", "--out", directory)
    assert said["bytes"] == sum(file.stat().st_size for file in directory.iterdir())
    assert (said["file"], said["format"]) == (str(directory), "parquet")
    return directory


@pytest.mark.parametrize("from_store", [True, False])
def test_every_table_has_its_rows_and_types(commands: Commands, tmp_path: Path, *, from_store: bool) -> None:
    """The files have what the store has, from the store and from a file alike; nothing of the user's store is touched."""
    commands.passes("load", _SAMPLE)
    trace: str | Path = "last" if from_store else _SAMPLE
    directory = _exported(commands, trace, tmp_path / "it's tables")
    assert {file.name for file in directory.iterdir()} == {f"{table.name}.parquet" for table in schema.TABLES}
    with duckdb.connect(commands.home.store, read_only=True) as store, duckdb.connect() as connection:
        for table in schema.TABLES:
            file = str(directory / f"{table.name}.parquet")
            found = connection.execute("SELECT * FROM read_parquet(?)", [file])
            columns = [(name, str(type_)) for name, type_, *_ in found.description or ()]
            assert [name for name, _ in columns] == [column.name for column in table.columns]
            types = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [file]).fetchall()
            assert [row[1] for row in types] == [column.type for column in table.columns]
            if table.name != "loads":  # when it was loaded
                assert (
                    connection.execute("SELECT * FROM read_parquet(?)", [file]).fetchall()
                    == store.execute(f"SELECT * FROM {table.name}").fetchall()
                )
        codecs = connection.execute(
            "SELECT DISTINCT compression FROM parquet_metadata(?)", [str(directory / "frames.parquet")]
        )
        assert codecs.fetchall() == [("ZSTD",)]
        slowest = connection.execute(
            f"SELECT prompt FROM '{str(directory / 'turns.parquet').replace(chr(39), chr(39) * 2)}' ORDER BY duration_ns DESC LIMIT 1"
        )
        assert slowest.fetchall() == [("RUN echo 'Buy milk.' > notes.txt && ls",)]


@pytest.mark.slow
def test_pyarrow_reads_it(commands: Commands, tmp_path: Path) -> None:
    """Another reader of Parquet gives the same rows."""
    parquet = pytest.importorskip("pyarrow.parquet")
    directory = _exported(commands, _SAMPLE, tmp_path / "tables")
    turns = parquet.read_table(directory / "turns.parquet").to_pylist()
    assert [turn["stop_reason"] for turn in turns] == ["end_turn", "cancelled", "end_turn"]
    assert all(isinstance(turn["duration_ns"], int) for turn in turns)


@pytest.mark.slow
def test_pandas_and_polars_answer_the_same(commands: Commands, tmp_path: Path) -> None:
    """Which tool call took longest, and how many frames each side sent: as the store says."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    commands.passes("load", _SAMPLE)
    directory = _exported(commands, "last", tmp_path / "tables")
    (longest,) = commands.json("query", "SELECT id, duration_ns FROM tool_calls ORDER BY 2 DESC LIMIT 1")
    frames = {row["sender"]: row["n"] for row in commands.json("query", "SELECT sender, count(*) AS n FROM frames GROUP BY 1")}  # fmt: skip
    assert len(frames) == 2
    tools = pandas.read_parquet(directory / "tool_calls.parquet")
    assert tools.loc[tools["duration_ns"].idxmax(), ["id", "duration_ns"]].to_dict() == longest
    assert pandas.read_parquet(directory / "frames.parquet")["sender"].value_counts().to_dict() == frames
    by_polars = polars.read_parquet(directory / "tool_calls.parquet").sort("duration_ns", nulls_last=True)
    assert by_polars.select("id", "duration_ns").row(-1, named=True) == longest
    counted = polars.scan_parquet(directory / "frames.parquet").group_by("sender").len().collect()
    assert dict(counted.iter_rows()) == frames


def test_nothing_is_written_over_or_half(commands: Commands, tmp_path: Path) -> None:
    """A directory that is there stays as it is, and what cannot be loaded leaves none."""
    (tmp_path / "tables").mkdir()
    assert commands("export", _SAMPLE, "--to", "parquet", "--out", tmp_path / "tables").code == 2
    assert commands("export", _SAMPLE, "--to", "parquet").code == 2
    (tmp_path / "t.jsonl").write_bytes(b'{"acp_trace":99}\n')
    assert commands("export", tmp_path / "t.jsonl", "--to", "parquet", "--out", tmp_path / "new").code == 3
    assert {path.name for path in tmp_path.iterdir()} & {"new"} == set()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".acp-trace-")]
