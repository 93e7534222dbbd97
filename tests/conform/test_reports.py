"""Conformance as text, JSON, JUnit, rows of the page, a badge."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from io import StringIO

import msgspec
from rich.console import Console

from acp_trace.conform.judge import Conformance, judge
from acp_trace.report.badge import badge
from acp_trace.report.ci.conform_junit import junit
from acp_trace.report.json.conform import document
from acp_trace.report.page.conform_rows import conform_rows
from acp_trace.report.statements.conformance import badge_word, summary
from acp_trace.report.text.conform import report
from tests.conform.traces import begun, cancel, chunk, prompt, seen
from tests.support import error, result

GOOD = seen([*begun(), prompt(), chunk(), ("agent", result(2, stopReason="end_turn"))], name="good.jsonl")
BAD = seen(
    [*begun(), prompt(), ("agent", "\x1b[2J Hello"), cancel(), ("agent", error(2, -32603, "Aborted"))],
    name="bad\x1b.jsonl",
)


def said(*traces: object) -> Conformance:
    """What is said of these traces."""
    return judge(traces, "agent", ["cancel: needs a \x1b[2Jprompt"])  # type: ignore[arg-type]


def text(conformance: Conformance, width: int = 80) -> str:
    """The report, as it is printed."""
    out = StringIO()
    Console(file=out, width=width).print(report(conformance, width), end="", soft_wrap=True)
    return out.getvalue()


def test_the_text_begins_with_the_verdict_and_fits() -> None:
    """Then what failed, with the frame and the command to look at it; nothing drives the terminal."""
    shown = text(said(GOOD, BAD))
    first, *rest = shown.splitlines()
    assert first == "small 1: NOT CONFORMANT: 2 requirements failed"
    assert " ACP-TRANSPORT-001  mandatory  not-json" in rest
    assert any(each.strip().startswith("acp-trace frames ") and each.endswith("--around 6") for each in rest)
    assert all(len(each) <= 80 for each in shown.splitlines() if "acp-trace frames" not in each)
    assert "\x1b" not in shown
    assert "Not exercised: ACP-" in shown
    assert "\n\n\n" not in shown


def test_a_fault_of_several_conversations_is_said_once() -> None:
    """With their number, so that other faults of the requirement are not crowded out."""
    line = ("agent", "Hello")
    traces = [seen([*begun(), prompt(), line], name=f"{each}.jsonl") for each in range(12)]
    shown = text(said(*traces))
    (once,) = [each for each in shown.splitlines() if each.endswith("(12 times)")]
    assert once.strip().startswith("#6 ")
    assert "more" not in shown.split("Failed", 1)[1].split("acp-trace frames", 1)[0]


def test_one_reason_of_several_conversations_is_said_once() -> None:
    """What cannot be tried without a login has the same reason each time."""
    why = "needs a session, and session/new got 'Log in first'"
    notes = [f"prompt: {why}", "the disk is full", f"cancel: {why}", "list: it is something else"]
    shown = " ".join(text(judge([GOOD], "agent", notes)).split())
    assert shown.endswith(f"prompt, cancel: {why} the disk is full list: it is something else")


def test_the_json() -> None:
    """Every requirement, with what breaks it."""
    made = document(said(GOOD, BAD))
    msgspec.json.encode(made)
    assert (made["acp_trace_conform"], made["ok"]) == (1, False)
    assert made["agent"] == {"name": "small", "version": "1"}
    row = next(one for one in made["requirements"] if one["id"] == "ACP-TRANSPORT-001")
    assert (row["tier"], row["status"], row["findings"], row["frame"]) == (
        "mandatory",
        "fail",
        ["not-json"],
        6,
    )
    assert row["trace"] == "bad\x1b.jsonl"
    assert made["counts"]["mandatory"]["fail"] == 2
    assert document(said(GOOD))["ok"] is True
    assert "client" in document(judge([GOOD], "client"))


def test_the_junit() -> None:
    """A suite for each tier; only what decides is a failed case."""
    root = ET.fromstring(junit(said(GOOD, BAD)))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["mandatory", "capability", "advisory", "informational"]
    failed = [case.get("name") for case in suites["mandatory"] if case.find("failure") is not None]
    assert failed == ["ACP-TRANSPORT-001", "ACP-CANCEL-001"]
    assert root.get("failures") == "2"


def test_the_rows_of_the_page() -> None:
    """What failed comes first."""
    rows = conform_rows(said(GOOD, BAD), [])
    assert rows["mood"] == "bad"
    assert rows["rows"][0][:2] == ("✕ failed", "ACP-TRANSPORT-001 · mandatory")


def test_the_verdict_in_words() -> None:
    """What was not exercised is not called conformant."""
    assert summary(judge([], "agent")) == "nothing was judged: no requirement was exercised"
    assert "mandatory requirements not exercised" in summary(said(GOOD))
    assert badge_word(said(GOOD))[1] is None
    assert badge_word(said(BAD)) == ("2 failed", False)


def test_the_badge() -> None:
    """An SVG that says it in words, and in which nothing of a peer is markup."""
    made = badge("ACP", '<b>"1" & more', good=True)
    root = ET.fromstring(made)
    assert root.get("aria-label") == 'ACP: <b>"1" & more'
