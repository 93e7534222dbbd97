"""Writes the tables of docs/evidence/agents.md, what each agent does: `python docs/agents.py TRACE…`.

A figure is in the table only if a recording shows it; `–` means that none did.
"""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]  # the code beside this page, not an installed older one

import passed  # noqa: E402

from acp_trace.analyze import facts  # noqa: E402
from acp_trace.analyze.findings.codes import CODES  # noqa: E402
from acp_trace.analyze.listing import command_name  # noqa: E402
from acp_trace.conform.evidence import Evidence, evidence  # noqa: E402
from acp_trace.conform.judge import judge  # noqa: E402
from acp_trace.replay.plan.recording import read  # noqa: E402
from acp_trace.replay.written.announced import announced, exercised  # noqa: E402
from acp_trace.report import units  # noqa: E402
from acp_trace.report.statements import phrases  # noqa: E402
from acp_trace.report.statements.cancels import outcome  # noqa: E402
from acp_trace.store.sources import FileSource  # noqa: E402

PAGE = DOCS / "evidence" / "agents.md"
_NONE = "–"
#: The columns of the table of features: a heading, and the features of `announced.exercised` under it.
_COLUMNS: dict[str, tuple[str, ...]] = {
    "load": ("session/load",),
    "resume": ("session/resume",),
    "fork": ("session/fork",),
    "list": ("session/list",),
    "close": ("session/close",),
    "delete": ("session/delete",),
    "title": ("session/set_title",),
    "archive": ("session/archive", "session/unarchive"),
    "status": ("session/status",),
    "logout": ("logout",),
    "providers": ("providers/list", "providers/set", "providers/disable"),
    "image": ("prompt with image",),
    "audio": ("prompt with audio",),
    "resource": ("prompt with resource",),
    "directories": ("additionalDirectories",),
    "system prompt": ("systemPrompt",),
}
_COUNTED = ("mode", "option", "login")
_SIGNS: dict[str, str] = {"done": "✓", "refused": "✗", "unanswered": "✗", "not exercised": "○"}
#: Of MCP servers, these transports are announced; every agent has stdio (session-setup).
_ANNOUNCED = {f"MCP {kind}": f"MCP server over {kind}" for kind in ("http", "sse")}
#: Agents that do not give their name, by a word of their command: what they are known as.
_KNOWN_AS = {
    "agent.js": "TypeScript SDK example",
    "ts-agent": "TypeScript SDK example",
    "echo_agent.py": "Python SDK echo example",
    "kimi": "kimi-cli",
    "grok": "grok",
}
_CROSSED = "crossed"  #: a turn that was over when the cancel came
#: What shows that an agent is an example of how to write one.
_EXAMPLE = "example"


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
            row.cancels.setdefault(one.kind, Counter())[_CROSSED if late else outcome(one.outcome)] += 1
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
        if exchange.sender == "client" and "nosuch" in exchange.method and exchange.error_code is not None:
            row.unknown.add(str(exchange.error_code))
    for finding in broken:
        if finding.severity == CODES[finding.code].severity:  # else the agent has an excuse
            row.codes[finding.code] += 1
            row.late += finding.code == "update-after-settle"


def cells(agent: str, row: Row) -> list[str]:
    """One line of the table."""
    return [
        agent,
        f"{max(row.days, default='')} × {row.traces}".strip(),
        _cancel(row, "session/cancel"),
        _cancel(row, "$/cancel_request"),
        _options(row),
        f"{row.infos}: {', '.join(sorted(row.fields))}" if row.infos else _NONE,
        ", ".join(_out_of_turn(row)) or _NONE,
        ", ".join(sorted(row.unknown)) or _NONE,
        ", ".join(f"`{code}`" for code in sorted(row.codes)) or "none",
    ]


def _cancel(row: Row, kind: str) -> str:
    ends = row.cancels.get(kind)
    if not ends:
        return _NONE
    times = sorted(row.settle.get(kind, []))
    after = f" ({units.duration(times[(len(times) - 1) // 2])})" if times else ""
    return ", ".join(f"{end} × {count}" for end, count in ends.items()) + after


def _options(row: Row) -> str:
    told = ", ".join(sorted(row.options))
    if row.sets:
        told += f"; {row.sets[True]} of {row.sets.total()} changes applied"
    if row.modes:
        told = f"{told}; modes" if told else "modes"
    return told or _NONE


