"""One cluster for all tests, and places that its executors reach."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.bucket.conftest import bucket, place, s3, s3_server
from tests.spark.cluster import Cluster
from tests.support import ACP_TRACE

__all__ = ["bucket", "place", "s3", "s3_server"]
#: Longer than anything takes on a busy machine.
DEADLINE_S = 600
#: What gives access to the server of the fixture `s3`.
ACCESS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@pytest.fixture(scope="session")
def cluster(s3: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers with one core each, which have access to the buckets."""
    directory = tmp_path_factory.mktemp("spark")
    with Cluster(directory, environment={**ACCESS, "AWS_ENDPOINT_URL": s3}) as made:
        yield made


class Said(NamedTuple):
    """What a build said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.code == 0, self
        found: dict[str, Any] = json.loads(self.out)
        return found


def started(cluster: Cluster, place: str, *words: str) -> subprocess.Popen[str]:
    """Starts a build by the cluster."""
    argv = [*ACP_TRACE, "lake", "build", place, "--engine", "spark", "--master", cluster.url, *words]
    environment = {**os.environ, **cluster.environment, "COLUMNS": "100"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, env=environment
    )


def ended(process: subprocess.Popen[str]) -> Said:
    """Waits for a build."""
    out, err = process.communicate(timeout=DEADLINE_S)
    assert "Traceback" not in err, err
    return Said(process.returncode, out, err)


def built(cluster: Cluster, place: str, *words: str) -> Said:
    """Builds by the cluster."""
    return ended(started(cluster, place, *words))


def events(directory: Path, kind: str) -> list[dict[str, Any]]:
    """What Spark wrote of an application in its event log: the events of one kind."""
    lines = [line for file in sorted(directory.rglob("events_*")) for line in file.read_text().splitlines()]
    found: list[dict[str, Any]] = [json.loads(line) for line in lines]
    return [event for event in found if event["Event"] == kind]
