"""Tables built by a cluster: the same rows as of one machine, whatever happens to a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acp_trace.team.lake import plan
from acp_trace.team.lake.build import build
from acp_trace.team.lake.spark import engine
from acp_trace.team.lake.spark.engine import SparkEngine
from tests.lake.proof import corpus
from tests.lake.test_build import committed, lake_files
from tests.lake.traces import made_traces, place_at, push, rows_at, rows_of_store
from tests.spark.cluster import Cluster
from tests.spark.conftest import built
from tests.support import SAMPLES

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]


def test_every_table_is_equal(session: Any, place: str, tmp_path: Path) -> None:
    """Damaged traces as well; then with what came later. Nothing was written that is not used."""
    there, spark = place_at(place), SparkEngine(session)
    spark.check(there)
    files = made_traces(tmp_path / "traces", 10, days=3) + SAMPLES
    push(there, files[:12])
    done = build(there, 2, engine=spark.all_done)
    assert (done.traces, done.total, done.commit, done.failed) == (12, 12, 1, {})
    assert len(done.damaged) == 2
    assert rows_at(there, tmp_path / "a") == rows_of_store(files[:12])
    push(there, files)
    done = build(there, 2, engine=spark.all_done)
    assert (done.traces, done.total) == (len(files) - 12, len(files))
    assert rows_at(there, tmp_path / "b") == rows_of_store(files)
    assert lake_files(there) == committed(there)
    assert build(there, 2, engine=spark.all_done).commits == 0


def test_the_command(cluster: Cluster, bucket: str, tmp_path: Path) -> None:
    """In a bucket, with a session of its own."""
    there, files = place_at(bucket), made_traces(tmp_path / "traces", 6, days=2)
    push(there, files)
    done = built(cluster, bucket, "--json").json
    assert (done["traces"], done["total"], done["commit"]) == (6, 6, 1)
    assert rows_at(there, tmp_path / "a") == rows_of_store(files)


def test_a_task_that_fails_is_run_again(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it has put its files and told what it did: these are in no table, and no row is there twice."""

    def work(batches: Iterable[Any], url: str, give: Any, *, is_last: bool) -> Iterator[Any]:
        from pyspark import TaskContext

        from acp_trace.team.lake.spark import task

        yield from task.work(batches, url, give, is_last=is_last)
        context = TaskContext.get()
        if context.partitionId() == 0 and context.attemptNumber() == 0:
            raise RuntimeError("fails once, on purpose")

    monkeypatch.setattr(engine, "task", SimpleNamespace(work=work))
    there, files = place_at(str(tmp_path / "team")), made_traces(tmp_path / "traces", 9, days=3)
    push(there, files)
    done = build(there, 2, engine=SparkEngine(session).all_done)
    assert (done.traces, done.total, done.commits) == (9, 9, 1)
    left = {name.rpartition("/")[2] for name in lake_files(there) - committed(there)}
    assert len(left) == 1  # the group of the first try
    assert rows_at(there, tmp_path / "a") == rows_of_store(files)


def test_giants_are_on_different_executors(
    session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each giant is a task of its own, begun first, and the two executors have one each. None is split."""
    log = tmp_path / "log"
    log.mkdir()

    def work(batches: Iterable[Any], url: str, give: Any, *, is_last: bool) -> Iterator[Any]:
        from pyspark import TaskContext

        from acp_trace.team.lake.spark import task, wire

        number = TaskContext.get().partitionId()
        for batch in batches:
            for packed in batch["data"].to_pylist():
                ids = " ".join(trace.id for trace in wire.unit_of(packed).derive)
                # An executor of a standalone cluster works in a directory of its own.
                (log / f"{number}").write_text(f"{Path.cwd()} {ids}")
            yield from task.work([batch], url, give, is_last=is_last)

    monkeypatch.setattr(engine, "task", SimpleNamespace(work=work))
    there, files = place_at(str(tmp_path / "team")), made_traces(tmp_path / "traces", 8, days=1)
    for number in range(2):
        head, lines = corpus._giant(30_000)
        giant = tmp_path / "traces" / f"20261101T130000Z-{number:06x}.jsonl"
        giant.write_bytes(
            head.replace(
                b'{"acp', b'{"id":"%b","started_at":"2026-11-01T13:00:00Z","acp' % giant.stem.encode()
            )
            + b"\n"
            + lines
        )
        files.append(giant)
    push(there, files)
    monkeypatch.setattr(plan, "_LEAST_BYTES", 1 << 10)  # a day as small as this is divided, too
    done = build(there, 4, engine=SparkEngine(session).all_done)
    assert done.total == len(files)
    tasks = [(log / str(number)).read_text().split() for number in range(len(list(log.iterdir())))]
    assert sorted(one[1:] for one in tasks[:2]) == [[files[-2].stem], [files[-1].stem]]
    assert tasks[0][0] != tasks[1][0]
    assert sorted(id_ for one in tasks for id_ in one[1:]) == sorted(file.stem for file in files)
