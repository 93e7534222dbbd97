"""The sessions section: when each session began."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from acp_trace.report.statements import tools
from acp_trace.report.text.show import Page, show
from tests.reading.talk import answer, ask, hello, opened, prompt, stop, up, words
from tests.support import REPOSITORY, analyzed, facts_of


def _screen(*names: str) -> str:
    """Frames are 1 µs apart: each time on the screen is that of the frame of its number."""
    found = facts_of(
        *hello(),
        *opened("new"),
        ask(1, "session/load", sessionId="load", cwd="/w"),
        words("load"),
        answer(1),
        ask(2, "session/fork", sessionId="new", cwd="/w"),
        answer(2, sessionId="fork"),
        up("plan", session="never opened"),
    )
    out = StringIO()
    show(Console(file=out, width=100), Page(found, [], live=False, width=100, all_=True), names)
    return out.getvalue()


def test_a_session_begins_with_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the timeline: what made it took time, and that time is the session's."""
    monkeypatch.setattr("acp_trace.report.units.since_start", lambda ns: f"{ns}ns")
    lines = [line.split(" s · ")[0].strip() for line in _screen("sessions").splitlines() if " at " in line]
    assert lines == [
        "session/new at 3000ns",
        "session/load at 5000ns",
        "session/fork at 8000ns",
        "unknown at 10000ns",
    ]
    timeline = [line.split()[:3] for line in _screen("timeline").splitlines() if "ns" in line]
    assert timeline == [
        ["3000ns", "#3", "new"],
        ["5000ns", "#5", "load"],
        ["8000ns", "#8", "fork"],
        ["10000ns", "#10", "plan"],
    ]


def test_the_slowest_tools() -> None:
    """Of each session, also of a subagent, with the frames that lead to them; one call alone is in the timeline."""
    found = analyzed((REPOSITORY / "tests/real/recorded/subagent-sessions.jsonl").read_bytes())[0]
    out = StringIO()
    show(Console(file=out, width=120), Page(found, [], live=False, width=120, all_=False), ["sessions"])
    assert [line.strip() for line in out.getvalue().splitlines() if "slowest" in line] == [
        "slowest tools: edit Write list.txt #21 484 ms · execute cat list.txt > copy.txt #47 158 ms",
        "slowest tools: execute wc -l tasks.txt > count.txt #45 151 ms · read Read notes.txt #36 97.1 ms",
    ]


def test_what_has_no_time_is_not_the_slowest() -> None:
    """History, calls that were announced when they were over, and a lone call."""
    found = facts_of(
        *hello(),
        *opened(),
        prompt(1),
        up("tool_call", toolCallId="a", title="a", status="completed"),
        up("tool_call", toolCallId="b", title="b", status="pending"),
        up("tool_call_update", toolCallId="b", status="completed"),
        stop(1),
    )
    assert not tools.slowest(found.tool_calls)
