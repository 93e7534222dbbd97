"""Facts made by hand, for the tests of `check`: only what a test is about is given."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

from acp_trace.analyze.budgets import parse
from acp_trace.analyze.facts import Facts, Finding, Trace, Turn
from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.verdict import FailOn, Verdict, judge
from acp_trace.report.places import Place

_T = TypeVar("_T")
_BLANK: dict[Any, Any] = {"int": 0, "str": "", "bool": False}


def row(made: type[_T], /, **given: Any) -> _T:
    """A fact in which nothing but this is said."""
    blank = {one.name: _BLANK.get(one.type) for one in fields(made)}  # type: ignore[arg-type]
    return made(**{**blank, **given})


def facts(trace_id: str = "20261120T130501Z-7f3a9c", **lists: Any) -> Facts:
    """The facts of a whole trace."""
    trace = row(
        Trace,
        id=trace_id,
        started_at="2026-11-20T13:05:01.123456Z",
        duration_ns=9_000_000_000,
        complete=True,
        agent_name="opencode",
        agent_version="1.2",
        agent_argv="[]",
        labels="{}",
    )
    return Facts(trace, **lists)


def finding(code: str, frame: int = 1, message: str = "what was seen", **more: Any) -> Finding:
    """A finding of the severity that its code has."""
    given = {"severity": CODES[code].severity, "blame": "agent", "count": 1, **more}
    return row(Finding, code=code, frame=frame, message=message, **given)


def turn(frame: int, took: int | None, **more: Any) -> Turn:
    """A turn; unsettled where it took no time."""
    settled = None if took is None else frame + 1
    return row(Turn, session_id="s", frame=frame, duration_ns=took, settled_frame=settled, **more)


def verdict(*found: Facts, fails: FailOn | None = None, budgets: tuple[str, ...] = ()) -> Verdict:
    """The verdict over traces that are called a.jsonl, b.jsonl …"""
    named = [(place.path or "", one, False) for place, one in zip(places(len(found)), found, strict=True)]
    return judge(named, fails or FailOn(), [parse(text) for text in budgets])


def places(count: int) -> list[Place]:
    """Their places; frame n stands in line n + 1."""
    lines = {frame: frame + 1 for frame in range(1, 200)}
    return [Place(f"./{name}.jsonl", f"{name}.jsonl", lines) for name in "abcdefgh"[:count]]
