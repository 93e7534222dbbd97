"""A wrong request fails the test in words, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from acp_trace.plugin.result import Refused


@contextmanager
def refusing(before: str = "") -> Iterator[None]:
    """Turn Refused into a failure of the test."""
    try:
        yield
    except Refused as error:
        raise pytest.fail.Exception(f"{before}{error}", pytrace=False) from None
