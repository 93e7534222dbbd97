"""How many frames were compared: never more than there are."""

from __future__ import annotations

import pytest

from acp_trace.compare.codes import MATCHES, Match
from tests.compare.conversation import asks, base, compared
from tests.reading.talk import hello, opened, prompt, reply, stop
from tests.support import trace


@pytest.mark.parametrize("answered", [True, False])
def test_polls_that_are_not_answered(answered: bool) -> None:
    """Each of them is one frame, or two with its answer. Found by fuzzing: five of four frames were compared."""
    said = [*hello(), *opened(), prompt(1)]
    for number in range(4):
        said.append(asks(number, "terminal/output", terminalId="t"))
        if answered:
            said.append(reply(number, output="", truncated=False))
    found = compared(trace(*said, stop(1)), trace(*said[: -4 if answered else -2], stop(1)))
    assert (found.counts.compared, found.counts.unmatched) == (found.counts.recorded, 0)


@pytest.mark.parametrize("match", MATCHES)
def test_against_nothing(match: Match) -> None:
    """Each frame is unmatched once, those that open a session too: of 32 frames 33 were once."""
    said = trace(*base())
    found = compared(said, trace(), match)
    assert (found.counts.compared, found.counts.unmatched) == (0, found.counts.recorded)
