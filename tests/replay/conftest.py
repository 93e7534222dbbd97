"""The recording that both matrices replay, made once for each process that runs tests."""

from __future__ import annotations

import pytest

from acp_trace.trace.entries import Entry
from tests.replay import scenario
from tests.replay.facing import entries
from tests.support import Home


@pytest.fixture(scope="session")
def recorded_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the scripted client and the scripted agent say to each other, as a trace file."""
    return scenario.record(Home(tmp_path_factory.mktemp("recorded")))


@pytest.fixture(scope="session")
def recorded(recorded_file: bytes) -> list[Entry]:
    """The entries of that."""
    return entries(recorded_file)


@pytest.fixture(scope="session")
def _stage(recorded: list[Entry]) -> scenario.Stage:
    """What it has read of the recording, it reads once."""
    return scenario.Stage(recorded)


@pytest.fixture
def stage(_stage: scenario.Stage, home: Home) -> scenario.Stage:
    """The recording, ready to be replayed, in a home of its own."""
    return _stage
