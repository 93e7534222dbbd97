"""What the player noticed and what the comparison found, as one list. Pure.

One cause is reported once: if the comparison reports the very frame that an incident is about, one of the
two stands for both (`_REPORTED_BY`), and the error with which the player itself refused a request is no
divergence beside the request. What followed from a refusal is marked so (`consequences`). What ended the run
too early comes first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from acp_trace.analyze.budgets import Outcome, evaluate
from acp_trace.analyze.facts import Facts
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.compare.difference import compare
from acp_trace.compare.following import linked
from acp_trace.compare.result import Comparison, Divergence, FrameEvent
from acp_trace.compare.story.chunk_joiner import EventReader
from acp_trace.compare.timings import Timings, timings
from acp_trace.protocol import methods
from acp_trace.protocol.message import read
from acp_trace.replay.incidents import ENDS, Incident, Place
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict import model_away
from acp_trace.replay.verdict.allowances import Allowances
from acp_trace.replay.verdict.consequences import Refusal, marked
from acp_trace.replay.verdict.divergence_index import DivergenceIndex
from acp_trace.replay.verdict.early_end import ended_early
from acp_trace.trace.durations import duration
from acp_trace.trace.entries import SENT, Entry, EntryKind

#: Incidents that the comparison may report as well, with the codes by which it does: of the actual frame, or
#: of the expected one. Its own code says more, the incident's words do.
_PAIRED = {"request-params", "request-moved", "permission-option-missing", "permission-option-differs"}
_REPORTED_BY = {
    "request-unmatched": frozenset({"request-extra", "request-twice", "permission-extra", *_PAIRED}),
    "answer-unused": frozenset({"request-missing", "request-order", "permission-missing", *_PAIRED}),
}
#: How a session that could not be opened is reported.
_FAILED = frozenset({"error-instead-of-result", "response-missing"})
_OWN_ERROR = frozenset({"error-instead-of-result", "error-code", "cancel-outcome"})
#: Incidents that stand in the place of what the comparison reports of their expected frame.
_INSTEAD = {"step-skipped": "notification-missing", "step-late": "request-moved"}

#: What the text of a flood differs in.
_OF_TEXT = frozenset({"content-differs", "frame-differs", "frame-extra"})

#: Lines of the agent's stderr that are kept: the useful one of a crash is seldom the last.
LAST_LOGS = 20


@dataclass(frozen=True, slots=True)
class ReplayVerdict:
    """What became of a replay. `steps`: how many there were, `sent`: how many went out."""

    comparison: Comparison
    budgets: list[Outcome]
    died: bool  #: the agent was not there to the end
    steps: int
    sent: int
    timings: tuple[Timings, Timings]  #: of the recording and of the run
    logs: int  #: lines that the agent wrote to stderr
    last_logs: list[str]  #: the last of them

    @property
    def passed(self) -> bool:
        """Whether nothing differs, and something was compared."""
        return self.comparison.equal and not self.died and bool(self.comparison.counts.compared)


def judge_run(
    recorded: Iterable[Entry],
    run: Sequence[Entry],
    incidents: Sequence[Incident],
    settings: Settings,
    *,
    died: bool,
    steps: int,
    sent: int,
    whole_at: int | None = None,
) -> ReplayVerdict:
    """Compares a run with its recording. One that ended too early is compared as far as it goes.

    `whole_at`: with which line of the agent all was there that the recording has. What comes after that
    proves nothing: nobody knows what the recorded agent would have sent, had its client stayed.
    """
    recorded = list(recorded)
    expected, actual = EventReader(settings.match), EventReader(settings.match)
    for entry in recorded:
        expected.feed(entry)
    for entry in run:
        if not (died and entry.kind is EntryKind.END):
            actual.feed(entry)
    comparison = compare(expected, actual, settings.match, settings.masks)
    facts = actual.facts()
    outcomes = [
        evaluate(budget, [(0, sample) for sample in budget.metric.samples(facts)])
        for budget in settings.budgets
    ]
    frames = _Frames(run)
    incidents = [each for each in incidents if not _is_after(each, whole_at)]
    last = frames.event(("agent", whole_at)) if whole_at else None
    unmatched = _unmatched(incidents, frames)
    refused = _refused(facts, unmatched)
    flooded = _flooded(incidents, facts)
    kept = [
        divergence
        for divergence in comparison.divergences
        if (last is None or _frame(divergence) <= last.frame)
        and _frame(divergence) not in refused
        and not (divergence.code == "finding-new" and _frame(divergence) in unmatched)
        and not (_frame(divergence) > flooded and divergence.code in _OF_TEXT)
    ]
    merged = _merged(kept, _possible(incidents, expected, kept), frames, facts, run[-1].t if run else 0)
    over = [_over_budget(outcome) for outcome in outcomes if not outcome.ok]
    if died and any(entry.kind is EntryKind.END for entry in run):
        comparison = replace(comparison, got=replace(comparison.got, complete=True))
        merged = [_early(divergence) for divergence in merged]
    refusals = [
        Refusal(event.frame, incident.session)
        for incident in incidents
        if incident.code == "request-unmatched" and (event := frames.event(incident.got)) is not None
    ]
    merged = linked(
        marked(merged, refusals, expected.facts(), facts), lambda: (expected.story(), actual.story())
    )
    allowed, allowances = Allowances(settings.allowances).apply(merged)
    if any(divergence.severity == "error" for divergence in allowed):
        away = model_away.note(recorded, run, expected.facts(), facts)
        allowed = [*allowed, *([_divergence(away, None, None)] if away else [])]
    whole = replace(comparison, divergences=[*allowed, *over], allowances=allowances)
    times = timings(expected.facts()), timings(facts)
    logs = [entry.data for entry in run if entry.kind is EntryKind.LOG]
    last_logs = [line.decode("utf-8", "replace") for line in logs[-LAST_LOGS:]]
    return ReplayVerdict(whole, outcomes, died, steps, sent, times, len(logs), last_logs)


def _early(divergence: Divergence) -> Divergence:
    """The trace of the run has an end, but not that of the conversation: its message says so."""
    if divergence.code != "truncated" or divergence.got_event is None:
        return divergence
    frame = divergence.got_event.frame
    return replace(divergence, message=f"the run ended early: compared up to its frame {frame}")


class _Frames:
    """The run's frames by their senders: an incident knows only the how many-th of its side it was."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_sender: dict[str, list[tuple[int, Entry]]] = {"client": [], "agent": []}
        number = 0
        for entry in entries:
            if entry.kind in SENT and entry.sender is not None:
                number += 1
                self._by_sender[entry.sender].append((number, entry))

    def event(self, place: Place | None) -> FrameEvent | None:
        """What stands at a place; None if there is no such frame."""
        if place is None or place[1] > len(self._by_sender[place[0]]):
            return None
        number, entry = self._by_sender[place[0]][place[1] - 1]
        message = read(entry.data)
        what = message.method or ("an answer" if message.kind == "response" else "a line")
        return FrameEvent(number, place[0], f"{what} {message.update}" if message.update else what)


