"""Conformance in a line: the verdict, and who was tried."""

from __future__ import annotations

from acp_trace.conform.judge import Conformance, Judged
from acp_trace.trace.counts import counted

#: The requirement that an agent breaks if it ends while its client waits.
_ENDED = "ACT-CRASH-001"


def failed(conformance: Conformance, *, binding: bool) -> list[Judged]:
    """The requirements that failed: those that decide, or the others."""
    return [one for one in conformance.judged if one.status == "fail" and one.is_binding is binding]


def is_silent(conformance: Conformance) -> bool:
    """Whether the peer ended without a message, perhaps because its command is wrong."""
    failures = {one.requirement.id for one in conformance.judged if one.status == "fail"}
    return failures == {_ENDED} and not any(one.status == "pass" for one in conformance.judged)


def unexercised(conformance: Conformance) -> int:
    """How many mandatory requirements nothing was seen of."""
    judged = conformance.judged
    return sum(one.status == "not-exercised" and one.requirement.tier == "mandatory" for one in judged)


def who(conformance: Conformance) -> str:
    """`opencode 1.2.3`, as the peer calls itself; `the agent` if it does not say."""
    words = [word for word in (conformance.name, conformance.version) if word]
    return " ".join(words) or f"the {conformance.side}"


def summary(conformance: Conformance) -> str:
    """`conformant: no requirement failed`, or `NOT CONFORMANT: 2 requirements failed`; without the name."""
    if is_silent(conformance):
        return "NOT JUDGED: it ended before it sent a message"
    failures = len(failed(conformance, binding=True))
    if failures:
        return f"NOT CONFORMANT: {counted(failures, 'requirement')} failed"
    if not any(one.status == "pass" for one in conformance.judged):
        return "nothing was judged: no requirement was exercised"
    left = unexercised(conformance)
    if left:
        return f"no binding requirement failed; {counted(left, 'mandatory requirement')} not exercised"
    return "conformant: no binding requirement failed"


def badge_word(conformance: Conformance) -> tuple[str, bool | None]:
    """The word of a badge, and whether it is good; None if too little was seen to say so."""
    passed = sum(one.status == "pass" for one in conformance.judged)
    failures = len(failed(conformance, binding=True))
    if is_silent(conformance):
        return "not judged", None
    if failures:
        return f"{failures} failed", False
    if not passed or unexercised(conformance):
        return f"{passed} passed, not all tried", None
    return f"conformant, {passed} passed", True
