"""Which of two traces obeys the protocol where they differ, so that a fix reads as a fix. Pure.

Only findings of the analysis at the frames of a divergence count: at the frame itself, at the request or the
response that belongs to it, and at the cancel that aimed at it. Notes break nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from acp_trace.analyze.facts import Facts
from acp_trace.compare.result import Divergence
from acp_trace.story.frame_event import FrameEvent

#: Codes that name the side themselves.
_SAID = frozenset({"finding-new", "finding-fixed"})
#: In a run, the side that the player is: it breaks rules because the recording did.
_PLAYED = {"replay": "client", "mock": "agent"}


def played_sides(*traces: Facts) -> set[str | None]:
    """Return the sides that the player is in some of these traces; None if it is neither in one of them."""
    return {_PLAYED.get(facts.trace.origin or "") for facts in traces}


def marked(divergences: Iterable[Divergence], expected: Facts, actual: Facts) -> list[Divergence]:
    """Return the same divergences; if only one trace has findings at the frames, with the side that obeys."""
    played = played_sides(expected, actual)
    expected_at, actual_at = (_Findings(facts, played) for facts in (expected, actual))
    made = []
    for divergence in divergences:
        was = expected_at.codes(divergence.expected_event)
        now = actual_at.codes(divergence.got_event)
        gone, new = [code for code in was if code not in now], [code for code in now if code not in was]
        if divergence.code in _SAID or bool(gone) == bool(new):
            made.append(divergence)
        elif gone:
            made.append(replace(divergence, obeys="actual", findings=tuple(gone)))
        else:
            made.append(replace(divergence, obeys="expected", findings=tuple(new)))
    return made


class _Findings:
    """The codes of a trace's findings, by their frames and the frames that belong to these."""

    def __init__(self, facts: Facts, played: set[str | None]) -> None:
        self._codes: dict[int, list[str]] = defaultdict(list)
        for finding in facts.findings:
            if finding.severity != "note" and finding.blame not in played:
                self._codes[finding.frame].append(finding.code)
        self._near: dict[int, set[int]] = defaultdict(set)
        if self._codes:
            for exchange in facts.exchanges:
                self._together(exchange.frame, exchange.response_frame)
            for cancel in facts.cancellations:
                self._together(cancel.frame, cancel.settled_frame)

    def _together(self, frame: int, other: int | None) -> None:
        if other is not None:
            self._near[frame].add(other)
            self._near[other].add(frame)

    def codes(self, event: FrameEvent | None) -> list[str]:
        """Return the codes at a frame, each once; empty without a frame."""
        if event is None:
            return []
        frames = sorted({event.frame, *self._near.get(event.frame, ())})
        return list(dict.fromkeys(code for frame in frames for code in self._codes.get(frame, ())))
