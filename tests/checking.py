"""For the tests of `check`: facts made by hand, of which only what a test is about is given, and a bad trace."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from acp_trace.analyze.budgets.grammar import parse
from acp_trace.analyze.facts import Facts, Finding, Trace, Turn
from acp_trace.analyze.findings.codes import CODES
from acp_trace.analyze.verdict import FailOn, Verdict, judge
from acp_trace.report.ci.places import Place
from tests.support import REPOSITORY, header, line

#: A recording in which nothing is wrong.
CLEAN = REPOSITORY / "sample_traces" / "opencode-acpx.jsonl"

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
        has_times=True,
        frames_client=1,
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


def verdict(
    *found: Facts, fails: FailOn | None = None, budgets: tuple[str, ...] = (), side: str | None = None
) -> Verdict:
    """The verdict over traces that are called a.jsonl, b.jsonl and so on."""
    named = [(place.path or "", one, False) for place, one in zip(places(len(found)), found, strict=True)]
    return judge(named, fails or FailOn(), [parse(text) for text in budgets], side)


def places(count: int) -> list[Place]:
    """Their places; frame n stands in line n + 1."""
    lines = {frame: frame + 1 for frame in range(1, 200)}
    return [Place(f"./{name}.jsonl", f"{name}.jsonl", lines) for name in "abcdefgh"[:count]]


_HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": 1, "clientCapabilities": {}},
}


def noisy(
    path: Path, *, id_: str = "20261120T130501Z-7f3a9c", words: tuple[str, ...] = ("oops",), end: bool = True
) -> Path:
    """A trace whose agent prints words between its messages; the first of them is frame 3, in line 5."""
    lines = [
        header(id=id_),
        line(t=1000, **{"from": "client"}, frame=_HELLO),
        line(t=2000, log="a line of stderr"),
        line(
            t=3000,
            **{"from": "agent"},
            frame={"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}},
        ),
        *(line(t=4000 + at, **{"from": "agent"}, text=word) for at, word in enumerate(words)),
    ]
    if end:
        lines.append(
            line(
                t=9000, end={"exit_code": 0, "signal": None, "frames": {"client": 1, "agent": 1 + len(words)}}
            )
        )
    path.write_bytes(b"".join(lines))
    return path
