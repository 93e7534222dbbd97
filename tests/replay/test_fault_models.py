"""Faults of the agent's model, in the process that stands in its place: what the agent gets, and makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from acp_trace.replay.drive.replay_and_compare import ComparedRun, replay_and_compare
from acp_trace.replay.settings import SettingError, Settings, changed
from acp_trace.trace.entries import Entry
from tests.replay.facing import entries
from tests.replay.model_stage import AGENT, record
from tests.support import DEADLINE_S, Home

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Two prompts, four calls of the model."""
    directory = tmp_path_factory.mktemp("model")
    (directory / "project").mkdir()
    return entries(record(Home(directory / "home"), directory / "project"))


def _played(recorded: list[Entry], fault: str, monkeypatch: pytest.MonkeyPatch) -> ComparedRun:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = changed(Settings(), {"fault": [fault], "timeout": DEADLINE_S}, Path())
    return replay_and_compare(recorded, AGENT, settings)


@pytest.mark.parametrize(
    ("fault", "effect", "passed"),
    [
        ("model-429 on model #1", "answered with error -32603", True),
        ("model-500 on model #2", "answered with error -32603", True),
        ("model-break on model #3", "ended with exit code 1", False),  # it takes a whole answer for granted
        ("model-slow 20ms on model", "ended the turn with end_turn", True),
    ],
)
def test_a_model_that_fails(
    conversation: list[Entry],
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    effect: str,
    passed: bool,
) -> None:
    """The agent gets it, and the run says what came of it."""
    del home
    found = _played(conversation, fault, monkeypatch)
    (told,) = found.verdict.faults
    assert told.effect == effect
    assert found.verdict.passed is passed, found.verdict.comparison.failing


def test_only_a_recorded_model_has_faults(conversation: list[Entry], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one there is nothing to be aimed at; and no call that is not there."""
    with pytest.raises(SettingError, match="only 4 times"):
        _played(conversation, "model-429 on model #5", monkeypatch)
    settings = changed(Settings(), {"fault": ["model-500 on model"], "model": "off"}, Path())
    with pytest.raises(SettingError, match="no recorded call of a model"):
        replay_and_compare(conversation, AGENT, settings)
