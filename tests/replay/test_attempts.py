"""Which recording is played next, and which run counts: without any process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp_trace.replay.drive.attempts import Attempts
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.player import Ending
from acp_trace.replay.incidents import Incident
from acp_trace.replay.settings import Settings, changed
from acp_trace.trace.entries import Entry
from tests.compare.conversation import base, drop, file
from tests.replay.facing import entries

FULL, BARE, BARER = (
    entries(file(edit(base()))) for edit in (lambda named: named, drop("usage"), drop("usage", "plan"))
)


def attempts(*recordings: list[Entry], **settings: Any) -> Attempts:
    return Attempts(recordings, changed(Settings(), settings, Path()))


def over(found: Attempts) -> bool:
    return found.due is None


def run(of: list[Entry], *incidents: Incident, end: Ending | None = Ending.OVER) -> Played:
    return Played("run", end, of, list(incidents))


def test_one_that_passes_is_all() -> None:
    """There is nothing to try again."""
    found = attempts(FULL, retries=3)
    assert found.due is FULL
    found.take(run(FULL))
    assert (found.chosen.passed, found.flaky) == (True, False)
    assert over(found)


def test_one_that_fails_is_tried_again() -> None:
    """As often as was asked for; the last one counts, and one that passes is flaky."""
    found = attempts(FULL, retries=2)
    for _ in range(2):
        found.take(run(BARE))
        assert found.due is FULL
    found.take(run(BARER))
    assert (found.due, found.flaky) == (None, False)
    assert len(found.chosen.made.verdict.comparison.failing) == 2
    found = attempts(FULL, retries=2)
    found.take(run(BARE))
    found.take(run(FULL))
    assert (found.due, found.flaky, len(found.all)) == (None, True, 2)


def test_a_run_that_is_like_an_alternative_is_compared_as_it_is() -> None:
    """Nothing is played for that, and it is not flaky."""
    found = attempts(FULL, BARE)
    found.take(run(BARE))
    assert (found.due, found.flaky, found.chosen.recording) == (None, False, 1)


def test_alternatives_are_played_one_after_the_other() -> None:
    """If the player had to refuse something, or the agent died, the run itself says nothing of them."""
    refused = Incident("request-unmatched", "…", got=("agent", 3))
    found = attempts(FULL, BARE, retries=1)
    found.take(run(BARE, refused))
    assert found.due is BARE
    found.take(run(BARER, end=Ending.TIMEOUT))
    assert found.due is FULL, "the second round"
    found.take(run(FULL))
    assert (found.chosen.recording, found.flaky) == (0, True)


def test_an_agent_that_cannot_be_started_is_not_tried_again() -> None:
    """It would not be there the next time."""
    found = attempts(FULL, BARE, retries=5)
    found.take(run([], end=None))
    assert found.due is None


def test_allowances_are_used_over_all_attempts() -> None:
    """What the first run needed, the one that passes may not need."""
    found = attempts(FULL, retries=1, allow=["update-missing usage_update"])
    found.take(run(BARER))
    found.take(run(FULL))
    (use,) = found.chosen.made.verdict.comparison.allowances
    assert (use.uses, found.flaky) == (1, True)
