"""A comparison in lines: its verdict, what was compared, both sides of a divergence."""

from __future__ import annotations

from acp_trace.compare.causes import causes
from acp_trace.compare.result import Comparison, Divergence, FrameCounts
from acp_trace.report import units
from acp_trace.report.statements import phrases
from acp_trace.story.frame_event import FrameEvent
from acp_trace.trace.counts import counted


def event(of: FrameEvent | None, value: str | None) -> str:
    """The content of a frame, or the words for a missing frame."""
    if of is None:
        return value or "nothing"
    more = f": {value}" if value and not of.what.endswith(value) else ""
    return f"#{of.frame} {phrases.ARROWS[of.sender]} {of.what}{more}"


def obeys(divergence: Divergence) -> str:
    """Which side keeps to the protocol, in words; the actual one is a run, or another trace."""
    right, wrong = ("actual", "expected") if divergence.obeys == "actual" else ("expected", "actual")
    codes = ", ".join(divergence.findings)
    return f"the {right} trace obeys the protocol here, the {wrong} one does not ({codes})"


def verdict(comparison: Comparison) -> str:
    """`equal`, or `9 divergences from 3 causes, 2 consequences`."""
    if comparison.equal:
        return "equal"
    by_cause = causes(comparison.failing)
    count = sum(len(cause.divergences) for cause in by_cause)
    text = counted(count, "divergence")
    if len(by_cause) < count:
        text += f" from {counted(len(by_cause), 'cause')}"
    following = len(comparison.failing) - count
    return f"{text}, {counted(following, 'consequence')}" if following else text


def counts(of: FrameCounts) -> str:
    """How much was compared: always shown."""
    parts = [
        f"{counted(of.recorded, 'frame')} recorded",
        f"{units.number(of.compared)} compared",
        f"{counted(of.masked, 'value')} masked",
        f"{units.number(of.unmatched)} unmatched",
    ]
    return " · ".join(parts)
