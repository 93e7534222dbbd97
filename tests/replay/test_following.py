"""What follows from something that the player noticed stands below it; what is only beside it does not."""

from __future__ import annotations

from acp_trace.compare.causes import causes
from acp_trace.replay.incidents import Incident
from tests.compare.conversation import Edit, base, both, drop, instead, put
from tests.reading.talk import refuse, stop
from tests.replay.test_verdict import place, verdict

_NAMES = [name for name, _ in base()]
_SKIPPED = Incident("step-skipped", "…", "s", expected=_NAMES.index("cancel") + 1)


def told(edit: Edit, *incidents: Incident) -> list[tuple[str, list[str]]]:
    """The causes, each with what follows from it."""
    found = causes(verdict(edit, *incidents).comparison.failing)
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


def test_noise_is_a_flood_only_at_the_end() -> None:
    """A line of noise before a flood of messages is a defect by itself."""
    none: list[str] = []
    noise = ("agent", {"hello": 1})
    for edit, below in ((put("slow", noise), none), (put("closed", noise, noise), ["noise"])):
        flood = Incident("flood", "…", got=place("closed", edit))
        found = dict(told(edit, flood))
        assert found["flood"] == below
        assert ("noise" in found) is (below == [])
