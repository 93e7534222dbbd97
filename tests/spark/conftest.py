"""One cluster for all tests, and places that its executors reach."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from acp_trace.team.lake.spark.session import started
from tests.bucket.conftest import azurite, bucket, container, google, google_server, place, s3, s3_server
from tests.bucket.google import GoogleServer
from tests.spark.cluster import Cluster
from tests.support import ACP_TRACE

__all__ = ["azurite", "bucket", "container", "google", "google_server", "place", "s3", "s3_server"]
#: Longer than anything takes on a busy machine.
DEADLINE_S = 600
#: What gives access to the server of the fixture `s3`.
ACCESS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_REGION": "us-east-1"}


@pytest.fixture(scope="session")
def cluster(
    s3: str, google_server: GoogleServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """Two workers, which have access to the buckets: each has a core for `session`, and one for a command."""
    directory = tmp_path_factory.mktemp("spark")
    with Cluster(
        directory, cores=2, environment={**ACCESS, "AWS_ENDPOINT_URL": s3, **google_server.environment}
    ) as made:
        yield made


@pytest.fixture(scope="session")
def session(cluster: Cluster) -> Iterator[Any]:
    """A session of Spark in this process, with one executor on each worker."""
    conf = {
        "spark.cores.max": "2",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.sql.shuffle.partitions": "2",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
            patch.setenv(name, cluster.environment[name])
        with started(cluster.url, conf) as made:
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


def built(cluster: Cluster, place: str, *words: str) -> Said:
    """Builds by the cluster, as a command."""
    argv = [*ACP_TRACE, "lake", "build", place, "--engine", "spark", "--master", cluster.url, *words]
    environment = {**os.environ, **cluster.environment, "COLUMNS": "100"}
    done = subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment,
        timeout=DEADLINE_S,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Said(done.returncode, done.stdout, done.stderr)
