"""Findings in only one of the two traces, each once, and findings of severity `error` in both.

Two findings are the same if they have the same code, blame the same side and are at the same kind of place:
an answer to `session/prompt`, a `session/update` of one kind, one member of it. Their number is not compared:
one more turn of a model may add some. A note is never reported as new: it breaks nothing.

`explained` knows which divergences already report the same. Nothing here judges frames.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from acp_trace.analyze.facts import Facts, Finding
from acp_trace.compare.explained import FrameKind, kind_of
from acp_trace.compare.obedience import played_sides
from acp_trace.compare.result import Divergences, SharedFinding
from acp_trace.compare.trace_pair import TracePair
from acp_trace.story.model import Story

#: Findings about a high rate or a long silence, which depend on the machine more than on the agent.
_BY_CHANCE = frozenset({"info-flood", "stalled", "cancel-slow"})


class _Kind(NamedTuple):
    code: str
    blame: str
    place: FrameKind
    path: str | None  #: in the message, with `*` for a place in a list

    def __str__(self) -> str:
        return f"{self.code} ({self.blame}){self.place.words}"


class _Kinds:
    """The findings of one trace: for each kind the first, the first error, and the number."""

    def __init__(self, story: Story) -> None:
        self.first: dict[_Kind, Finding] = {}
        self.errors: dict[_Kind, Finding] = {}
        self.counts: dict[_Kind, int] = {}
        self._unreported = _unreported(story.facts)
        for finding in story.facts.findings:
            if not finding.frame:  # in a trace without frames
                continue
            kind = _Kind(finding.code, finding.blame, kind_of(story.at(finding.frame)), _starred(finding))
            self.first.setdefault(kind, finding)
            if finding.severity == "error":
                self.errors.setdefault(kind, finding)
            self.counts[kind] = self.counts.get(kind, 0) + finding.count

    def have(self, kind: _Kind) -> bool:
        """Whether the trace shows the same fault, even if it was too short there to be a finding."""
        return kind in self.first or kind.code in self._unreported


def _unreported(facts: Facts) -> frozenset[str]:
    """Return the codes of faults that become findings after some time, which is the model's choice.

    How long an answer goes on after a cancel depends on the model. Whether the agent breaks it off does not.
    """
    outlived = any(call.outlived_cancel for call in facts.model_calls)
    return frozenset({"model-call-outlives-cancel"} if outlived else ())


def _starred(finding: Finding) -> str | None:
    return finding.path and re.sub(r"(?<=/)[0-9]+(?=/|$)", "*", finding.path)


def compare(traces: TracePair, last_actual: int) -> Divergences:
    """Yield the findings that are new, and as notes those that are gone.

    `last_actual`: the last frame of the actual trace up to which the expected one goes.
    """
    expected, actual = _Kinds(traces.expected), _Kinds(traces.actual)
    played = played_sides(traces.expected.facts, traces.actual.facts)
    for kind in _only(actual, expected, played):
        finding = actual.first[kind]
        if finding.frame <= last_actual and kind.code not in _BY_CHANCE:
            message, frame = f"{kind}: {finding.message}", finding.frame
            yield traces.divergence("finding-new", finding.session_id, message, None, frame,
                                    count=actual.counts[kind], about=kind.code)  # fmt: skip
    gone = _only(expected, actual, played)
    if not (gone and traces.expected.whole and traces.actual.whole):
        return
    places = {kind_of(event) for event in traces.actual.events}
    for kind in gone:
        # A place that no longer exists is not fixed; a line that should not have existed is.
        if kind.place in places or kind.place.kind is None:
            finding = expected.first[kind]
            message, frame = f"{kind} is gone: {finding.message}", finding.frame
            yield traces.divergence("finding-fixed", finding.session_id, message, frame, None,
                                    count=expected.counts[kind], about=kind.code)  # fmt: skip


def shared(traces: TracePair) -> list[SharedFinding]:
    """Return the errors that both traces have: no divergence reports them, and neither trace is right."""
    expected, actual = (_Kinds(story).errors for story in (traces.expected, traces.actual))
    played = played_sides(traces.expected.facts, traces.actual.facts)
    return [
        SharedFinding(kind.code, kind.blame, finding.message, finding.frame, actual[kind].frame)
        for kind, finding in expected.items()
        if kind in actual and kind.blame not in played
    ]


def _only(kinds: _Kinds, others: _Kinds, played: set[str | None]) -> list[_Kind]:
    """Return the kinds that the other trace lacks, without notes and without the player's own faults."""
    return [
        kind
        for kind, finding in kinds.first.items()
        if not others.have(kind) and kind.blame not in played and finding.severity != "note"
    ]
