"""How a trace ended, and a trace in which nothing was recorded: in every report."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.listing import of_facts
from acp_trace.analyze.verdict import fail_on, judge
from acp_trace.report.json.report import document as report
from acp_trace.report.json.trace_list import as_json
from acp_trace.report.page import about, answers
from acp_trace.report.statements import phrases
from acp_trace.report.statements.status import Status
from acp_trace.report.text import checks
from acp_trace.report.text.show import Page, show
from acp_trace.report.text.trace_list import listing
from tests.checking import places
from tests.support import REPOSITORY, analyzed, header, line

_SHARED = REPOSITORY.parent / "shared/traces"


def _ended(**end: Any) -> Facts:
    """The trace of a real agent that acpx ended, with another end."""
    lines = (REPOSITORY / "sample_traces/fast-agent-passthrough.jsonl").read_bytes().splitlines(keepends=True)
    return analyzed(
        b"".join([*lines[:-1], line(t=9_000_000_000, end={"exit_code": None, "signal": None, **end})])
    )[0]


def _real(path: Path) -> Facts:
    if not path.exists():
        pytest.skip("the recordings are not here")
    return analyzed(path.read_bytes())[0]


def _by_client(found: Facts) -> bool:
    end = report(found).trace.end
    assert end is not None
    return end.by_client


@pytest.mark.parametrize(
    ("path", "how"),
    [
        (REPOSITORY / "sample_traces/fast-agent-passthrough.jsonl", "signal 15 (SIGTERM)"),
        (_SHARED / "zedcodex.jsonl", "signal 15 (SIGTERM)"),
        (_SHARED / "toad-opencode.jsonl", "signal 1 (SIGHUP)"),
    ],
)
def test_an_agent_that_its_client_ended_is_grey(path: Path, how: str) -> None:
    """Zed and acpx end agents with SIGTERM, toad with SIGHUP: a normal end."""
    found = _real(path)
    assert phrases.ended(found.trace) == (f"ended by its client, {how}", Status.FAINT)
    assert about.process_end(found.trace, live=False) == f"ended by its client, {how}"
    assert _by_client(found)
    row = of_facts(found, live=False)
    assert as_json([row])[0]["end"]["by_client"]
    assert "ended by its client" in listing([row], 140).plain


@pytest.mark.parametrize(
    ("end", "stands"),
    [
        ({"signal": 2}, Status.FAINT),
        ({"exit_code": 143}, Status.FAINT),
        ({"signal": 9, "client_left": True}, Status.FAINT),
        ({"signal": 13, "client_left": True}, Status.FAINT),
        ({"signal": 9}, Status.FAILED),
        ({"signal": 11, "client_left": True}, Status.FAILED),
        ({"signal": 6}, Status.FAILED),
        ({"exit_code": 1}, Status.FAILED),
        ({"signal": 15, "aborted": "timeout"}, Status.OPEN),
        ({"exit_code": 0}, None),
    ],
)
def test_a_crash_stays_red(end: dict[str, Any], stands: Status | None) -> None:
    """What nobody but the agent does is its fault; the recorder's kill after its client had left is not."""
    found = _ended(**end)
    assert phrases.ended(found.trace)[1] is stands
    assert _by_client(found) is (stands is Status.FAINT)
    (row,) = as_json([of_facts(found, live=False)])
    assert row["end"]["by_client"] is (stands is Status.FAINT)


def test_a_recording_without_frames_says_that_nothing_was_recorded() -> None:
    """No green check, and what to do next."""
    end = {"exit_code": 0, "signal": None, "client_left": True}
    found = analyzed(header(agent={"argv": ["cat"]}) + line(t=5_000_000, end=end))[0]
    out = StringIO()
    show(Console(file=out, width=100), Page(found, (), live=False, width=100, all_=False))
    told = out.getvalue()
    assert "! nothing was recorded: no message came from the client or the agent: open a session" in told
    page = about.document(found, live=False)
    assert (page["verdict"], page["mood"]) == ("· nothing was recorded", "")
    next_step = "no message came from the client or the agent: open a session in the client"
    assert ("Next", next_step) in page["rows"]
    fault = answers.answers(found)[-1]
    assert (fault.answer.split(":")[0], fault.mood) == ("Nothing was recorded", "plain")
    assert "nothing was recorded" in listing([of_facts(found, live=False)], 140).plain
    verdict = judge([("a", found, False)], fail_on([]), [])
    assert "open a session in the client" in checks.report(verdict, places(1), 100, all_=False).plain
    assert "nothing was recorded" in checks.report(verdict, places(1), 100, all_=False).plain
    assert "✓" not in told + json.dumps(page)


def test_an_empty_trace_that_is_live_may_still_begin() -> None:
    """Its client has not said anything yet."""
    found = analyzed(header())[0]
    assert about.document(found, live=True)["verdict"] == "· nothing broke the protocol so far"
    assert "nothing was recorded" not in listing([of_facts(found, live=True)], 140).plain


def test_every_column_of_the_list_has_a_heading() -> None:
    """Also that of the end, and that of what made a trace."""
    rows = [of_facts(_ended(signal=15), live=False), of_facts(_ended(signal=11), live=False)]
    for width in (60, 80, 140, 200):
        head, *others = listing(rows, width).plain.splitlines()
        assert "state" in head
        assert all(len(other.rstrip()) >= head.index("state") for other in others)
