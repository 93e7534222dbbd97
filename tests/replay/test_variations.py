"""No harmless variation of a running agent is told, and the same agent passes, each time."""

from __future__ import annotations

import pytest

from acp_trace.compare.codes import MATCHES
from acp_trace.replay.drive.replay_and_compare import compare_run
from acp_trace.replay.settings import Settings
from tests.replay import levels, scenario
from tests.replay.edits import Case
from tests.replay.variations import VARIATIONS
from tests.support import until


@pytest.mark.parametrize("name", VARIATIONS)
def test_a_variation_is_not_told(name: str, stage: scenario.Stage) -> None:
    """Not below `content`, nor there where it shows the same; nothing of the agent is left."""
    case = VARIATIONS[name]
    played = stage.play(case, "vary", name)
    verdicts = stage.verdicts(played)
    for match, verdict in verdicts.items():
        told = levels.told(verdict.comparison.divergences)
        assert told == levels.due(case, match), (match, [one.message for one in verdict.comparison.failing])
    assert (list(verdicts), verdicts["semantic"].passed, played.died) == ([*MATCHES], True, False)
    (pid,) = scenario.logged(played, "pid")
    until(lambda: not scenario.group(pid), "the end of its group")


@pytest.mark.parametrize("kept", range(5, 118, 9))
def test_a_truncated_recording_is_replayed_up_to_its_end(kept: int, stage: scenario.Stage) -> None:
    """Wherever it was cut: the replay passes, and says so."""
    cut = scenario.Stage(stage.recorded[:kept])
    played = cut.play(Case(), "vary", "nothing else")
    verdict = compare_run(cut.recorded, played, Settings(), died=played.died).verdict
    notes = [one.code for one in verdict.comparison.divergences]
    about_agent = {"agent-outside", "files-missing"}  # where it was recorded is not here
    assert [code for code in notes if code not in about_agent] == ["truncated"]
    assert verdict.passed
