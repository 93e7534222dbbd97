"""Traces -> the status of each requirement. Pure.

A requirement fails only by what a side broke by itself: not by what follows from something else, and not by
what the other side did. A finding that is milder than its code says (the answer had crossed the cancel, the
trace lost frames) breaks nothing here. So a failure is certain; a requirement that was not exercised says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from acp_trace.analyze.facts import Finding
from acp_trace.analyze.findings.codes import CODES
from acp_trace.conform import requirements
from acp_trace.conform.checks import CHECKS
from acp_trace.conform.client_checks import CLIENT_CHECKS
from acp_trace.conform.evidence import Evidence
from acp_trace.conform.exercised import is_exercised
from acp_trace.conform.look import Check
from acp_trace.conform.requirement import BINDING, STATUSES, TIERS, Requirement, Side, Status, Tier
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind

#: The rest: what no other requirement names.
_REST: Mapping[Side, str] = {"agent": "ACT-ERRORS-001", "client": "ACT-CLIENT-ERRORS-001"}
#: It is enough if the request works in one form: in the process that made the session, or in another one.
_EITHER = frozenset({"ACP-LOAD-001", "ACP-RESUME-001"})
#: What asks for a version that does not exist. All else is judged by the version that the agent then took.
_OF_NO_VERSION = frozenset({"ACP-INIT-003"})
_CHECKS: Mapping[str, Check] = {**CHECKS, **CLIENT_CHECKS}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a requirement fails. `code`: of the finding; empty if a check found it."""

    trace: str
    frame: int
    message: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A requirement with its status. `trace`: the first in which it failed, else was exercised; or None."""

    requirement: Requirement
    status: Status
    failures: tuple[Failure, ...] = ()
    trace: str | None = None

    @property
    def frame(self) -> int | None:
        """The frame of the first failure."""
        return self.failures[0].frame if self.failures else None

    @property
    def codes(self) -> list[str]:
        """The codes of the findings that break it, each once."""
        return list(dict.fromkeys(one.code for one in self.failures if one.code))

    @property
    def is_binding(self) -> bool:
        """Whether a failure makes the peer non-conformant."""
        return self.requirement.tier in BINDING


@dataclass(frozen=True, slots=True)
class Conformance:
    """All that is said of a peer. `notes`: why something was not tried, in words.

    `name`, `version`: as the peer gives them. Traces of several peers have several, joined by commas.
    """

    side: Side
    name: str | None
    version: str | None
    judged: tuple[Judged, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """Whether no mandatory requirement failed, and none of a capability that is announced."""
        return not any(one.status == "fail" and one.is_binding for one in self.judged)

    def counts(self) -> dict[Tier, dict[Status, int]]:
        """How many requirements of each tier have each status."""
        made: dict[Tier, dict[Status, int]] = {tier: dict.fromkeys(STATUSES, 0) for tier in TIERS}
        for one in self.judged:
            made[one.requirement.tier][one.status] += 1
        return made


def judge(traces: Sequence[Evidence], side: Side, notes: Sequence[str] = ()) -> Conformance:
    """The status of each requirement of a side, over all traces."""
    versions = {trace.version for trace in traces if not _is_of_no_version(trace)} or {1}
    used: set[tuple[str, int, str]] = set()
    judged = []
    for each in requirements.of(side, versions):
        if each.id != _REST[side]:
            judged.append(_judged(each, traces, used))
        else:
            judged.append(_rest(each, traces, side, used))
    peers = list(dict.fromkeys(peer for trace in traces if any(peer := _peer(trace, side))))
    if len(peers) > 1:
        names = ", ".join(" ".join(filter(None, peer)) for peer in peers)
        notes = [f"the traces are of more than one {side}, judged together: {names}", *notes]
    name, version = (_joined(peer[at] for peer in peers) for at in (0, 1))
    return Conformance(side, name, version, tuple(judged), tuple(notes))


def _joined(words: Iterable[str | None]) -> str | None:
    return ", ".join(dict.fromkeys(filter(None, words))) or None


def _peer(trace: Evidence, side: Side) -> tuple[str | None, str | None]:
    """The name and the version that a side gives in a trace."""
    of = trace.facts.trace
    return (of.agent_name, of.agent_version) if side == "agent" else (of.client_name, of.client_version)


def _is_of_no_version(trace: Evidence) -> bool:
    """Whether the client asked for a version that does not exist: the agent may then take its newest one."""
    asked = trace.asked_version
    return isinstance(asked, int) and asked not in (1, 2)


def _judged(of: Requirement, traces: Sequence[Evidence], used: set[tuple[str, int, str]]) -> Judged:
    failures: list[Failure] = []
    exercised, absent = None, False
    for trace in traces:
        if of.version not in (0, trace.version) and not (
            of.id in _OF_NO_VERSION and _is_of_no_version(trace)
        ):
            continue
        if of.capability and (announced := trace.announced(of.capability)) is not True:
            absent = absent or announced is False
            continue
        found = [*_found(of, trace, used), *_looked(of, trace)]
        failures += [each for each in found if each is not None]
        if found or is_exercised(of.seen, trace, of.side):
            exercised = exercised or trace.name
    if of.id in _EITHER and _worked(of, traces):
        failures = [each for each in failures if each.code]
    if failures:
        return Judged(of, "fail", tuple(failures), failures[0].trace)
    if exercised is not None:
        return Judged(of, "pass", trace=exercised)
    return Judged(of, "not-applicable" if absent else "not-exercised")


def _worked(of: Requirement, traces: Sequence[Evidence]) -> bool:
    """Whether a request of the requirement's method was answered with a result anywhere."""
    return any(any(trace.results_of(*of.of)) for trace in traces)


