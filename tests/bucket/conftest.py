"""Places to push to: a directory, and a bucket of an S3 server on this machine."""

from __future__ import annotations

import logging
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The endpoint of an S3 server."""
    moto = pytest.importorskip("moto.server", reason="has no wheels for this Python yet")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a place in a new bucket, to which the environment gives access."""
    name = f"traces-{uuid.uuid4().hex[:12]}"
    for key, value in {
        "AWS_ENDPOINT_URL": s3,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(key, value)
    request = urllib.request.Request(f"{s3}/{name}", method="PUT", headers={"Host": s3.partition("//")[2]})
    urllib.request.urlopen(request).close()
    return f"s3://{name}/team"


@pytest.fixture(params=["directory", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty place, of either kind."""
    if request.param == "directory":
        return str(tmp_path / "team")
    return str(request.getfixturevalue("bucket"))
