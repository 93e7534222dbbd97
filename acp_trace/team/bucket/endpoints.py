"""Endpoints of S3 that the environment names: obstore panics at one that is not a URL, instead of raising."""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlsplit

#: Those that obstore reads (object_store, `AmazonS3ConfigKey`), and that can be set for S3.
_VARIABLES = "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"


def invalid(environment: Mapping[str, str] = os.environ) -> str | None:
    """The first variable whose endpoint is not an HTTP URL; None if all are, or none is set."""
    return next((name for name in _VARIABLES if not _is_url(environment.get(name, ""))), None)


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return not text or (parts.scheme in {"http", "https"} and bool(parts.hostname))
    except ValueError:
        return False
