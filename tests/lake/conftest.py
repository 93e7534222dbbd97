"""Places with traces in them, of either kind; tables that are made quickly."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acp_trace.store import schema
from tests.bucket.conftest import azurite, bucket, container, google, google_server, place, s3, s3_server

__all__ = ["azurite", "bucket", "container", "google", "google_server", "place", "s3", "s3_server"]


@pytest.fixture(scope="module", autouse=True)
def uncommented() -> Iterator[None]:
    """Tables without comments: those take a quarter of a second of each build, and no file of a place has any."""
    statements = [one for one in schema.statements() if not one.startswith("COMMENT ")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "statements", lambda: [*statements])
        yield
