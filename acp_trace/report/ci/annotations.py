"""GitHub's workflow commands: `::error file=…,line=…,title=CODE::message`, one for each code of a trace.

GitHub shows ten of a level for each step, so those of one code are one annotation. The runner reads
commands from everything a step prints: what comes from the traffic must not become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from acp_trace.analyze.verdict import Checked, Group, Verdict
from acp_trace.report.ci.places import Place
from acp_trace.report.safe import safe
from acp_trace.report.statements.checks import missed

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}
#: What runners look for. GitHub's: `::name` where a line begins, `##[name]` anywhere in it. Those of Azure
#: and TeamCity: `##vso[` and `##teamcity[`, which set variables of the job.
_COMMAND = re.compile(r"((?:^|[\r\n])\s*):(?=:)|##(?=\w*\[)")


def workflow_commands(verdict: Verdict, places: Sequence[Place], *, all_: bool) -> list[str]:
    """One line for each code that fails and each budget that does; `all_` adds the codes that do not fail."""
    lines = []
    for checked, place in zip(verdict.traces, places, strict=True):
        lines += [_group(group, checked, place) for group in checked.groups if group.fails or all_]
    for bad in verdict.budgets:
        if not bad.ok:
            where = None if bad.trace is None else places[bad.trace]
            lines.append(command("error", where, bad.frame, "budget", missed(bad)))
    return lines


def defused(text: str) -> str:
    """Text of several lines in which the runner finds no command."""
    return _COMMAND.sub(lambda found: f"{found[1]}: " if found[1] is not None else "## ", text)


def _group(group: Group, checked: Checked, place: Place) -> str:
    level = "error" if group.fails else _LEVELS.get(group.severity, "notice")
    first = group.findings[0]
    more = f" ({group.seen}×)" if group.seen > 1 else ""
    text = f"{first.message}{more} · {group.side} · frame {first.frame} of {checked.trace.id or checked.name}"
    return command(level, place, first.frame, group.code, text)


def command(level: str, place: Place | None, frame: int | None, title: str, text: str) -> str:
    """One workflow command."""
    properties = ",".join(f"{name}={_escaped(value)}" for name, value in _properties(place, frame, title))
    return f"::{level} {properties}::{defused(safe(text)).replace('%', '%25')}"


def _properties(place: Place | None, frame: int | None, title: str) -> Iterator[tuple[str, str]]:
    if place is not None and place.path is not None:
        yield "file", place.path
        if frame is not None and frame in place.lines:
            yield "line", str(place.lines[frame])
    yield "title", title


def _escaped(value: str) -> str:
    return safe(value).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
