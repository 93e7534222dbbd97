"""An agent that asks a language model, replayed when that is gone: recorded once, then with a fault planted in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("cryptography")

from acp_trace.replay.drive.replay_and_compare import compare_run, replay_and_compare
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict.verdict import ReplayVerdict
from acp_trace.trace.entries import Entry
from tests.replay import model_stage
from tests.replay.facing import entries
from tests.replay.model_stage import AGENT
from tests.support import Home


@pytest.fixture(scope="module")
def recorded_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A session of two prompts, with its model's side, as a trace file."""
    cwd = tmp_path_factory.mktemp("project")
    return model_stage.record(Home(tmp_path_factory.mktemp("home")), cwd)


@pytest.fixture(scope="module")
def recorded(recorded_file: bytes) -> list[Entry]:
    """Its entries."""
    return entries(recorded_file)


SETTINGS = Settings()


def replayed(recorded: list[Entry], *fault: str) -> tuple[ReplayVerdict, ReplayVerdict]:
    """The verdict on the agent with this fault, by default and with `model_strict`. It runs once."""
    made = replay_and_compare(recorded, [*AGENT, *fault], SETTINGS)
    strict = replace(SETTINGS, model_strict=True)
    return made.verdict, compare_run(recorded, made.played, strict, died=made.played.died).verdict


def told(found: ReplayVerdict) -> list[tuple[str, str, str]]:
    return [(each.code, each.severity, each.message) for each in found.comparison.divergences]


def test_the_same_agent_passes_without_a_model(home: Home, recorded: list[Entry]) -> None:
    """In another directory, with all that a user sees; each of its calls is answered."""
    _, found = replayed(recorded)
    assert told(found) == []
    assert found.passed
    assert found.comparison.model is not None
    assert (found.comparison.model.calls, found.comparison.model.unmatched) == (4, 0)
    assert "loose" not in found.comparison.model.matched


#: A fault, and what is told of it, and of nothing else.
FAULTS = {
    "prompt": ("model-prompt-changed", "calls 1, 2, 4: system prompt: 1 line changed"),
    "tools": ("model-tools-changed", "calls 1, 2, 4: tool write removed"),
    "params": ("model-params-changed", "calls 1–4: parameter temperature: 0.2 → 0.9"),
    "extra": (
        "model-call-extra",
        "call 4 in the actual trace: asks the same again as call 3 of the recording",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_told_by_its_code_and_nothing_else(
    home: Home, recorded: list[Entry], fault: str
) -> None:
    """A note, because what the agent does is the same; with `model_strict` the replay fails."""
    code, message = FAULTS[fault]
    found, strict = replayed(recorded, fault)
    assert (told(found), found.passed) == ([(code, "note", message)], True)
    assert (told(strict), strict.passed) == ([(code, "error", message)], False)


def test_another_prompt_is_accepted_as_the_new_recording(
    home: Home, recorded_file: bytes, tmp_path: Path
) -> None:
    """By `--update`, though nothing fails: then the other agent is the one that tells nothing new."""
    trace = tmp_path / "t.jsonl"
    trace.write_bytes(recorded_file)
    shown = home.run("replay", str(trace), "--update", "--", *AGENT, "prompt")
    assert shown.startswith("updated ")
    assert "     - Be brief.\n     + Be kind.\n" in shown
    _, strict = replayed(entries(trace.read_bytes()), "prompt")
    assert told(strict) == []


def test_a_call_that_is_missing_is_told_with_what_the_user_misses(home: Home, recorded: list[Entry]) -> None:
    """The agent without titles: the title is what fails, the call says why."""
    found, _ = replayed(recorded, "missing")
    assert [(code, severity) for code, severity, _ in told(found)] == [
        ("model-call-missing", "note"),
        ("title-never-set", "error"),
    ]


def test_a_call_that_is_not_in_the_recording_explains_what_follows(home: Home, recorded: list[Entry]) -> None:
    """The agent gets an error, and its turn ends with it: one cause. It never reaches a network."""
    found, _ = replayed(recorded, "other")
    assert not found.passed
    own = {each.code for each in found.comparison.failing if not each.follows}
    assert own == {"model-call-extra"}
    assert "model-away" not in [code for code, *_ in told(found)]