def _found(of: Requirement, trace: Evidence, used: set[tuple[str, int, str]]) -> Iterator[Failure]:
    """The findings that break a requirement."""
    for one in trace.findings_of(of.side):
        if one.code in of.codes and _counts(one, of, trace):
            used.add((trace.name, one.frame, one.code))
            yield Failure(trace.name, one.frame, one.message, one.code)


def _looked(of: Requirement, trace: Evidence) -> Iterator[Failure | None]:
    """A check's result: a failure, or None for what was looked at and is as it should be."""
    check = _CHECKS.get(of.id)
    for look in check(trace) if check is not None else ():
        yield None if look.why is None else Failure(trace.name, look.frame, look.why)


def _counts(one: Finding, of: Requirement, trace: Evidence) -> bool:
    code = CODES.get(one.code)
    if code is None or one.severity != code.severity or (one.severity == "note" and of.tier in BINDING):
        return False
    if of.of and trace.method_at(one.frame) not in of.of:
        return False
    needed = _NEEDED.get(one.code, _any), _NARROWED.get((of.id, one.code), _any)
    return all(condition(one, trace) for condition in needed)


def _any(_: Finding, __: Evidence) -> bool:
    return True


def _is_of_cancelled(one: Finding, trace: Evidence) -> bool:
    """Whether the last turn that was over before the frame was a cancelled one."""
    turns = [turn for turn in trace.facts.turns if turn.session_id == one.session_id]
    before = [turn for turn in turns if turn.settled_frame is not None and turn.settled_frame < one.frame]
    last = max(before, key=lambda turn: turn.settled_frame or 0, default=None)
    return last is not None and any(cancel.target_frame == last.frame for cancel in trace.cancels)


def _is_no_race(one: Finding, trace: Evidence) -> bool:
    """Whether the turn that ended otherwise did so long after its cancel."""
    return any(cancel.settled_frame == one.frame for cancel in trace.cancels)


def _is_clean_input(one: Finding, trace: Evidence) -> bool:
    """Whether the client had sent only messages before: what a broken line does is said elsewhere."""
    return not any(sender == "client" and (frame < one.frame or not one.frame) for frame, sender in trace.odd)


def _is_undecoded(one: Finding, trace: Evidence) -> bool:
    """Whether the line is not UTF-8."""
    return trace.odd_kinds.get(one.frame) is MessageKind.BYTES


def _is_misnamed(one: Finding, trace: Evidence) -> bool:
    """Whether a request of the client got this answer, under another id, and never one under its own."""
    return any(call.frame < one.frame and call.answer is None for call in trace.calls)


def _is_after_note(one: Finding, trace: Evidence) -> bool:
    """Whether only a notification of the client can have been answered."""
    sent = [*trace.notes, *(cancel.frame for cancel in trace.facts.cancellations)]
    return not _is_misnamed(one, trace) and any(frame < one.frame for frame in sent)


def _is_unasked(one: Finding, trace: Evidence) -> bool:
    """Whether the client has not prompted that session itself."""
    return not any(
        call.params.get("sessionId") == one.session_id and call.frame < one.frame
        for call in trace.calls_of(methods.PROMPT)
    )


def _is_no_reopening(one: Finding, trace: Evidence) -> bool:
    """Whether it is about something else than loading or resuming, which have requirements of their own."""
    return trace.method_at(one.frame) not in methods.REOPENERS


_Condition = Callable[[Finding, Evidence], bool]
#: What a finding needs to break anything at all.
_NEEDED: dict[str, _Condition] = {
    "cancel-other-stop-reason": _is_no_race,
    "update-unknown-session": _is_unasked,
    "session-gone": _is_no_reopening,
}
#: What it needs to break one requirement.
_NARROWED: dict[tuple[str, str], _Condition] = {
    ("ACP-TRANSPORT-002", "not-json"): _is_undecoded,
    ("ACP-JSONRPC-001", "response-to-nothing"): _is_misnamed,
    ("ACP-JSONRPC-003", "response-to-nothing"): _is_after_note,
    ("ACP-CANCEL-205", "response-to-nothing"): _is_after_note,
    ("ACP-CANCEL-002", "update-after-settle"): _is_of_cancelled,
    ("ACP-CANCEL-202", "update-after-settle"): _is_of_cancelled,
    ("ACT-CRASH-001", "agent-crashed"): _is_clean_input,
    ("ACT-ANSWER-001", "never-answered"): _is_clean_input,
}


def _rest(of: Requirement, traces: Sequence[Evidence], side: Side, used: set[tuple[str, int, str]]) -> Judged:
    """Errors of a side that broke no other requirement."""
    failures = [
        Failure(trace.name, one.frame, one.message, one.code)
        for trace in traces
        for one in trace.findings_of(side)
        if one.severity == "error"
        and (trace.name, one.frame, one.code) not in used
        and _NEEDED.get(one.code, _any)(one, trace)
        and _is_clean_input(one, trace)
    ]
    if failures:
        return Judged(of, "fail", tuple(failures), failures[0].trace)
    exercised = next((trace.name for trace in traces if is_exercised(of.seen, trace, side)), None)
    return Judged(of, "not-exercised" if exercised is None else "pass", trace=exercised)
