"""Places with traces in them, of either kind."""

from __future__ import annotations

from tests.bucket.conftest import azurite, bucket, container, google, google_server, place, s3, s3_server

__all__ = ["azurite", "bucket", "container", "google", "google_server", "place", "s3", "s3_server"]
