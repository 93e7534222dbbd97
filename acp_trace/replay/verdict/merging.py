"""Incidents that the player noticed and divergences that the comparison found -> one list. Pure.

One cause is reported once: if the comparison reports the frame of an incident, one of the two reports both
(`_REPORTED_BY`). What ended the run too early comes first, then everything in the order of the recording.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from acp_trace.analyze.facts import Facts
from acp_trace.compare.result import Divergence
from acp_trace.compare.run_order import place
from acp_trace.protocol import methods
from acp_trace.replay.incidents import ENDS, Incident, Place
from acp_trace.replay.verdict.divergence_index import DivergenceIndex
from acp_trace.replay.verdict.early_end import ended_early
from acp_trace.story.frame_event import FrameEvent, frame_event
from acp_trace.trace.entries import SENT, Entry

#: Incidents that the comparison may report as well, with the codes that it uses: of the actual frame, or of
#: the expected one. The comparison's code says more, the incident's words do.
_PAIRED = {"request-params", "request-moved", "permission-option-missing", "permission-option-differs"}
_REPORTED_BY = {
    "request-unmatched": frozenset({"request-extra", "request-twice", "permission-extra", *_PAIRED}),
    "answer-unused": frozenset({"request-missing", "request-order", "permission-missing", *_PAIRED}),
}
#: Codes that report a session which could not be opened.
_FAILED = frozenset({"error-instead-of-result", "response-missing"})
_OWN_ERROR = frozenset({"error-instead-of-result", "error-code", "cancel-outcome"})
#: Incidents that replace what the comparison reports of their expected frame.
_INSTEAD = {"step-skipped": "notification-missing", "step-late": "request-moved"}


class RunFrames:
    """The run's frames by their senders: an incident knows only its position among its side's frames."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_sender: dict[str, list[tuple[int, Entry]]] = {"client": [], "agent": []}
        number = 0
        for entry in entries:
            if entry.kind in SENT and entry.sender is not None:
                number += 1
                self._by_sender[entry.sender].append((number, entry))

    @property
    def last(self) -> FrameEvent | None:
        """The agent's last frame; None if it sent nothing."""
        return self.event(("agent", len(self._by_sender["agent"]))) if self._by_sender["agent"] else None

    def event(self, place: Place | None) -> FrameEvent | None:
        """Return the frame at a place; None if there is no such frame."""
        if place is None or place[1] > len(self._by_sender[place[0]]):
            return None
        number, entry = self._by_sender[place[0]][place[1] - 1]
        return frame_event(number, entry)


def merged(
    divergences: Sequence[Divergence],
    incidents: Sequence[Incident],
    frames: RunFrames,
    recorded: Facts,
    run: Facts,
    ended_ns: int,
) -> list[Divergence]:
    """Return all of them, each cause once. `ended_ns`: when the run was over, since its beginning."""
    ends: list[Divergence] = []
    own: list[Divergence] = []
    index = DivergenceIndex(divergences)
    for incident in _possible(incidents, recorded, divergences):
        actual = frames.event(incident.got)
        at = index.place(incident, actual, _REPORTED_BY.get(incident.code, frozenset()))
        if at is not None:
            if incident.code == "request-unmatched":
                index.explain(at, incident.reason or incident.message)
            continue
        for frame in incident.refused:  # the player's own error
            index.remove(replace(incident, expected=frame), None, _OWN_ERROR)
        if incident.code in _INSTEAD:
            index.remove(incident, actual, frozenset({_INSTEAD[incident.code]}))
        if incident.code == "flood" and actual is None:  # a line without an end
            actual = frames.last
        divergence = divergence_of(incident, actual, index.before(actual))
        if incident.code in ENDS:
            divergence = ended_early(divergence, run, ended_ns)
        (ends if incident.code in ENDS else own).append(divergence)
    return [*ends, *sorted([*own, *index.left()], key=place)]


def _possible(
    incidents: Sequence[Incident], recorded: Facts, divergences: Iterable[Divergence]
) -> Sequence[Incident]:
    """Return the incidents that are not mere consequences of a session that could not be reopened."""
    failed = {
        divergence.expected_event.frame
        for divergence in divergences
        if divergence.code in _FAILED and divergence.expected_event
    }
    if not incidents or not failed:
        return incidents
    unopened = {
        exchange.session_id: exchange.frame
        for exchange in reversed(recorded.exchanges)  # of several for a session, the first
        if exchange.method in methods.OPENERS and exchange.response_frame in failed
    }
    return [
        incident
        for incident in incidents
        if (frame := incident.expected or 0) <= unopened.get(incident.session, frame)
    ]


def divergence_of(incident: Incident, actual: FrameEvent | None, last: Divergence | None) -> Divergence:
    """Return the divergence for an incident.

    `last`: a divergence of the comparison whose last common frame applies to the incident, too.
    """
    expected = None
    if incident.expected is not None:
        expected = FrameEvent(incident.expected, "client", incident.was or "")
    return Divergence(
        incident.code,
        incident.severity,
        incident.session,
        incident.message,
        incident.was,
        incident.now,
        expected,
        actual,
        common_expected=last.common_expected if last else None,
        common_got=last.common_got if last else None,
    )


def frame_of(divergence: Divergence) -> int:
    """Return the frame of the run that a divergence is about; 0 if there is none."""
    return 0 if divergence.got_event is None else divergence.got_event.frame
