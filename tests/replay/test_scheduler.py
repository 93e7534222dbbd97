"""The state machine of steps: each state is reached, each ends, and docs/replay.md lists what there is."""

from __future__ import annotations

import pytest

from acp_trace.replay.conversation.scheduler import OVER, STATES, TRANSITIONS, StepEvent, StepState
from tests.docs.pages import DOCS, text_of


def test_every_state_is_explained_and_reached() -> None:
    """From the first one; and every event moves something."""
    assert set(STATES) == set(StepState)
    reached = {StepState.WAITING}
    for _ in StepState:
        reached |= {after for (before, _), after in TRANSITIONS.items() if before in reached}
    assert reached == set(StepState)
    assert {event for _, event in TRANSITIONS} == set(StepEvent)


@pytest.mark.parametrize("state", StepState)
def test_every_state_leads_to_an_end(state: StepState) -> None:
    """What is over stays so; everything else can be sent."""
    after = {state}
    for _ in StepState:
        after |= {then for (before, _), then in TRANSITIONS.items() if before in after}
    if state in OVER:
        assert after == {state}
    else:
        assert StepState.SENT in after


def test_the_page_lists_each_transition() -> None:
    """From this table: in the row of a state, each state that follows it."""
    page = text_of(DOCS / "replay.md")
    rows = {
        state: next(line for line in page.splitlines() if line.startswith(f"| {state} |"))
        for state in StepState
    }
    for (before, event), after in TRANSITIONS.items():
        assert f"{after}: {event}" in rows[before]
