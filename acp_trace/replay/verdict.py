"""What the player noticed and what the comparison found, as one list. Pure.

One cause is told once: where the comparison tells of the very frame that an incident is about, one of the
two stands for both (`_TOLD_BY`), and the error with which the player itself refused a request is no
divergence beside the request. What ended the run too early comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_trace.analyze.budgets import Outcome, evaluate
from acp_trace.analyze.facts import Facts
from acp_trace.compare.difference import compare
from acp_trace.compare.reading import EventReader
from acp_trace.compare.result import Comparison, Divergence, FrameEvent
from acp_trace.protocol import methods
from acp_trace.protocol.message import read
from acp_trace.replay.divergence_index import ByFrame
from acp_trace.replay.incidents import OVER_BUDGET, RUN_CODES, Incident, Place
from acp_trace.replay.settings import Settings
from acp_trace.trace.entries import SENT, Entry, EntryKind

#: What ended the run: nothing after it could happen.
_ENDS = ("cannot-start", "agent-gone", "timeout", "flood")
#: Incidents that the comparison may tell as well, with the codes by which it does: of the frame that was
#: got, or of the one that was expected. Its own code says more, the incident's words do.
_TOLD_BY = {
    "request-unmatched": frozenset(
        {"request-extra", "request-twice", "request-params", "request-moved", "permission-extra"}
    ),
    "answer-unused": frozenset(
        {"request-missing", "request-params", "request-order", "request-moved", "permission-missing"}
    ),
}
#: How a session that could not be opened is told.
_FAILED = frozenset({"error-instead-of-result", "response-missing"})
#: Incidents that stand in the place of what the comparison says of their expected frame.
_INSTEAD = {"step-skipped": "notification-missing"}


@dataclass(frozen=True, slots=True)
class ReplayVerdict:
    """What became of a replay. `steps`: how many there were, `sent`: how many went out."""

    comparison: Comparison
    budgets: list[Outcome]
    died: bool  #: the agent was not there to the end
    steps: int
    sent: int

    @property
    def passed(self) -> bool:
        """Whether nothing differs, and something was compared."""
        return self.comparison.equal and not self.died and bool(self.comparison.counts.compared)


def judge(
    recorded: Iterable[Entry],
    live: Sequence[Entry],
    incidents: Sequence[Incident],
    settings: Settings,
    *,
    died: bool,
    steps: int,
    sent: int,
) -> ReplayVerdict:
    """Compares a live run with its recording. One that ended too early is compared as far as it goes."""
    exact = settings.match == "exact"
    ours, theirs = EventReader(whole=exact), EventReader(whole=exact)
    for entry in recorded:
        ours.feed(entry)
    for entry in live:
        if not (died and entry.kind is EntryKind.END):
            theirs.feed(entry)
    found = compare(ours, theirs, settings.match, settings.masks)
    facts = theirs.facts()
    outcomes = [
        evaluate(budget, [(0, sample) for sample in budget.metric.samples(facts)])
        for budget in settings.budgets
    ]
    frames = _Frames(live)
    refused = _refused(facts, incidents, frames)
    kept = [one for one in found.divergences if _frame(one) not in refused]
    merged = _merged(kept, _possible(incidents, ours, kept), frames)
    over = [_over_budget(one) for one in outcomes if not one.ok]
    if died and any(entry.kind is EntryKind.END for entry in live):
        found = replace(found, got=replace(found.got, complete=True))
        merged = [_early(one) for one in merged]
    return ReplayVerdict(replace(found, divergences=[*merged, *over]), outcomes, died, steps, sent)


def _early(one: Divergence) -> Divergence:
    """The live trace has an end, but not that of the conversation: what is said of it says so."""
    if one.code != "truncated" or one.got_event is None:
        return one
    return replace(one, message=f"the run ended early: compared up to its frame {one.got_event.frame}")


class _Frames:
    """The live run's frames by their senders: an incident knows only the how many-th of its side it was."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_sender: dict[str, list[tuple[int, Entry]]] = {"client": [], "agent": []}
        number = 0
        for entry in entries:
            if entry.kind in SENT and entry.sender is not None:
                number += 1
                self._by_sender[entry.sender].append((number, entry))

    def event(self, place: Place | None) -> FrameEvent | None:
        """What stands at a place."""
        if place is None or place[1] > len(self._by_sender[place[0]]):
            return None
        number, entry = self._by_sender[place[0]][place[1] - 1]
        message = read(entry.data)
        what = message.method or ("an answer" if message.kind == "response" else "a line")
        return FrameEvent(number, place[0], f"{what} {message.update}" if message.update else what)


