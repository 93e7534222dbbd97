"""Fixtures of these tests."""

from __future__ import annotations

import pytest

from tests.mcp_server.tools import Tools
from tests.support import Home


@pytest.fixture
def tools(home: Home) -> Tools:
    """The tools, over a home of the test's own."""
    return Tools(home)
