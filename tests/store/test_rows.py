"""Rows on their way into the tables: how many wait in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

from acp_trace.store import collected_rows, export, rows, schema
from acp_trace.store.bulk_insert import InsertColumn
from acp_trace.store.connect import writing
from acp_trace.store.load import load
from acp_trace.store.rows_of_many import RowsOfMany
from tests.support import HEADER, Home, analyzed, line, trace

Batch = dict[str, Sequence[Any]]


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> list[Batch]:
    """What is inserted, in place of inserting it: of each batch of `frames`, its columns."""
    taken: list[Batch] = []

    def insert(_: object, table: str, columns: Sequence[InsertColumn]) -> None:
        assert table == "frames"
        taken.append({column.name: column.values for column in columns})

    monkeypatch.setattr(rows, "insert", insert)
    return taken


@pytest.mark.parametrize(
    ("pads", "counts"),
    [
        ([900] * 25, [11, 11, 3]),  # ten of them are 9,150 bytes, which is less than a batch
        ([20_000] * 3, [1, 1, 1]),
        ([9_000, 2_000, 10, 10, 10], [2, 3]),
        ([10] * 110, [50, 50, 10]),
    ],
    ids=["large", "each larger than a batch", "mixed", "small"],
)
def test_batches_are_bounded_by_bytes(
    monkeypatch: pytest.MonkeyPatch, batches: list[Batch], pads: list[int], counts: list[int]
) -> None:
    """Frames of megabytes are not kept until there are many of them; no frame is lost or moved."""
    monkeypatch.setattr(collected_rows, "BATCH_BYTES", 10_000)
    monkeypatch.setattr(collected_rows, "BATCH", 50)
    frames = analyzed(trace(*[("agent", {"n": n, "pad": "x" * pad}) for n, pad in enumerate(pads)]))[1]
    with duckdb.connect() as connection, rows.Rows(connection, "some-id") as made:
        for frame in frames:
            made.frame(frame)
    assert [len(batch["frame"]) for batch in batches] == counts
    assert [number for batch in batches for number in batch["frame"]] == [frame.frame for frame in frames]
    assert [body for batch in batches for body in batch["body"]] == [frame.data for frame in frames]


def test_all_tables_together_are_bounded_by_bytes(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A line of text stands in `frames` and in `lines`, one of stderr in `logs` and in `lines`."""
    monkeypatch.setattr(collected_rows, "BATCH_BYTES", 100_000)
    most = 0

    def watched(plain: Callable[..., None]) -> Callable[..., None]:
        def run(self: rows.Rows, *args: Any) -> None:
            nonlocal most
            plain(self, *args)
            kept = [item for some in self._others.values() for row in some for item in row]
            kept += [frame.data for frame in self._frames]
            most = max(most, sum(len(item) for item in kept if isinstance(item, (str, bytes))))

        return run

    for name in ("add", "frame"):
        monkeypatch.setattr(rows.Rows, name, watched(getattr(rows.Rows, name)))
    path = tmp_path / "t.jsonl"
    text = [line(t=n, **{"from": "agent"}, text="x" * 20_000) for n in range(50)]
    logs = [line(t=n, log="x" * 20_000) for n in range(50)]
    path.write_bytes(trace(end=False) + b"".join(text) + b"".join(logs))
    with writing(home.store) as connection:
        load(connection, path)
        assert b"".join(export.file(lambda: nullcontext(connection), HEADER["id"])) == path.read_bytes()
    assert 60_000 < most < 110_000  # what is beyond the bytes counted are ids and kinds


def test_the_bounds_are_small() -> None:
    """A loader runs beside an editor."""
    assert collected_rows.BATCH_BYTES <= 64_000_000


@pytest.mark.parametrize("batch", [10, 300, 1_000_000], ids=["one by one", "some", "all at once"])
def test_many_traces_are_written_together(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    """Of each all rows or, where something is wrong with it, none; however many wait for each other."""
    monkeypatch.setattr(collected_rows, "BATCH_BYTES", batch)
    with duckdb.connect() as connection:
        for statement in schema.uncommented():
            connection.execute(statement)
        with RowsOfMany(connection) as many:
            for number in range(9):
                fails = number % 3 == 1
                with suppress(ValueError), many.of(f"t{number}"):
                    for line_number in range(number):
                        many.add(schema.LOGS, (line_number, 0, "x" * 40))
                        many.add(schema.DAMAGE, (line_number, "why"))
                    if fails:
                        raise ValueError
        for table in ("logs", "damage"):
            counts = connection.execute(
                f"SELECT trace_id, count(*) FROM {table} GROUP BY 1 ORDER BY 1"
            ).fetchall()
            assert counts == [("t2", 2), ("t3", 3), ("t5", 5), ("t6", 6), ("t8", 8)]