def _refused(facts: Facts, incidents: Iterable[Incident], frames: _Frames) -> set[int | None]:
    """The answers with which the player itself refused what the recording has no answer for."""
    events = [frames.event(one.got) for one in incidents if one.code == "request-unmatched"]
    asked = {event.frame for event in events if event is not None}
    return {one.response_frame for one in facts.exchanges if one.frame in asked and one.outcome == "error"}


def _possible(
    incidents: Sequence[Incident], recorded: EventReader, found: Iterable[Divergence]
) -> Sequence[Incident]:
    """Those that are no mere consequence of a session which could not be opened any more."""
    failed = {one.expected_event.frame for one in found if one.code in _FAILED and one.expected_event}
    if not incidents or not failed:
        return incidents
    unopened = {
        one.session_id: one.frame
        for one in reversed(recorded.facts().exchanges)  # of several for a session, the first
        if one.method in methods.OPENERS and one.response_frame in failed
    }
    return [one for one in incidents if (one.expected or 0) <= unopened.get(one.session, one.expected or 0)]


def _frame(one: Divergence) -> int:
    """The frame of the live run that a divergence is about; 0 where there is none."""
    return 0 if one.got_event is None else one.got_event.frame


def _merged(found: Iterable[Divergence], incidents: Sequence[Incident], frames: _Frames) -> list[Divergence]:
    ends: list[Divergence] = []
    own: list[Divergence] = []
    others = ByFrame(found)
    for incident in incidents:
        got = frames.event(incident.got)
        at = others.place(incident, got, _TOLD_BY.get(incident.code, frozenset()))
        if at is not None:
            if incident.code == "request-unmatched":
                others.explain(at, incident.reason or incident.message)
            continue
        if incident.code in _INSTEAD:
            others.remove(incident, got, frozenset({_INSTEAD[incident.code]}))
        (ends if incident.code in _ENDS else own).append(_divergence(incident, got, others.before(got)))
    return [*ends, *sorted([*own, *others.left()], key=_place)]


def _divergence(incident: Incident, got: FrameEvent | None, last: Divergence | None) -> Divergence:
    """`last`: one of the comparison's, whose last common frame is that of the incident, too."""
    expected = None
    if incident.expected is not None:
        expected = FrameEvent(incident.expected, "client", incident.was or "")
    return Divergence(
        incident.code,
        RUN_CODES[incident.code].severity,
        incident.session,
        incident.message,
        incident.was,
        incident.now,
        expected,
        got,
        common_expected=last.common_expected if last else None,
        common_got=last.common_got if last else None,
    )


def _place(one: Divergence) -> tuple[int, bool, int]:
    """As `compare` has it: in the recording's order, what is only in the live run behind what both have."""
    its = one.got_event.frame if one.got_event is not None else 0
    if one.expected_event is not None:
        return one.expected_event.frame, False, its
    if one.common_expected is not None:
        return one.common_expected.frame, True, its
    return 1 << 62, True, its


def _over_budget(one: Outcome) -> Divergence:
    value = "no sample" if one.value is None else f"{one.value} {'ns' if one.budget.timed else ''}".strip()
    got = None if one.frame is None else FrameEvent(one.frame, "client", "where the sample began")
    text = one.budget.text
    return Divergence(OVER_BUDGET, "error", None, f"{text}: {value}", text, value, None, got)
