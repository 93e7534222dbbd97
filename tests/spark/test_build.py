"""Tables built by a cluster: the same rows as of one machine, whatever happens to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lake.test_build import committed, lake_files
from tests.lake.traces import made_traces, place_at, push, rows_at, rows_of_store
from tests.spark.cluster import Cluster
from tests.spark.conftest import built
from tests.support import SAMPLES

pytestmark = pytest.mark.spark


def test_every_table_is_equal(cluster: Cluster, place: str, tmp_path: Path) -> None:
    """Damaged traces as well; then with what came later. Nothing was written that is not used."""
    there = place_at(place)
    files = made_traces(tmp_path / "traces", 10, days=3) + SAMPLES
    push(there, files[:12])
    done = built(cluster, place, "--json").json
    assert (done["traces"], done["total"], done["commit"], done["failed"]) == (12, 12, 1, [])
    assert len(done["damaged"]) == 2
    assert rows_at(there, tmp_path / "a") == rows_of_store(files[:12], tmp_path / "first")
    push(there, files)
    done = built(cluster, place, "--json").json
    assert (done["traces"], done["total"]) == (len(files) - 12, len(files))
    assert rows_at(there, tmp_path / "b") == rows_of_store(files, tmp_path / "second")
    assert lake_files(there) == committed(there)
    assert built(cluster, place, "--json").json["commits"] == 0
