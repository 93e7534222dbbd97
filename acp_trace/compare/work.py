"""What an agent did, section by section: messages, plans and other work, and what comes after the end.

Chunks of one kind between two barriers are one message; their text is not compared, nor how many they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from acp_trace.compare import barriers, calls
from acp_trace.compare.barriers import NO_BARRIERS, Barriers
from acp_trace.compare.collector import Collector
from acp_trace.compare.sessions import Both, Matched, there
from acp_trace.compare.story import BEFORE, Run, Section, SessionStory, Where
from acp_trace.compare.tolerance import Tolerance, Tolerances, between
from acp_trace.protocol import updates

#: Updates that the ledgers of configuration and metadata stand for.
_LEDGERS = frozenset({updates.CONFIG, updates.MODE, updates.SESSION_INFO})


def compare(found: Collector, matched: Matched, tolerances: Tolerances) -> None:
    """Compares all sections of all sessions."""
    held = barriers.of(matched)
    known = (
        found.last_got if not found.expected.whole else found.actual.frames
    )  #: what comes later, the first may have had
    for both in matched.sessions:
        one, other = both
        for where in _sections(one, other):
            its = there(found, both, where)
            if its is None:
                continue
            ours, theirs = one.sections.get(where, Section(where)), other.sections.get(its, Section(its))
            tolerance = tolerances.of(one, other, where, its)
            if where.part == "after":
                _late(found, one.id, ours, theirs, known)
            elif where == BEFORE:
                _before(found, both, ours, theirs)
                calls.compare(
                    found, one.id, where, ours.calls, theirs.calls, tolerance, NO_BARRIERS, late=False
                )
            else:
                after = Where("after", its.number)
                late = other.sections.get(after) if where.part == "turn" else None
                walls = held.get((one.id, where), NO_BARRIERS)
                _messages(found, one.id, ours, theirs, tolerance, walls, _kinds(late))
                _any(found, one.id, ours.others, theirs.others, tolerance, f"in {where}")
                calls.compare(
                    found, one.id, where, ours.calls, theirs.calls, tolerance, walls, late=_worked(late)
                )
        was, now = ({k: v for k, v in side.states.items() if k not in _LEDGERS} for side in both)
        found.compared(sum(run.count for kind, run in one.states.items() if kind in _LEDGERS))
        _any(found, one.id, was, now, between(found.expected, found.actual), "in the session")


def _sections(one: SessionStory, other: SessionStory) -> Iterable[Where]:
    turns = [Where(part, number) for number in range(len(one.turns)) for part in ("turn", "after")]
    replays = [where for where in (*one.sections, *other.sections) if where.part == "replay"]
    return dict.fromkeys([BEFORE, *turns, *replays])


def _kinds(section: Section | None) -> set[str]:
    """What there is in a section, by kind."""
    return set() if section is None else {*section.messages, *section.others}


def _worked(section: Section | None) -> bool:
    return section is not None and "tool call" in section.others


def _messages(
    found: Collector,
    session_id: str,
    ours: Section,
    theirs: Section,
    tolerance: Tolerance,
    walls: Barriers,
    late: set[str],
) -> None:
    for kind in dict.fromkeys([*ours.messages, *theirs.messages]):
        was = _between(ours.messages.get(kind, ()), walls.expected)
        now = _between(theirs.messages.get(kind, ()), walls.got)
        for segment in sorted(was.keys() | now.keys()):
            run, its = was.get(segment), now.get(segment)
            if run is not None and its is not None:
                found.pair(run.frame, its.frame, run.count)
            elif run is not None:
                found.unmatched(run.count)
                if not (tolerance.may_miss(run.frame) or kind in late):
                    told = f"no {kind} in {ours.where} any more{walls.place(segment)}"
                    found.say("message-missing", session_id, told, run.frame, None, was=kind)
            elif its is not None:
                found.unmatched(its.count)
                if not tolerance.extra:
                    told = f"a new {kind} in {ours.where}{walls.place(segment)}"
                    found.say("message-extra", session_id, told, None, its.frame, now=kind)


def _between(runs: Iterable[Run], segment: Callable[[int], int]) -> dict[int, Run]:
    """One message for each gap between barriers."""
    made: dict[int, Run] = {}
    for run in runs:
        known = made.setdefault(segment(run.frame), Run(run.frame, 0))
        known.count += run.count
    return made


def _any(
    found: Collector,
    session_id: str,
    was: Mapping[str, Run],
    now: Mapping[str, Run],
    tolerance: Tolerance,
    place: str,
) -> None:
    """Compares which kinds of updates there are."""
    for kind in dict.fromkeys([*was, *now]):
        run, its = was.get(kind), now.get(kind)
        if run is not None and its is not None:
            found.pair(run.frame, its.frame, run.count)
        elif run is not None:
            found.unmatched(run.count)
            if not tolerance.may_miss(run.frame):
                told = f"no {kind} {place} any more"
                found.say("update-missing", session_id, told, run.frame, None, was=kind, count=run.count)
        elif its is not None:
            found.unmatched(its.count)
            if not tolerance.extra:
                told = f"{kind} {place}, where there was none"
                found.say("update-extra", session_id, told, None, its.frame, now=kind, count=its.count)


def _late(found: Collector, session_id: str, ours: Section, theirs: Section, known: int) -> None:
    """Compares what comes after a turn, up to a frame of the second trace.

    In draft 2 work goes on in the background (v2/prompt-lifecycle).
    """
    was, now = _firsts(ours), _firsts(theirs)
    for kind, run in was.items():
        if kind in now:
            found.pair(run.frame, now[kind].frame, run.count)
    for one, other in zip(ours.calls, theirs.calls, strict=False):
        found.calls.append((session_id, ours.where, one.id, other.id))
    new = {kind: run for kind, run in now.items() if kind not in was}
    found.unmatched(sum(run.count for run in new.values()))
    first = min((run.frame for run in new.values()), default=known + 1)
    if first <= known and found.actual.facts.trace.protocol_version != 2:
        told = f"{', '.join(new)} after the end of turn {ours.where.number}"
        count = sum(run.count for run in new.values())
        found.say("update-after-stop", session_id, told, None, first, count=count)


def _before(found: Collector, both: Both, ours: Section, theirs: Section) -> None:
    """Compares what comes before the first prompt, or just after that, when the client is quick."""
    was, now = _firsts(ours), _firsts(theirs)
    first = [_kinds(side.sections.get(Where("turn", 0))) for side in both]
    loose = between(found.expected, found.actual)
    for kind in dict.fromkeys([*was, *now]):
        run, its = was.get(kind), now.get(kind)
        if run is not None and its is not None:
            found.pair(run.frame, its.frame, run.count)
        elif run is not None and kind not in first[1] and not loose.may_miss(run.frame):
            told = f"no {kind} before the first turn any more"
            found.say("message-missing", both[0].id, told, run.frame, None, was=kind)
        elif its is not None and kind not in first[0] and not loose.extra:
            told = f"a new {kind} before the first turn"
            found.say("message-extra", both[0].id, told, None, its.frame, now=kind)


def _firsts(section: Section) -> dict[str, Run]:
    """What there is in a section: for each kind, the first of it, and how many frames."""
    made = {kind: _between(runs, lambda _: 0)[0] for kind, runs in section.messages.items()}
    return made | section.others
