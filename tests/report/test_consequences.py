"""What follows from a finding, on screens: below it, in one line; whatever else is found stands for itself."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO

import pytest
from rich.console import Console

from acp_trace.analyze.facts import Facts, Finding
from acp_trace.analyze.session_over_traces import SessionOverTraces, SessionPart
from acp_trace.analyze.verdict import fail_on, judge
from acp_trace.report.ci.places import Place
from acp_trace.report.statements.consequences import by_cause, in_order, phrase
from acp_trace.report.text import checks, session_report
from acp_trace.report.text.show import Page, show
from tests.analyze.findings.scenario import start
from tests.handmade import made
from tests.reading.talk import Said, ask, call, cancel, prompt
from tests.support import END, analyzed, header, line

_S = 1_000_000_000
_FOLLOWS = "consequences: never-answered #5, #6, cancel-unanswered #7"


def _crashed(*more: Said, exit_code: int = 3) -> Facts:
    """An agent that ends with two requests and a cancel open, #5 to #7."""
    said = [*start(), prompt(1), ask(2, "_vendor/ask", sessionId="s"), cancel(), *more]
    lines = [header()]
    for number, (sender, message) in enumerate(said, 1):
        lines.append(line(t=number * _S, **{"from": sender}, frame=message))
    return analyzed(b"".join([*lines, line(t=20 * _S, end={**END, "exit_code": exit_code})]))[0]


_OWED_BY_CLIENT = call(1, "fs/read_text_file", path="/a")


def _findings(found: Facts, *, all_: bool = False) -> str:
    out = StringIO()
    page = Page(found, [], live=False, width=100, all_=all_)
    show(Console(file=out, width=100), page, ["findings"])
    return out.getvalue()


def _check(found: Facts, *fails: str, all_: bool = False) -> str:
    verdict = judge([("t", found, False)], fail_on(fails), [])
    return checks.report(verdict, [Place("t")], 100, all_=all_).plain


def _session(found: Facts, *, all_: bool = False) -> str:
    session = SessionOverTraces("s", (SessionPart(found, live=False),))
    return session_report.report(session, 100, ["findings"], all_=all_).plain


@pytest.mark.parametrize("screen", [_findings, _check, _session])
def test_what_a_crash_left_open_stands_below_it(screen: Callable[..., str]) -> None:
    """Once; with `--all` each for itself, and what the client owes always."""
    shown = screen(_crashed(_OWED_BY_CLIENT))
    crash, _, rest = shown.partition(_FOLLOWS)
    assert "agent-crashed" in crash
    assert rest.count("never-answered") == 1
    assert "fs/read_text_file was never answered" in rest
    assert shown.count("cancel-unanswered") == 1
    everything = screen(_crashed(_OWED_BY_CLIENT), all_=True)
    assert "consequences:" not in everything
    assert "cancel-unanswered" in everything


def test_without_a_crash_all_stands_for_itself() -> None:
    """The agent ended as agents do."""
    found = _crashed(exit_code=0)
    assert by_cause(found.findings).keys() == {7}  # the prompt's, of its cancel's
    assert _findings(found).count("never-answered") == 2
    assert "consequences: never-answered #5" in _check(found)


def test_what_is_asked_for_by_its_code_fails_though_it_follows() -> None:
    """A check for `never-answered` fails if the agent crashed, too."""
    shown = _check(_crashed(), "never-answered")
    assert shown.startswith("FAILED")
    assert "session/prompt was never answered" in shown


def test_what_follows_is_not_counted_as_left_out() -> None:
    """Nothing else is."""
    assert "not fail" not in _check(_crashed())


def test_a_few_frames_are_named() -> None:
    """The first five."""
    open_ = [made(Finding, code="never-answered", frame=frame) for frame in range(7)]
    assert phrase(open_) == "consequences: never-answered #0, #1, #2, #3, #4 …"
    assert phrase([]) == ""


def test_all_says_what_a_finding_follows_from() -> None:
    """Where each is listed."""
    assert "(follows from #5)" in _findings(_crashed(), all_=True)


def test_what_follows_from_a_consequence_stands_below_the_cause() -> None:
    """However long the chain is, and if it leads nowhere: nothing is lost."""
    chain = [None, 1, 2, 3, 6, 5]
    findings = [
        Finding(
            code=str(frame),
            severity="note",
            blame="agent",
            frame=frame,
            session_id=None,
            count=1,
            message="x",
            consequence_of=cause,
        )
        for frame, cause in enumerate(chain, 1)
    ]
    below = by_cause(findings)
    assert [one.frame for one in below[1]] == [2, 3, 4]
    assert sum(map(len, below.values())) == 5


def test_findings_have_one_order_everywhere() -> None:
    """The worst first, those of one code together, then by their frames: on the terminal, and on the page."""
    rows = [("b", "warning"), ("a", "error"), ("b", "error"), ("c", "note"), ("a", "error"), ("b", "warning")]
    every = [
        made(Finding, code=code, severity=severity, blame="agent", frame=at, message=f"m{at}")
        for at, (code, severity) in enumerate(rows)
    ]
    assert in_order(every) == [1, 4, 2, 0, 5, 3]
