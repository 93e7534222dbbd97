"""Writes the tables of docs/evidence/agents.md, what each agent does: `python docs/agents.py TRACE…`.

A figure is in the table only if a recording shows it; `–` means that none did.
"""  # noqa: INP001  (a script, in no package)

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS)]  # the code beside this page, not an installed older one

import fulfilled  # noqa: E402
import passed  # noqa: E402
from agent_rows import SIGNS, Row, rows_of  # noqa: E402

from acp_trace.conform.judge import Judged  # noqa: E402
from acp_trace.report import units  # noqa: E402
from acp_trace.trace.counts import counted  # noqa: E402

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
#: Of MCP servers, these transports are announced; every agent has stdio (session-setup).
_ANNOUNCED = {f"MCP {kind}": f"MCP server over {kind}" for kind in ("http", "sse")}
#: What shows that an agent is an example of how to write one.
_EXAMPLE = "example"
_BUSY = """\
The machine was busy then, so the times are too long. A requirement that an agent may have failed only because
it was slow is marked ○.
"""


def cells(agent: str, row: Row) -> list[str]:
    """One line of the table."""
    return [
        agent,
        _recorded(row),
        _cancel(row, "session/cancel"),
        _cancel(row, "$/cancel_request"),
        _options(row),
        f"{row.infos}: {', '.join(sorted(row.fields))}" if row.infos else _NONE,
        ", ".join(_out_of_turn(row)) or _NONE,
        ", ".join(sorted(row.unknown)) or _NONE,
        ", ".join(f"`{code}`" for code in sorted(row.codes)) or "none",
    ]


def _recorded(row: Row) -> str:
    return f"{max(row.days, default='')} × {row.traces}".strip()


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
        yield f"after {counted(row.late, 'turn')}"
    if row.early:
        yield f"before {counted(row.early, 'session')}"


def feature_cells(agent: str, row: Row) -> list[str]:
    """One line of the table of what is announced."""
    signs = [
        next((SIGNS[best] for best in SIGNS if best in {row.features.get(name) for name in names}), "")
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


def counts(rows: dict[str, Row]) -> str:
    """How many agents there are, and when they were recorded."""
    days = sorted({day for row in rows.values() for day in row.days})
    agents = {row.agent for row in rows.values()}
    examples = {agent for agent in agents if _EXAMPLE in agent}
    published = f"{len(agents - examples)} published agents and {len(examples)} examples"
    told = f"There are {published}, recorded from {days[0]} to {days[-1]}.\n"
    return told + _BUSY if any(row.was_busy for row in rows.values()) else told


def table(rows: dict[str, Row]) -> str:
    """The table of what the agents do."""
    head = [
        "agent", "recorded", "session/cancel", "$/cancel_request", "options", "info updates", "out of turn",
        "unknown method", "findings",
    ]  # fmt: skip
    return fulfilled.table(head, [cells(agent, row) for agent, row in rows.items()])


def features(rows: dict[str, Row]) -> str:
    """The table of what the agents announce."""
    head = ["agent", *_COLUMNS, *(f"{kind}s" for kind in _COUNTED)]
    return fulfilled.table(head, [feature_cells(agent, row) for agent, row in rows.items()])


def passing(rows: dict[str, Row]) -> str:
    """The table of what passes between the agents and their clients."""
    head = ["agent", *passed.COLUMNS]
    return fulfilled.table(head, [passed_cells(agent, row) for agent, row in rows.items()])


def fulfils(rows: dict[str, Row]) -> str:
    """How many of the protocol's requirements each agent fulfils."""
    return fulfilled.summary(_verdicts(rows), {agent: _recorded(row) for agent, row in rows.items()})


def requirements(rows: dict[str, Row]) -> str:
    """The tables with a cell for each agent and requirement."""
    return fulfilled.cells(_verdicts(rows))


def why(rows: dict[str, Row]) -> str:
    """What shows that a requirement is not fulfilled."""
    return fulfilled.why(_verdicts(rows))


def _verdicts(rows: dict[str, Row]) -> dict[str, Sequence[Judged]]:
    return {agent: row.judged for agent, row in rows.items()}


def main(argv: list[str]) -> int:
    """Writes the page."""
    parser = argparse.ArgumentParser(description="Writes the tables of docs/evidence/agents.md.")
    parser.add_argument("traces", nargs="+", type=Path, metavar="TRACE")
    parser.add_argument(
        "--busy", action="store_true", help="the machine was busy: blame no agent for its time"
    )
    asked = parser.parse_args(argv)
    rows = rows_of(asked.traces, was_busy=asked.busy)
    text = PAGE.read_text("utf-8")
    for part in (counts, table, features, passing, fulfils, requirements, why):
        name = part.__name__
        start, marker, rest = text.partition(f"<!-- agents: {name} -->\n")
        _, end, rest = rest.partition(f"<!-- end: {name} -->\n")
        text = f"{start}{marker}\n{part(rows)}\n{end}{rest}"
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
