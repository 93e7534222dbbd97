"""A run, judged: compared with its recording, with what the player noticed, budgets and allowances. Pure.

The player's own error response to a refused request is not a separate divergence. What followed from a
refusal is marked as its consequence (`consequences`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from acp_trace.analyze.budgets.grammar import Budget, Outcome, evaluate
from acp_trace.analyze.facts import Facts
from acp_trace.compare import difference, model_places
from acp_trace.compare.codes import OVER_BUDGET
from acp_trace.compare.following import linked
from acp_trace.compare.model_divergences import divergences as model_divergences
from acp_trace.compare.model_reader import ModelReader
from acp_trace.compare.result import Comparison, Divergence
from acp_trace.compare.run_order import RunOrder
from acp_trace.compare.timings import Timings, timings
from acp_trace.replay.faults.declaration import PlannedFault
from acp_trace.replay.faults.effects import FaultEffect, effects
from acp_trace.replay.faults.injector import FaultHit
from acp_trace.replay.incidents import Incident
from acp_trace.replay.left_files import LeftBoth
from acp_trace.replay.settings import Settings
from acp_trace.replay.verdict import after_faults, left_changes, model_away, model_changes
from acp_trace.replay.verdict.allowances import Allowances
from acp_trace.replay.verdict.consequences import Refusal, marked
from acp_trace.replay.verdict.early_end import cut_short
from acp_trace.replay.verdict.merging import RunFrames, divergence_of, frame_of, merged
from acp_trace.story.frame_event import FrameEvent
from acp_trace.trace.durations import duration
from acp_trace.trace.entries import AFTER_ALL, Entry, EntryKind, Sender
from acp_trace.trace.parse import stderr_lines

#: Divergences in the text of a flood.
_OF_TEXT = frozenset({"content-differs", "frame-differs", "frame-extra"})

_PEERS: dict[Sender, Sender] = {"client": "agent", "agent": "client"}

#: Lines of the agent's stderr that are kept: the useful line of a crash is seldom the last.
LAST_LOGS = 20


@dataclass(frozen=True, slots=True)
class ReplayVerdict:
    """The result of a replay. `steps`: their number, `sent`: how many were sent."""

    comparison: Comparison
    budgets: list[Outcome]
    died: bool  #: the agent ended too early
    steps: int
    sent: int
    timings: tuple[Timings, Timings]  #: of the recording and of the run
    logs: int  #: lines that the agent wrote to stderr
    last_logs: list[str]  #: the last of them
    faults: list[FaultEffect] = field(default_factory=list)  #: deliberate faults

    @property
    def passed(self) -> bool:
        """Whether nothing differs, and something was compared, or a deliberate fault was reached."""
        is_tried = any(fault.is_reached for fault in self.faults)
        return self.comparison.equal and not self.died and (is_tried or bool(self.comparison.counts.compared))


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
    files: LeftBoth | None = None,
    faults: Sequence[PlannedFault] = (),
    hits: Sequence[FaultHit] = (),
) -> ReplayVerdict:
    """Compare a run with its recording. A run that ended too early is compared as far as it goes.

    `files`: what both left in their directories, if known.

    `whole_at`: the number of the agent's line that completed everything in the recording. Later lines prove
    nothing: it is unknown what the recorded agent would have sent if its client had stayed.

    `faults`: the deliberate ones, `hits`: those that were made; with them, rules judge (`after_faults`).
    """
    recorded = list(recorded)
    sides = ModelReader(), ModelReader()
    for side, entries in zip(sides, (recorded, run), strict=True):
        for entry in entries:
            side.feed(entry)
    is_served = model_changes.is_served(sides, settings)
    match = settings.match or ("content" if is_served else "semantic")
    expected, actual = difference.read((), match), difference.read((), match)
    for entry in recorded:
        expected.feed(entry)
    for entry in run:
        if not (died and entry.kind is EntryKind.END):
            actual.feed(entry)
    answers = [call.answer for call in sides[0].calls] if is_served else []
    said = [text for answer in answers for text in (answer.text, answer.thinking) if text]
    comparison = difference.compare(
        expected,
        actual,
        match,
        settings.masks,
        said if is_served else None,
        model_places.of_variables(sides),
    )
    facts = actual.facts()
    both = expected.facts(), facts
    model = model_changes.outcome(sides, both, settings, match, (recorded, run), is_whole=not died)
    outcomes = [_outcome(budget, *both) for budget in settings.budgets]
    frames = RunFrames(run)
    own: Sender = "agent" if actual.facts().trace.origin == "mock" else "client"
    of_faults = effects(faults, hits, run, facts, own, died=died)
    incidents = [each for each in incidents if not _is_after(each, whole_at)]
    incidents += after_faults.unreached(of_faults)
    last = frames.event(("agent", whole_at)) if whole_at else None
    unmatched = _unmatched(incidents, frames)
    refused = _refused(facts, unmatched)
    flooded = _flooded(incidents, facts)
    kept = [
        divergence
        for divergence in comparison.divergences
        if (last is None or frame_of(divergence) <= last.frame)
        and frame_of(divergence) not in refused
        and not (divergence.code == "finding-new" and frame_of(divergence) in unmatched)
        and not (frame_of(divergence) > flooded and divergence.code in _OF_TEXT)
    ]
    if not died and (unserved := model_changes.unserved(sides, facts, model)) is not None:
        incidents.append(unserved)
    divergences = [
        *merged(kept, incidents, frames, expected.facts(), facts, run[-1].t if run else 0),
        *left_changes.divergences(files, (recorded, run), (expected, actual), match),
    ]
    if died and any(entry.kind is EntryKind.END for entry in run):
        comparison = replace(comparison, got=replace(comparison.got, complete=True))
        divergences = [cut_short(divergence) for divergence in divergences]
    refusals = _refusals(incidents, frames)
    order = RunOrder(comparison.pairs)
    if model is not None:
        divergences = order.among(model_divergences(model, strict=settings.model_strict), divergences)
    misses = model_changes.refusals(model)
    divergences = linked(
        marked(divergences, [*refusals, *misses], expected.facts(), facts, order),
        lambda: (expected.story(), actual.story()),
        order,
    )
    weighed = partial(model_changes.weighed, misses=misses, strict=settings.model_strict)
    allowed, allowances = Allowances(settings.allowances).apply(weighed(divergences))
    allowed = after_faults.judged(weighed(allowed), of_faults, facts, _PEERS[own])
    fails = any(divergence.severity == "error" for divergence in allowed)
    if fails and (model is None or model.mode != "recorded"):  # otherwise the model's behaviour is known
        left = any(incident.code == "agent-gone" for incident in incidents)
        away = model_away.note(recorded, run, expected.facts(), facts, agent_left=left)
        allowed = [*allowed, *([divergence_of(away, None, None)] if away else [])]
    over = _over_budgets(outcomes, allowed)
    whole = replace(comparison, divergences=[*allowed, *over], allowances=allowances, model=model)
    times = timings(expected.facts()), timings(facts)
    return ReplayVerdict(whole, outcomes, died, steps, sent, times, *_logs(run), of_faults)


def _logs(run: Iterable[Entry]) -> tuple[int, list[str]]:
    """Return how many lines the agent wrote to stderr, and the last of them."""
    logs = stderr_lines(run)
    return len(logs), logs[-LAST_LOGS:]


def _refusals(incidents: Iterable[Incident], frames: RunFrames) -> list[Refusal]:
    """Return the requests that the player itself refused."""
    return [
        Refusal(event.frame, incident.session)
        for incident in incidents
        if incident.code == "request-unmatched" and (event := frames.event(incident.got)) is not None
    ]


def _is_after(incident: Incident, whole_at: int | None) -> bool:
    """Whether a request came when the recording was over."""
    late = whole_at is not None and incident.got is not None and incident.got[1] > whole_at
    return late and incident.code == "request-unmatched"


def _unmatched(incidents: Iterable[Incident], frames: RunFrames) -> set[int]:
    """Return the requests without a recorded answer. Findings about them are reported with them."""
    events = [frames.event(incident.got) for incident in incidents if incident.code == "request-unmatched"]
    return {event.frame for event in events if event is not None}


def _refused(facts: Facts, requests: set[int]) -> set[int | None]:
    """Return the answers with which the player itself refused these requests."""
    return {
        exchange.response_frame
        for exchange in facts.exchanges
        if exchange.frame in requests and exchange.outcome == "error"
    }


def _flooded(incidents: Iterable[Incident], facts: Facts) -> int:
    """Return the frame of the prompt whose turn a flood ended: everything from there on is the flood."""
    if not any(incident.code == "flood" for incident in incidents):
        return AFTER_ALL
    return max((turn.frame for turn in facts.turns if turn.settled_frame is None), default=0)


def _outcome(budget: Budget, recorded: Facts, run: Facts) -> Outcome:
    """Evaluate a budget over a run; its limit may be relative to the recording."""
    limited = budget.against(budget.metric.samples(recorded))
    return evaluate(limited, [(0, sample) for sample in limited.metric.samples(run)])


def _over_budgets(outcomes: Iterable[Outcome], divergences: Iterable[Divergence]) -> list[Divergence]:
    """Return a divergence for each failed budget; one that lacks an end follows from the first failure."""
    failures = (each.frames for each in divergences if each.severity == "error" and not each.follows)
    first = dict(next(filter(None, failures), [])[:1])
    return [
        _over_budget(outcome, first if outcome.value is None or outcome.is_open else {})
        for outcome in outcomes
        if not outcome.ok
    ]


def _over_budget(outcome: Outcome, cause: Mapping[str, int]) -> Divergence:
    """Return its divergence. `cause`: the frame of the divergence that it follows from, by trace."""
    budget = outcome.budget
    value = "no sample" if outcome.value is None else _words(budget, outcome.value)
    text = budget.text
    if budget.factor is not None:
        recorded = "no sample" if budget.recorded is None else _words(budget, budget.recorded)
        text += f" (recorded: {recorded})"
    event = None
    if outcome.frame is not None:
        event = FrameEvent(outcome.frame, "client", "where the sample began")
    return Divergence(OVER_BUDGET, "error", None, f"{text}: {value}", text, value, None, event,
                      consequence_of=cause.get("actual"),
                      consequence_of_expected=cause.get("expected"))  # fmt: skip


def _words(budget: Budget, value: int) -> str:
    return duration(value) if budget.timed else str(value)
