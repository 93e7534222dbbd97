"""The proof in small, and that it can fail: `just lake-proof` plays it with many traces and kills."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from acp_trace.places.place import SharedPlace
from acp_trace.store.sweep import load_files
from acp_trace.team.lake import log
from acp_trace.team.lake.build import build
from acp_trace.trace.home import Home
from tests.faults.stage import Lie
from tests.lake.proof import run
from tests.lake.proof.equal import equal
from tests.lake.proof.phases import PHASES
from tests.lake.test_build import committed
from tests.lake.traces import made_traces, place_at, push


@pytest.mark.slow
def test_in_small(capsys: pytest.CaptureFixture[str]) -> None:
    """What needs no cluster: built, built by two at once, and the builder killed once in each phase."""
    words = ["--traces", "6", "--kills", "7", "--rounds", "1", "--seed", "1"]
    names = ["database", "one machine", "two builders", "the builder"]
    assert run.main([*words, *(word for name in names for word in ("--only", name))]) == 0
    out = capsys.readouterr().out
    assert "4 scenarios, no lie" in out
    assert f"phases: {', '.join(f'1 {name}' for name in PHASES)}" in out


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[SharedPlace, Path]:
    """A place with tables, and a local database of the same traces."""
    directory = tmp_path_factory.mktemp("proof")
    files = made_traces(directory / "traces", 2, days=1)
    place = place_at(str(directory / "team"))
    push(place, files)
    build(place, 1)
    home = Home(directory / "home")
    load_files(home, files)
    return place, home.store


def _twice(place: SharedPlace, _: Path) -> None:
    """The rows of a file, once more."""
    with duckdb.connect() as connection:
        file = place.path_of(next(name for name in sorted(committed(place)) if "/turns/" in name))
        connection.execute(f"CREATE TABLE t AS FROM '{file}' UNION ALL FROM '{file}'")
        connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")


def _fewer(place: SharedPlace, _: Path) -> None:
    """A file without its first row."""
    with duckdb.connect() as connection:
        file = place.path_of(next(name for name in sorted(committed(place)) if "/frames/" in name))
        connection.execute(f"CREATE TABLE t AS FROM '{file}' OFFSET 1")
        connection.execute(f"COPY t TO '{file}' (FORMAT parquet)")


def _other(_: SharedPlace, database: Path) -> None:
    """Another value in a row of the database."""
    with duckdb.connect(database) as connection:
        connection.execute(
            "UPDATE traces SET agent_name = 'other' WHERE trace_id = (SELECT min(trace_id) FROM traces)"
        )


@pytest.mark.slow
def test_a_row_is_never_other_twice_or_away(built: tuple[SharedPlace, Path]) -> None:
    """The comparison passes as it is, and says in which table it differs when something is done to a row."""
    place, database = built
    assert log.newest(place).number == 1
    assert equal(place, database) > 100
    changes: list[tuple[Callable[[SharedPlace, Path], None], str]] = [
        (_twice, "turns"),
        (_fewer, "frames"),
        (_other, "traces"),
    ]
    for change, table in changes:
        kept = {path: path.read_bytes() for path in _files(place, database)}
        change(place, database)
        with pytest.raises(Lie, match=rf"^{table}: "):
            equal(place, database)
        for path, data in kept.items():
            path.write_bytes(data)
    assert equal(place, database) > 100


def _files(place: SharedPlace, database: Path) -> list[Path]:
    lake = place.path_of("lake")
    assert lake is not None
    return [database, *(Path(where, name) for where, _, names in os.walk(lake) for name in names)]
