"""Fixtures that every folder shares."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

from tests.support import Home

# A slow machine is no fault, and a run must say the same twice; `--hypothesis-profile=search` looks
# for new cases.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("steady")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home folder that nothing else uses, for commands and for code in this process."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(tmp_path / "home"))
    return Home(tmp_path / "home")