def _out_of_turn(row: Row) -> Iterator[str]:
    if row.late:
        yield f"after {phrases.count(row.late, 'turn')}"
    if row.early:
        yield f"before {phrases.count(row.early, 'session')}"


def feature_cells(agent: str, row: Row) -> list[str]:
    """One line of the table of what is announced."""
    signs = [
        next((_SIGNS[best] for best in _SIGNS if best in {row.features.get(name) for name in names}), "")
        for names in _COLUMNS.values()
    ]
    counts = []
    for kind in _COUNTED:
        of_kind = [status for name, status in row.features.items() if name.startswith(f"{kind} ")]
        tried = sum(status == "done" for status in of_kind)
        counts.append(f"{tried}/{len(of_kind)}" if of_kind else "")
    return [agent, *signs, *counts]


def passed_cells(agent: str, row: Row) -> list[str]:
    """One line of the table of what passes: a transport that is not announced has no sign."""
    hidden = {column for column, feature in _ANNOUNCED.items() if feature not in row.features}
    return [agent, *("" if column in hidden else row.passed[column] for column in passed.COLUMNS)]


def rows_of(paths: Iterable[Path]) -> dict[str, Row]:
    """What the traces show of each agent, by its name, in the order of the names."""
    rows: dict[str, Row] = {}
    for path in paths:
        with closing(FileSource(path)) as source:
            found, entries = source.facts(), list(source.entries())
        if not found.trace.complete:  # what it lacks says nothing about the agent
            continue
        agent, full = names(found.trace)
        row = rows.setdefault(full, Row(agent))
        take(row, found)
        row.evidence.append(evidence(path.name, entries))
        recording = read(entries)
        for feature in exercised(recording, announced(recording)):
            best = row.features.get(feature.name, "not exercised")
            row.features[feature.name] = min(best, feature.status, key=[*_SIGNS].index)
        for column, sign in passed.passed(recording, found).items():
            row.passed[column] = passed.best(row.passed.get(column, sign), sign)
    return dict(sorted(rows.items(), key=lambda item: item[0].lower()))


def counts(rows: dict[str, Row]) -> str:
    """How many agents there are, and when they were recorded."""
    days = sorted({day for row in rows.values() for day in row.days})
    agents = {row.agent for row in rows.values()}
    examples = {agent for agent in agents if _EXAMPLE in agent}
    published = f"{len(agents - examples)} published agents and {len(examples)} examples"
    return f"There are {published}, recorded from {days[0]} to {days[-1]}.\n"


def table(rows: dict[str, Row]) -> str:
    """The table of what the agents do."""
    head = [
        "agent", "recorded", "session/cancel", "$/cancel_request", "options", "info updates", "out of turn",
        "unknown method", "findings",
    ]  # fmt: skip
    return _table(head, [cells(agent, row) for agent, row in rows.items()])


def features(rows: dict[str, Row]) -> str:
    """The table of what the agents announce."""
    head = ["agent", *_COLUMNS, *(f"{kind}s" for kind in _COUNTED)]
    return _table(head, [feature_cells(agent, row) for agent, row in rows.items()])


def passing(rows: dict[str, Row]) -> str:
    """The table of what passes between the agents and their clients."""
    head = ["agent", *passed.COLUMNS]
    return _table(head, [passed_cells(agent, row) for agent, row in rows.items()])


def requirements(rows: dict[str, Row]) -> str:
    """The table of the requirements that hold, by agent."""
    lines = []
    for agent, row in rows.items():
        judged = judge(row.evidence, "agent").judged
        counts = Counter((one.requirement.tier, one.status) for one in judged)
        failed = [f"`{one.requirement.id}`" for one in judged if one.status == "fail"]
        fine = [str(counts[tier, "pass"]) for tier in ("mandatory", "capability", "advisory")]
        lines.append([agent, *fine, ", ".join(failed) or "none"])
    return _table(["agent", "mandatory", "capability", "advisory", "not fulfilled"], lines)


def _table(head: list[str], lines: list[list[str]]) -> str:
    whole = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in whole)


def main(argv: list[str]) -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(description="Writes the tables of docs/evidence/agents.md.")
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    paths = parser.parse_args(argv).traces
    rows = rows_of(paths)
    text = PAGE.read_text("utf-8")
    for part in (counts, table, features, passing, requirements):
        name = part.__name__
        start, marker, rest = text.partition(f"<!-- agents: {name} -->\n")
        _, end, rest = rest.partition(f"<!-- end: {name} -->\n")
        text = f"{start}{marker}\n{part(rows)}\n{end}{rest}"
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
