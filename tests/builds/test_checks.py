"""What `bisect` looks for in a run."""

from __future__ import annotations

import pytest

from acp_trace.builds.checks import BadCheck, Check, check, of_exit_code
from acp_trace.builds.judged import JudgedRun, ShownDifference


def test_any_difference_is_what_is_looked_for_by_default() -> None:
    """Also that the agent died."""
    assert check(None, None).shown(JudgedRun("failed", "t", 1))
    assert check(None, None).shown(JudgedRun("died", "t", 1))
    assert not check(None, None).shown(JudgedRun("passed", "t", 1))


def test_a_code_is_looked_for() -> None:
    """A divergence among those that fail, or as the one that is shown; a finding of the run."""
    divergence = check("divergence=stop-reason", None)
    assert divergence.shown(JudgedRun("failed", "t", 1, codes=("stop-reason",)))
    assert divergence.shown(JudgedRun("passed", "t", 1, first=ShownDifference("stop-reason", "a note")))
    assert not divergence.shown(JudgedRun("failed", "t", 1, codes=("option-missing",)))
    assert divergence.shown(JudgedRun("died", "t", 1, codes=("stop-reason", "timeout")))
    assert divergence.shown(JudgedRun("died", "t", 1, codes=("timeout",))) is None
    finding = check("finding=late-update", None) if _has("late-update") else None
    assert finding is None or finding.shown(JudgedRun("passed", "t", 1, findings=("late-update",)))


def _has(code: str) -> bool:
    from acp_trace.analyze.findings.codes import CODES

    return code in CODES


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("stop-reason", "is not divergence=CODE or finding=CODE"),
        ("divergences=stop-reason", "is not divergence=CODE or finding=CODE"),
        ("divergence=stop-reasons", "did you mean stop-reason"),
        ("finding=nothing-like-it-at-all", "there is no finding"),
    ],
)
def test_what_is_not_a_check(text: str, why: str) -> None:
    """The message says what was meant."""
    with pytest.raises(BadCheck, match=why):
        check(text, None)


def test_a_command_says_it_with_its_exit_code() -> None:
    """As `git bisect run` has it."""
    assert check(None, "true") == Check("command", command="true")
    assert [of_exit_code(code) for code in (0, 1, 124, 125, 127)] == [False, True, True, None, True]
    for code in (128, 255, -9):
        with pytest.raises(BadCheck):
            of_exit_code(code)
    with pytest.raises(BadCheck, match="both"):
        check("finding=x", "true")
