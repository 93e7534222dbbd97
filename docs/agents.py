"""Writes docs/agents.md from recordings: `python docs/agents.py TRACE…`. What each agent does, row by row.

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
sys.path.insert(0, str(DOCS.parent))  # the code beside this page, not an installed older one

from acp_trace.analyze import facts  # noqa: E402
from acp_trace.analyze.listing import command_name  # noqa: E402
from acp_trace.conform.evidence import Evidence, evidence  # noqa: E402
from acp_trace.conform.judge import judge  # noqa: E402
from acp_trace.replay.plan.recording import read  # noqa: E402
from acp_trace.replay.written.announced import announced, exercised  # noqa: E402
from acp_trace.report import units  # noqa: E402
from acp_trace.report.statements import phrases  # noqa: E402
from acp_trace.report.statements.cancels import outcome  # noqa: E402
from acp_trace.store.sources import FileSource  # noqa: E402

PAGE = DOCS / "agents.md"
_NONE = "–"
_HEAD = """# Agents: what each of them does

Does my agent stop when I cancel, and does it report titles, modes and options? This table shows what
recordings of real agents contain; `–` means that no recording tried it. Another version may behave
differently: record yours. The times are from one machine, with a stand-in for the language model. So
they show how fast an agent reacts, not how fast a model thinks.

"""
_FEATURES_HEAD = """
## What they announce

What an agent announces, and what came of it where a client tried it: ✓ it worked, ✗ it was refused, ○ nobody
tried it. Without a sign, it is not announced. Numbers are how many modes, options and logins worked, of those
that the agent offers.

"""
#: The columns of that table: a heading, and the features of `announced.exercised` under it.
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
    "MCP http": ("MCP server over http",),
    "MCP sse": ("MCP server over sse",),
    "directories": ("additionalDirectories",),
    "system prompt": ("systemPrompt",),
}
_COUNTED = ("mode", "option", "login")
_SIGNS: dict[str, str] = {"done": "✓", "refused": "✗", "unanswered": "✗", "not exercised": "○"}
_REQUIREMENTS_HEAD = """
## What they fulfil

The [requirements](conform.md) that these recordings exercise, without driving anything: how many hold, and
which do not. A recording of a client that does not try something says nothing of it.

"""
_NOTES = """
- **session/cancel**, **$/cancel_request**: how cancelled prompts ended, how often, and how long they
  took to settle (median). *cancelled*: stop reason `cancelled`, or error -32800. *ran to its end*: any
  other result.
- **options**: the config options at the end; how many config changes were applied, of those that were
  answered with a state. *modes*: the agent has legacy modes.
- **info updates**: the number of `session_info_update`, and the fields in them.
- **out of turn**: updates after a turn had settled and before the next prompt (messages, thoughts, tool
  calls, plans), and updates before the session's own response.
- **unknown method**: the error code it answers with.
- **findings**: the codes that blame the agent. [Findings](findings.md) explains them.

An agent without a version did not give its name; it is listed under the name it is known by.

`just agents TRACE…` writes this page; [`acp-trace drive --all`](drive.md) makes recordings for it.
"""

#: Agents that do not give their name, by a word of their command: what they are known as.
_KNOWN_AS = {
    "agent.js": "TypeScript SDK example",
    "ts-agent": "TypeScript SDK example",
    "echo_agent.py": "Python SDK echo example",
    "kimi": "kimi-cli",
}


@dataclass
class Row:
    """What the traces of one agent show."""

    traces: int = 0
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
    evidence: list[Evidence] = field(default_factory=list)


def name(trace: facts.Trace) -> str:
    """The agent's own name and version; of one that gave none, what it is known as, or its command."""
    argv = json.loads(trace.agent_argv)
    programs = [word.replace("\\", "/").rpartition("/")[2] for word in argv]
    known = next((_KNOWN_AS[program] for program in programs if program in _KNOWN_AS), None)
    return phrases.name(
        trace.agent_name or trace.agent_title or known, trace.agent_version, command_name(argv)
    )


def take(row: Row, found: facts.Facts) -> None:
    """Adds one trace to its agent's row."""
    row.traces += 1
    for one in found.cancellations:
        if one.target_method == "session/prompt" and one.kind != "internal":
            row.cancels.setdefault(one.kind, Counter())[outcome(one.outcome)] += 1
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
    for finding in found.findings:
        if finding.blame == "agent":
            row.codes[finding.code] += 1
            row.late += finding.code == "update-after-settle"


def cells(agent: str, row: Row) -> list[str]:
    """One line of the table."""
    return [
        agent,
        str(row.traces),
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


def rows_of(paths: Iterable[Path]) -> dict[str, Row]:
    """What the traces show of each agent, by its name."""
    rows: dict[str, Row] = {}
    for path in paths:
        with closing(FileSource(path)) as source:
            found, entries = source.facts(), list(source.entries())
        if not found.trace.complete:  # what it lacks says nothing about the agent
            continue
        row = rows.setdefault(name(found.trace), Row())
        take(row, found)
        row.evidence.append(evidence(path.name, entries))
        recording = read(entries)
        for feature in exercised(recording, announced(recording)):
            best = row.features.get(feature.name, "not exercised")
            row.features[feature.name] = min(best, feature.status, key=[*_SIGNS].index)
    return rows


def table(paths: Iterable[Path]) -> str:
    """The table of all agents in these traces, by name."""
    rows = rows_of(paths)
    head = [
        "agent", "traces", "session/cancel", "$/cancel_request", "options", "info updates", "out of turn",
        "unknown method", "findings",
    ]  # fmt: skip
    return _table(head, [cells(agent, rows[agent]) for agent in sorted(rows, key=str.lower)])


def features(paths: Iterable[Path]) -> str:
    """The table of what the agents announce, by name. Agents that did not open a session have no line."""
    rows = {agent: row for agent, row in rows_of(paths).items() if row.features}
    head = ["agent", *_COLUMNS, *(f"{kind}s" for kind in _COUNTED)]
    return _table(head, [feature_cells(agent, rows[agent]) for agent in sorted(rows, key=str.lower)])


def requirements(paths: Iterable[Path]) -> str:
    """The table of the requirements that hold, by agent."""
    lines = []
    for agent, row in sorted(rows_of(paths).items(), key=lambda item: item[0].lower()):
        judged = judge(row.evidence, "agent").judged
        counts = Counter((one.requirement.tier, one.status) for one in judged)
        failed = [f"`{one.requirement.id}`" for one in judged if one.status == "fail"]
        passed = [str(counts[tier, "pass"]) for tier in ("mandatory", "capability", "advisory")]
        lines.append([agent, *passed, ", ".join(failed) or "none"])
    return _table(["agent", "mandatory", "capability", "advisory", "not fulfilled"], lines)


def _table(head: list[str], lines: list[list[str]]) -> str:
    whole = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in whole)


def main(argv: list[str]) -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(description="Writes docs/agents.md from recordings.")
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    paths = parser.parse_args(argv).traces
    parts = [_HEAD, table(paths), _NOTES, _FEATURES_HEAD, features(paths), _REQUIREMENTS_HEAD]
    PAGE.write_text("".join([*parts, requirements(paths)]), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
