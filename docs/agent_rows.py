"""What the traces of agents show, a row for each agent: for docs/agents.py. Reads traces, writes nothing."""  # noqa: INP001  (a script's)

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import passed

from acp_trace.analyze import facts
from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.listing import command_name
from acp_trace.conform import run_checks
from acp_trace.conform.checks import CHECKS, UNKNOWN
from acp_trace.conform.evidence import Evidence, evidence
from acp_trace.conform.judge import Judged, judge
from acp_trace.replay.plan.recording import read
from acp_trace.replay.written.announced import announced, exercised
from acp_trace.report.statements import phrases
from acp_trace.report.statements.cancels import outcome
from acp_trace.store.sources import FileSource
from acp_trace.trace.entries import Entry

#: Agents that do not give their name, by a word of their command: what they are known as.
_KNOWN_AS = {
    "agent.js": "TypeScript SDK example",
    "ts-agent": "TypeScript SDK example",
    "echo_agent.py": "Python SDK echo example",
    "kimi": "kimi-cli",
    "grok": "grok",
}
CROSSED = "crossed"  #: a turn that was over when the cancel came
#: What can come of a feature that is announced, the best first, and its sign.
SIGNS: dict[str, str] = {"done": "✓", "refused": "✗", "unanswered": "✗", "not exercised": "○"}
#: Requirements that an agent may fail because it was slow.
_TIMED = {id_ for id_, check in CHECKS.items() if check.__module__ == run_checks.__name__}


@dataclass
class Row:
    """What the traces of one agent show."""

    agent: str = ""  #: its name, without a version
    traces: int = 0
    days: set[str] = field(default_factory=set)  #: on which they were recorded
    cancels: dict[str, Counter[str]] = field(default_factory=dict)
    settle: dict[str, list[int]] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)
    sets: Counter[bool] = field(default_factory=Counter)
    modes: bool = False
    infos: int = 0
    fields: set[str] = field(default_factory=set)
    late: int = 0
    early: int = 0
    unknown: set[str] = field(default_factory=set)
    codes: Counter[str] = field(default_factory=Counter)
    features: dict[str, str] = field(default_factory=dict)  #: the best that came of each, over all traces
    passed: dict[str, str] = field(default_factory=dict)  #: the best sign of each column
    evidence: list[Evidence] = field(default_factory=list)
    was_busy: bool = False  #: whether the machine was, so that a slow agent is not to blame

    @cached_property
    def judged(self) -> Sequence[Judged]:
        """The verdict about each requirement, over all traces."""
        judged = judge(self.evidence, "agent").judged
        return [_left_open(one) for one in judged] if self.was_busy else judged


def _left_open(one: Judged) -> Judged:
    """A verdict that rests on a time limit alone, as not exercised."""
    is_slow = one.status == "fail" and one.requirement.id in _TIMED and not one.codes
    return replace(one, status="not-exercised", failures=()) if is_slow else one


def names(trace: facts.Trace) -> tuple[str, str]:
    """The agent's own name, and that with its version.

    Of one that gave none, what it is known as, or its command. The label `agent_version` has a version that
    it did not give.
    """
    argv = json.loads(trace.agent_argv)
    programs = [word.replace("\\", "/").rpartition("/")[2] for word in argv]
    known = next((_KNOWN_AS[program] for program in programs if program in _KNOWN_AS), None)
    given = trace.agent_name or trace.agent_title or known
    version = trace.agent_version or json.loads(trace.labels).get("agent_version")
    command = command_name(argv)
    return phrases.name(given, None, command), phrases.name(given, version, command)


def take(row: Row, found: facts.Facts) -> None:
    """Adds one trace to its agent's row."""
    row.traces += 1
    row.days |= {(found.trace.started_at or "")[:10]} - {""}
    broken = [one for one in found.findings if one.blame == "agent"]
    mild = {
        one.frame
        for one in broken
        if one.code == "cancel-other-stop-reason" and one.severity != CODES[one.code].severity
    }
    for one in found.cancellations:
        if one.target_method == "session/prompt" and one.kind != "internal":
            late = one.outcome == "completed" and one.settled_frame in mild
            row.cancels.setdefault(one.kind, Counter())[CROSSED if late else outcome(one.outcome)] += 1
            if one.settle_ns is not None:
                row.settle.setdefault(one.kind, []).append(one.settle_ns)
    for entry in found.config_entries:
        row.modes = row.modes or entry.legacy
        if (
            entry.cause == "set"
            and not entry.legacy
            and entry.honoured is not None
            and entry.error_code is None
        ):
            row.sets[entry.honoured] += 1
    row.options |= {one.option for one in found.config_changes if not one.legacy and one.option}
    row.infos += len(found.metadata_updates)
    row.fields |= {one.path.split("/")[1] for one in found.metadata_changes}
    makers = [one for one in found.exchanges if one.method in ("session/new", "session/fork")]
    row.early += sum(
        any(made.frame < one.frame < (made.response_frame or 0) for made in makers)
        for one in found.sessions
        if one.opened_by in ("session/new", "session/fork")
    )
    for exchange in found.exchanges:
        is_unknown = "nosuch" in exchange.method or exchange.method.removeprefix("_").startswith(UNKNOWN)
        if exchange.sender == "client" and is_unknown and exchange.error_code is not None:
            row.unknown.add(str(exchange.error_code))
    for finding in broken:
        if finding.severity == CODES[finding.code].severity:  # else the agent has an excuse
            row.codes[finding.code] += 1
            row.late += finding.code == "update-after-settle"


def rows_of(paths: Iterable[Path], *, was_busy: bool = False) -> dict[str, Row]:
    """What the traces show of each agent, by its name, in the order of the names.

    `was_busy`: the machine was, while they were recorded.
    """
    rows: dict[str, Row] = {}
    named: dict[tuple[str, str], tuple[str, str]] = {}
    nameless = []
    for path in paths:
        with closing(FileSource(path)) as source:
            found, entries = source.facts(), list(source.entries())
        if not found.trace.complete:  # what it lacks says nothing about the agent
            continue
        if found.trace.agent_name:
            named[_start(found.trace)] = names(found.trace)
            _add(rows, names(found.trace), path, found, entries)
        else:
            nameless.append((path, found, entries))
    for path, found, entries in nameless:
        _add(rows, named.get(_start(found.trace), names(found.trace)), path, found, entries)
    for row in rows.values():
        row.was_busy = was_busy
    return dict(sorted(rows.items(), key=lambda item: item[0].lower()))


def _start(trace: facts.Trace) -> tuple[str, str]:
    """How an agent of a version was started. It gives its name only if `initialize` succeeds."""
    version = json.loads(trace.labels).get("agent_version")
    return (trace.agent_argv, version) if version else (trace.agent_argv, trace.id)


def _add(
    rows: dict[str, Row], name: tuple[str, str], path: Path, found: facts.Facts, entries: list[Entry]
) -> None:
    agent, full = name
    row = rows.setdefault(full, Row(agent))
    take(row, found)
    row.evidence.append(evidence(f"{path.parent.name}/{path.name}", entries))
    recording = read(entries)
    for feature in exercised(recording, announced(recording)):
        best = row.features.get(feature.name, "not exercised")
        row.features[feature.name] = min(best, feature.status, key=[*SIGNS].index)
    for column, sign in passed.passed(recording, found).items():
        row.passed[column] = passed.best(row.passed.get(column, sign), sign)
