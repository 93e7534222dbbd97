"""Places to push to: a directory, and a bucket of S3, of Google Cloud and of Azure, of servers on this machine."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bucket.azurite import Azurite
from tests.bucket.google import GoogleServer
from tests.bucket.server import S3Server
from tests.real.packages import OutOfReach


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """An S3 server."""
    pytest.importorskip("moto.server", reason="has no wheels for this Python yet")
    with S3Server() as server:
        yield server


@pytest.fixture(scope="session")
def s3(s3_server: S3Server) -> str:
    """Its endpoint."""
    return s3_server.url


@pytest.fixture
def bucket(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a place in a new bucket, to which the environment gives access."""
    name = f"traces-{uuid.uuid4().hex[:12]}"
    for key, value in s3_server.environment.items():
        monkeypatch.setenv(key, value)
    s3_server.make_bucket(name)
    yield f"s3://{name}/team"
    s3_server.denied.clear()


@pytest.fixture(scope="session")
def azurite() -> Iterator[Azurite]:
    """A store of Azure."""
    try:
        server = Azurite()
    except OutOfReach as why:
        pytest.skip(f"no Azurite: {why}")
    with server:
        yield server


@pytest.fixture
def container(azurite: Azurite, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a place in a new container, to which the environment gives access."""
    name = f"traces-{uuid.uuid4().hex[:12]}"
    for key, value in azurite.environment.items():
        monkeypatch.setenv(key, value)
    azurite.make_container(name)
    return f"az://{name}/team"


@pytest.fixture(scope="session")
def google_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GoogleServer]:
    """A server that speaks as Google Cloud does."""
    pytest.importorskip("moto.server", reason="has no wheels for this Python yet")
    with GoogleServer(tmp_path_factory.mktemp("google")) as server:
        yield server


@pytest.fixture
def google(google_server: GoogleServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a place in a new bucket of it, to which the environment gives access."""
    name = f"traces{uuid.uuid4().hex[:12]}"
    for key, value in google_server.environment.items():
        monkeypatch.setenv(key, value)
    google_server.make_bucket(name)
    return f"gs://{name}/team"


_PLACES = (
    "directory",
    "bucket",
    pytest.param("google", marks=pytest.mark.slow),
    pytest.param("container", marks=pytest.mark.azure),
)


@pytest.fixture(params=_PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty place, of either kind."""
    if request.param == "directory":
        return str(tmp_path / "team")
    return str(request.getfixturevalue(request.param))
