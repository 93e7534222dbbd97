"""A run with deliberate faults, judged by rules and not by equality. Pure.

No recording contains the reaction to a fault. Up to the first fault, a run is compared as usual. From then on
a difference is a note, unless it breaks a rule that always holds: the peer does not crash, hang or flood; it
answers each request that it could read; it keeps to the protocol. The table of kinds lists what is not the
peer's fault after each kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from acp_trace.analyze.facts import Facts, Finding
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.compare.result import Divergence
from acp_trace.replay.faults.effects import FaultEffect
from acp_trace.replay.incidents import ENDS, Incident
from acp_trace.story.frame_event import FrameEvent
from acp_trace.trace.entries import AFTER_ALL, Sender

#: Codes that no fault excuses.
_ALWAYS = frozenset({*ENDS, "stays", "end", "model-side-died", OVER_BUDGET})
_FINDING = "finding-new"
_UNANSWERED = frozenset({"never-answered", "cancel-unanswered"})


def unreached(effects: Iterable[FaultEffect]) -> Iterator[Incident]:
    """Yield an incident for each fault that the run never reached, and so did not test."""
    for effect in effects:
        if not effect.is_reached:
            yield Incident("fault-not-reached", f"{effect.fault.text}: the run never reached this fault")


def judged(
    divergences: Sequence[Divergence], effects: Sequence[FaultEffect], run: Facts, peer: Sender
) -> list[Divergence]:
    """Return the divergences of a run with faults, in order; mere consequences of a fault become notes.

    A request that the peer should have answered, and did not, is added if it is not reported yet.
    """
    first = min((effect.since for effect in effects), default=AFTER_ALL)
    if first == AFTER_ALL:
        return [*divergences]
    cause = next((effect.frame for effect in effects if effect.since == first), None)
    left = any(effect.fault.kind.is_once and effect.is_reached for effect in effects)
    broken = _broken(effects, run, peer)
    kept = {finding.frame for finding in broken}
    result = [
        divergence
        if _stands(divergence, first, kept, left=left)
        else replace(divergence, severity="note", consequence_of=divergence.consequence_of or cause)
        for divergence in divergences
    ]
    reported = {each.got_event.frame for each in result if each.got_event and each.severity == "error"}
    for finding in broken:
        if finding.code in _UNANSWERED and finding.frame not in reported:
            event = FrameEvent(finding.frame, finding.blame, finding.message)
            text = f"{finding.code}: {finding.message}"
            result.append(Divergence(_FINDING, "error", finding.session_id, text, None, None, None, event))
    return result


def _broken(effects: Sequence[FaultEffect], run: Facts, peer: Sender) -> list[Finding]:
    """Return the findings that blame the peer, and that no fault excuses."""
    excused = {code for effect in effects if effect.is_reached for code in effect.fault.kind.excused}
    return [
        finding
        for finding in run.findings
        if finding.blame == peer
        and finding.severity == "error"
        and finding.consequence_of is None
        and finding.code not in excused
    ]


def _stands(divergence: Divergence, first: int, kept: set[int], *, left: bool) -> bool:
    """Whether a divergence counts in spite of a fault."""
    if divergence.severity != "error" or not _is_after(divergence, first):
        return True
    if divergence.code in _ALWAYS:
        return not (left and divergence.code == "end")
    event = divergence.got_event
    return divergence.code == _FINDING and event is not None and event.frame in kept


def _is_after(divergence: Divergence, first: int) -> bool:
    """Whether it is about a frame after the first fault, or about the whole run."""
    actual, expected = divergence.got_event, divergence.expected_event
    if actual is None and expected is None:
        return True
    # Up to the fault, both have the same frames. Missing frames are placed there, or just before.
    return (actual is not None and actual.frame >= first) or (
        expected is not None and expected.frame >= first - 1
    )
