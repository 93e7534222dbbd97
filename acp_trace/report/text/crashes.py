"""A crash is one thing that happened: what it left open stands under it, and not beside it again.

Only on screens. Documents for programs have every finding, and `--all` prints each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_trace.analyze import facts
from acp_trace.report.statements import phrases

CRASH = "agent-crashed"
_REQUEST, _CANCEL = "never-answered", "cancel-unanswered"
_MOST = 5  #: frames that are named


def left_open(findings: Iterable[facts.Finding]) -> list[facts.Finding]:
    """What the agent owed when it crashed, of the findings of one trace; nothing if it did not crash."""
    everything = list(findings)
    if not any(finding.code == CRASH for finding in everything):
        return []
    return [
        finding for finding in everything if finding.code in (_REQUEST, _CANCEL) and finding.blame == "agent"
    ]


def with_it(consequences: Sequence[facts.Finding]) -> str:
    """`with it: 2 requests never answered (#5, #7), 1 cancel (#9)`; empty if there are none."""
    parts = []
    for code, what, how in ((_REQUEST, "request", " never answered"), (_CANCEL, "cancel", "")):
        if frames := [finding.frame for finding in consequences if finding.code == code]:
            parts.append(f"{phrases.count(len(frames), what)}{how} ({_named(frames)})")
    return f"with it: {', '.join(parts)}" if parts else ""


def _named(frames: Sequence[int]) -> str:
    named = ", ".join(f"#{frame}" for frame in frames[:_MOST])
    return f"{named} …" if len(frames) > _MOST else named