def _is_after(incident: Incident, whole_at: int | None) -> bool:
    """Whether a request came when the recording was over."""
    late = whole_at is not None and incident.got is not None and incident.got[1] > whole_at
    return late and incident.code == "request-unmatched"


def _unmatched(incidents: Iterable[Incident], frames: _Frames) -> set[int]:
    """The requests that the recording has no answer for. What is wrong with one is told with it."""
    events = [frames.event(incident.got) for incident in incidents if incident.code == "request-unmatched"]
    return {event.frame for event in events if event is not None}


def _refused(facts: Facts, requests: set[int]) -> set[int | None]:
    """The answers with which the player itself refused these requests."""
    return {
        exchange.response_frame
        for exchange in facts.exchanges
        if exchange.frame in requests and exchange.outcome == "error"
    }


def _flooded(incidents: Iterable[Incident], facts: Facts) -> int:
    """The frame of the prompt whose turn a flood ended: whatever it says from there on is the flood."""
    if not any(incident.code == "flood" for incident in incidents):
        return 1 << 62
    return max((turn.frame for turn in facts.turns if turn.settled_frame is None), default=0)


def _possible(
    incidents: Sequence[Incident], recorded: EventReader, divergences: Iterable[Divergence]
) -> Sequence[Incident]:
    """Those that are not a mere consequence of a session which could not be opened any more."""
    failed = {
        divergence.expected_event.frame
        for divergence in divergences
        if divergence.code in _FAILED and divergence.expected_event
    }
    if not incidents or not failed:
        return incidents
    unopened = {
        exchange.session_id: exchange.frame
        for exchange in reversed(recorded.facts().exchanges)  # of several for a session, the first
        if exchange.method in methods.OPENERS and exchange.response_frame in failed
    }
    return [
        incident
        for incident in incidents
        if (frame := incident.expected or 0) <= unopened.get(incident.session, frame)
    ]


def _frame(divergence: Divergence) -> int:
    """The frame of the run that a divergence is about; 0 if there is none."""
    return 0 if divergence.got_event is None else divergence.got_event.frame


def _merged(
    divergences: Iterable[Divergence],
    incidents: Sequence[Incident],
    frames: _Frames,
    facts: Facts,
    ended_ns: int,
) -> list[Divergence]:
    ends: list[Divergence] = []
    own: list[Divergence] = []
    index = DivergenceIndex(divergences)
    for incident in incidents:
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
        divergence = _divergence(incident, actual, index.before(actual))
        if incident.code in ENDS:
            divergence = ended_early(divergence, facts, ended_ns)
        (ends if incident.code in ENDS else own).append(divergence)
    return [*ends, *sorted([*own, *index.left()], key=_place)]


def _divergence(incident: Incident, actual: FrameEvent | None, last: Divergence | None) -> Divergence:
    """`last`: one of the comparison's, whose last common frame is that of the incident, too."""
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


def _place(divergence: Divergence) -> tuple[int, bool, int]:
    """As `compare` has it: in the recording's order, what is only in the run behind what both have."""
    frame = _frame(divergence)
    if divergence.expected_event is not None:
        return divergence.expected_event.frame, False, frame
    if divergence.common_expected is not None:
        return divergence.common_expected.frame, True, frame
    return 1 << 62, True, frame


def _over_budget(outcome: Outcome) -> Divergence:
    value = "no sample"
    if outcome.value is not None:
        value = duration(outcome.value) if outcome.budget.timed else str(outcome.value)
    event = None
    if outcome.frame is not None:
        event = FrameEvent(outcome.frame, "client", "where the sample began")
    text = outcome.budget.text
    return Divergence(OVER_BUDGET, "error", None, f"{text}: {value}", text, value, None, event)
