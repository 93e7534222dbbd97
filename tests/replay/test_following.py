"""What follows from something that the player noticed stands below it; what is only beside it does not."""

from __future__ import annotations

import pytest

from acp_trace.compare.causes import causes
from acp_trace.replay.incidents import Incident
from tests.compare.conversation import Edit, Named, base, both, drop, instead, put
from tests.reading.talk import Said, refuse, stop
from tests.replay.test_verdict import place, verdict

_NAMES = [name for name, _ in base()]
_SKIPPED = Incident("step-skipped", "…", "s", expected=_NAMES.index("cancel") + 1)


def told(edit: Edit, *incidents: Incident, died: bool = False) -> list[tuple[str, list[str]]]:
    """The causes, each with what follows from it."""
    found = causes(verdict(edit, *incidents, died=died).comparison.failing)
    return sorted((cause.first.code, sorted(each.code for each in cause.consequences)) for cause in found)


def test_a_turn_that_is_over_before_its_cancel() -> None:
    """Its stop reason and what it no longer says; not what another turn no longer says."""
    over = both(drop("cancel", "slow"), instead("stop 2", stop(4)))
    assert told(over, _SKIPPED) == [("step-skipped", ["message-missing", "stop-reason"])]
    assert told(both(over, drop("found")), _SKIPPED) == [
        ("message-missing", []),
        ("step-skipped", ["message-missing", "stop-reason"]),
    ]


def test_a_turn_that_fails_cannot_be_cancelled() -> None:
    """The error is the cause, and not that of another turn."""
    failed = both(drop("cancel"), instead("stop 2", refuse(4, -32603)))
    assert told(failed, _SKIPPED) == [("error-instead-of-result", ["step-skipped"])]
    other = both(drop("cancel"), instead("stop 2", stop(4)), instead("stop 3", refuse(5, -32603)))
    assert told(other, _SKIPPED) == [("error-instead-of-result", []), ("step-skipped", ["stop-reason"])]


@pytest.mark.parametrize(
    ("said", "code"), [(("agent", {"hello": 1}), "noise"), (("agent", stop("x")[1]), "response-extra")]
)
def test_what_came_in_the_place_of_an_answer_brings_about_the_timeout(said: Said, code: str) -> None:
    """A line that is not a message, or an answer with another id; not if it came before the request."""

    def until_prompt(named: Named) -> Named:
        return named[: _NAMES.index("prompt 2") + 1]

    behind = both(until_prompt, put("prompt 2", said))
    over = Incident("timeout", "nothing happened", got=place("prompt 2 +0", behind))
    assert told(behind, over, died=True) == [(code, ["timeout"])]
    before = both(until_prompt, put("stop 1", said))
    assert [first for first, _ in told(before, over, died=True)] == [code, "timeout"]


def test_noise_is_a_flood_only_at_the_end() -> None:
    """A line of noise before a flood of messages is a defect by itself."""
    none: list[str] = []
    noise = ("agent", {"hello": 1})
    for edit, below in ((put("slow", noise), none), (put("closed", noise, noise), ["noise"])):
        flood = Incident("flood", "…", got=place("closed", edit))
        found = dict(told(edit, flood))
        assert found["flood"] == below
        assert ("noise" in found) is (below == [])
