"""An agent's notifications that the protocol does not know: whether they can depend on the model's words."""

from __future__ import annotations

import pytest

from acp_trace.compare.codes import Match
from tests.compare.conversation import Edit, base, compared, file, put
from tests.reading.talk import tell

MODE = put("was set", tell("agent", "qwen/notify/session/mode-update", sessionId="s"))
SUGGESTION = put("stop 1", tell("agent", "qwen/notify/session/prompt-suggestion", sessionId="s"))
PROTOCOL = put("stop 1", tell("agent", "$/cancel_request", requestId=1))


@pytest.mark.parametrize(
    ("edit", "match", "severity"),
    [
        (MODE, "semantic", "error"),  # no model was asked yet
        (
            SUGGESTION,
            "semantic",
            "note",
        ),  # qwen suggests no prompt if its model says something else, or is slow
        (SUGGESTION, "content", "error"),
        (PROTOCOL, "semantic", "error"),
    ],
)
def test_one_that_may_depend_on_the_model_is_a_note_below_content(
    edit: Edit, match: Match, severity: str
) -> None:
    """Which is one that comes after the first prompt only; missing or additional."""
    plain, more = file(base()), file(edit(base()))
    for expected, actual, code in ((more, plain, "missing"), (plain, more, "extra")):
        (divergence,) = compared(expected, actual, match).divergences
        assert (divergence.code, divergence.severity) == (f"notification-{code}", severity)


def test_one_that_came_before_the_first_prompt_too_does_not_depend_on_it() -> None:
    """Sent once while the session is set up, and once later."""
    name = "qwen/notify/session/mode-update"
    more = put("stop 1", tell("agent", name, sessionId="s"))
    found = compared(file(more(MODE(base()))), file(base()))
    assert [(each.severity, each.count) for each in found.divergences] == [("error", 2)]
