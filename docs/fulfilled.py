"""What agents fulfil of the protocol's requirements, as tables in Markdown: for docs/agents.py. Pure.

A cell says what recordings show. ○ means only that none of them exercises the requirement.
"""  # noqa: INP001  (a script's, in no package)

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from acp_trace.conform import requirements
from acp_trace.conform.judge import Judged
from acp_trace.conform.requirement import OWN, TIERS, Requirement, Status

SIGNS: Mapping[Status, str] = {"pass": "✓", "fail": "✗", "not-exercised": "○", "not-applicable": ""}
#: The tables: a heading, and the second words of the ids in it. Those of protocol 2 have one table.
_AREAS: Mapping[str, tuple[str, ...]] = {
    "Start and end": ("INIT", "SHUTDOWN"),
    "Messages": ("TRANSPORT", "JSONRPC", "SCHEMA", "ERROR", "EXT", "META"),
    "Sessions": ("SESSION", "LOAD", "RESUME", "LIST", "DELETE", "CLOSE", "ADDDIRS"),
    "Turns": ("PROMPT", "PROMPTCAP", "CANCEL", "CLIENTCAP"),
    "Modes, options and logins": ("MODES", "CONFIG", "AUTH"),
}
_OURS, _NOTED, _DRAFT = "Our own", "Only noted", "Draft 2 of the protocol"
_DRAFT_VERSION = 2
#: Where docs/conform.md has the requirements of a version; 0 are our own.
_PLACES = {0: "our-requirements", 1: "protocol-1", 2: "draft-2"}
_BAR = re.compile(r"(?<!\\)\|")
_SPECIAL = re.compile(r"([\\`*_\[\]|~#])")
#: What is judged of each agent, by its name with the version.
Verdicts = Mapping[str, Sequence[Judged]]


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table. A bar in a cell is escaped, unless it is already."""
    whole = [head, ["---"] * len(head), *lines]
    return "".join("| " + " | ".join(_BAR.sub(r"\\|", one) for one in line) + " |\n" for line in whole)


def summary(verdicts: Verdicts, recorded: Mapping[str, str]) -> str:
    """How many requirements each agent fulfils, of those that its recordings exercise."""
    lines = []
    for agent, judged in verdicts.items():
        counts = Counter((one.requirement.tier, one.status) for one in judged)
        of_tier = [
            f"{counts[tier, 'pass']} of {counts[tier, 'pass'] + counts[tier, 'fail']}" for tier in TIERS[:3]
        ]
        of_sign = [str(sum(one.status == status for one in judged)) for status in SIGNS]
        lines.append([agent, recorded[agent], *of_tier, *of_sign])
    head = ["agent", "recorded", *TIERS[:3], "✓", "✗", "○", "not announced"]
    return f"{table(head, lines)}\n{_unseen(verdicts)}"


def _unseen(verdicts: Verdicts) -> str:
    """The requirements that no recording of any agent exercises, by version of the protocol."""
    judged = [one for of_agent in verdicts.values() for one in of_agent]
    seen = {one.requirement for one in judged if one.status in ("pass", "fail")}
    unseen = [one for one in requirements.ALL if one in {each.requirement for each in judged} - seen]
    parts = []
    for where, is_draft in (("", False), ("Of draft 2, ", True)):
        ids = [f"`{one.id}`" for one in unseen if (one.version == _DRAFT_VERSION) == is_draft]
        parts += [f"{where}{'n' if where else 'N'}o recording exercises {', '.join(ids)}.\n"] if ids else []
    return "\n".join(parts)


def cells(verdicts: Verdicts) -> str:
    """A table for each area, with a cell for each agent and requirement."""
    found = {agent: {one.requirement: one for one in judged} for agent, judged in verdicts.items()}
    return "\n".join(
        f"### {area}\n\n{made}" for area, wanted in _by_area().items() if (made := _grid(area, wanted, found))
    )


def _by_area() -> dict[str, list[Requirement]]:
    by_area: dict[str, list[Requirement]] = {area: [] for area in (*_AREAS, _OURS, _NOTED, _DRAFT)}
    for one in requirements.ALL:
        if one.side == "agent":
            by_area[_area(one)].append(one)
    return by_area


def _grid(area: str, wanted: Sequence[Requirement], found: Mapping[str, Mapping[Requirement, Judged]]) -> str:
    """The table of an area; empty if it concerns no agent."""
    agents = [agent for agent, judged in found.items() if any(one in judged for one in wanted)]
    signs = [[_cell(found[agent].get(one)) for one in wanted] for agent in agents]
    heads = [_link(one) for one in wanted]
    if not agents:
        return ""
    if area == _DRAFT:  # over a hundred requirements, and few agents that speak it
        lines = [[head, *column] for head, *column in zip(heads, *signs, strict=True)]
        return table(["requirement", *agents], lines)
    return table(["agent", *heads], [[agent, *line] for agent, line in zip(agents, signs, strict=True)])


def _area(one: Requirement) -> str:
    if one.id.startswith(OWN):
        return _OURS
    if one.version == _DRAFT_VERSION:
        return _DRAFT
    word = one.id.split("-")[1]
    return _NOTED if one.tier == "informational" else next(area for area in _AREAS if word in _AREAS[area])


def _link(one: Requirement) -> str:
    """The id without its first word, which all in a table share. Its tooltip: the text, without backticks."""
    tooltip = one.text.replace("`", "").replace('"', "&quot;")
    return f'[{one.id.partition("-")[2]}](../conform.md#{_PLACES[one.version]} "{tooltip}")'


def _cell(one: Judged | None) -> str:
    """A sign. That of a failure leads to the list of them, and its tooltip says what was found."""
    if one is None:
        return ""
    sign = SIGNS[one.status]
    return f'[{sign}](#why-not "{_found(one)}")' if one.status == "fail" else sign


def _found(one: Judged) -> str:
    return ", ".join(one.codes) or "a check of conform"


def why(verdicts: Verdicts) -> str:
    """What shows each ✗: the first frame that does, in the words of the judge."""
    lines = []
    for agent, judged in verdicts.items():
        failed = [one for one in judged if one.status == "fail"]
        lines += [f"- {agent}\n" * bool(failed), *(f"    - {_shown(one)}\n" for one in failed)]
    return "".join(lines)


def _shown(one: Judged) -> str:
    first, more = one.failures[0], len(one.failures) - 1
    shown = html.escape(_SPECIAL.sub(r"\\\1", " ".join(first.message.split())), quote=False)
    where = f"{first.trace} #{first.frame}"
    return f"`{one.requirement.id}` ({_found(one)}): {where}: {shown}" + (
        f", and {more} more" if more else ""
    )
