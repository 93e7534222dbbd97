"""Rows on their way into the tables: how many wait in memory."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest

from acp_trace.store import export, rows, schema
from acp_trace.store.connect import writing
from acp_trace.store.load import load
from tests.support import HEADER, Home, analyzed, line, trace


class _Tables:
    """Stands in for a connection: keeps the batches that were appended to `frames`."""

    def __init__(self) -> None:
        self.batches: list[list[tuple[Any, ...]]] = []

    def appender(self, name: str) -> _Tables:
        assert name == "frames"
        return self

    def append_rows(self, batch: list[tuple[Any, ...]]) -> None:
        self.batches.append(batch)

    def flush(self) -> None:
        pass


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
    monkeypatch: pytest.MonkeyPatch, pads: list[int], counts: list[int]
) -> None:
    """Frames of megabytes are not kept until there are many of them; no frame is lost or moved."""
    monkeypatch.setattr(rows, "_BATCH_BYTES", 10_000)
    monkeypatch.setattr(rows, "_BATCH", 50)
    frames = analyzed(trace(*[("agent", {"n": n, "pad": "x" * pad}) for n, pad in enumerate(pads)]))[1]
    tables: Any = _Tables()
    made = rows.Rows(tables, "some-id")
    for frame in frames:
        made.frame(frame)
    made.flush()
    assert [len(batch) for batch in tables.batches] == counts
    assert [row[1] for batch in tables.batches for row in batch] == [frame.frame for frame in frames]
    body = [column.name for column in schema.FRAMES.columns].index("body")
    bodies = [row[body] for batch in tables.batches for row in batch]
    assert bodies == [frame.data.decode() for frame in frames]


def test_all_tables_together_are_bounded_by_bytes(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A line of text stands in `frames` and in `lines`, one of stderr in `logs` and in `lines`."""
    monkeypatch.setattr(rows, "_BATCH_BYTES", 100_000)
    most, plain = 0, rows.Rows._add

    def add(self: rows.Rows, table: schema.Table, row: tuple[Any, ...], size: int) -> None:
        nonlocal most
        plain(self, table, row, size)
        kept = [item for some in self._waiting.values() for one in some for item in one]
        most = max(most, sum(len(item) for item in kept if isinstance(item, (str, bytes))))

    monkeypatch.setattr(rows.Rows, "_add", add)
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
    assert rows._BATCH_BYTES <= 64_000_000


@pytest.mark.parametrize("batch", [10, 300, 1_000_000], ids=["one by one", "some", "all at once"])
def test_many_traces_are_written_together(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    """Of each all rows or, where something is wrong with it, none; however many wait for each other."""
    monkeypatch.setattr(rows, "_BATCH_BYTES", batch)
    with duckdb.connect() as connection:
        for statement in schema.statements():
            connection.execute(statement)
        many = rows.RowsOfMany(connection)
        for number in range(9):
            fails = number % 3 == 1
            with suppress(ValueError), many.of(f"t{number}"):
                for line_number in range(number):
                    many.add(schema.LOGS, (line_number, 0, "x" * 40))
                    many.add(schema.DAMAGE, (line_number, "why"))
                if fails:
                    raise ValueError
        many.write()
        for table in ("logs", "damage"):
            counts = connection.execute(
                f"SELECT trace_id, count(*) FROM {table} GROUP BY 1 ORDER BY 1"
            ).fetchall()
            assert counts == [("t2", 2), ("t3", 3), ("t5", 5), ("t6", 6), ("t8", 8)]
