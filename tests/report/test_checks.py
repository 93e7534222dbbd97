"""A verdict for people, and its JSON."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from acp_trace.analyze.facts import Facts
from acp_trace.analyze.verdict import FailOn, Verdict, fail_on, judge
from acp_trace.report.ci.annotations import workflow_commands
from acp_trace.report.ci.check_junit import junit
from acp_trace.report.ci.places import Place
from acp_trace.report.ci.sarif import sarif
from acp_trace.report.json.check import document
from acp_trace.report.statements.checks import summary
from acp_trace.report.text.checks import report
from tests.checking import facts, finding, places, turn, verdict

SOME = facts(
    findings=[
        finding("not-json", 3, "no JSON: x"),
        finding("not-json", 5, count=2),
        finding("blank-line", 7, "an empty line"),
    ],
    turns=[turn(9, 3 * 10**9), turn(11, None)],
)


def said(made: Verdict, width: int = 80, *, all_: bool = False) -> str:
    return report(made, places(len(made.traces)), width, all_=all_).plain


@pytest.mark.parametrize(
    ("budgets", "fails", "line"),
    [
        ((), "error", "FAILED: 2 errors"),
        ((), "note", "FAILED: 2 errors, 1 note"),
        (("turn.duration max < 1s", "turn.duration max < 2s"), "never", "FAILED: 2 budgets"),
        (("turn.duration max < 1s",), "error", "FAILED: 2 errors, 1 budget"),
        ((), "never", "ok: 1 trace"),
        (("turn.duration max < 5s",), "never", "ok: 1 trace, 1 budget"),
    ],
)
def test_the_first_line_says_it(budgets: tuple[str, ...], fails: str, line: str) -> None:
    """Whether it passes, and what does not, before anything else."""
    made = verdict(SOME, fails=fail_on([fails]), budgets=budgets)
    assert summary(made) == line
    assert said(made).startswith(f"{line}\n")


def test_the_report() -> None:
    """A line a trace, what fails under it, the budgets, and how to look at the first failure."""
    made = verdict(
        SOME, facts(), budgets=("turn.duration max < 1s", "findings count < 9", "latency x max < 1s")
    )
    assert said(made) == (
        "FAILED: 2 errors, 2 budgets\n"
        "\n"
        " a.jsonl  opencode 1.2  2 errors, 1 note\n"
        "   ! error  not-json  agent  3×  #3\n"
        "       no JSON: x\n"
        " b.jsonl  opencode 1.2  no findings\n"
        "\n"
        " 1 finding does not fail the check: --all\n"
        "\n"
        " Budgets\n"
        " budget                    reached  n\n"
        " turn.duration max < 1s     3.00 s  1  FAILED\n"
        "   #9 of a.jsonl, 1 never ended\n"
        " findings count < 9              4  3  ok\n"
        " latency x max < 1s      no sample  0  FAILED\n"
        "\n"
        " acp-trace frames a.jsonl --around 3\n"
    )


def test_only_findings_of_one_side_count() -> None:
    """Everywhere alike, also in budgets of findings; budgets of times are nobody's."""
    both = facts(
        findings=[finding("not-json", 3, blame="client"), finding("not-json", 5), finding("blank-line", 7)],
        turns=[turn(9, 3 * 10**9)],
    )
    budgets = ("findings count = 1", "turn.duration max < 1s")
    assert "   ! error  not-json  both  2×  #3" in said(verdict(both)).split("\n")
    of_client = verdict(both, side="client", budgets=budgets)
    assert said(of_client).startswith("FAILED: 1 error, 1 budget\n")
    assert "   ! error  not-json  client    #3" in said(of_client).split("\n")
    assert " 2 findings do not count: by the agent" in said(of_client).split("\n")
    told = document(of_client)
    assert (told["side"], told["traces"][0]["left_out"]) == ("client", 2)
    assert [one["frame"] for one in told["traces"][0]["findings"]] == [3]
    assert [one.get("blame") for one in told["failed"]] == ["client", None]
    assert [one.ok for one in of_client.budgets] == [True, False]
    assert len(sarif(of_client, places(1))["runs"][0]["results"]) == 2
    assert workflow_commands(of_client, places(1), all_=True)[0].endswith(
        "what was seen · client · frame 3 of 20261120T130501Z-7f3a9c"
    )
    xml = junit(of_client, places(1), FailOn()).decode()
    assert ("#3 client:" in xml, "#5 agent:" in xml) == (True, False)
    only_agent = facts(findings=[finding("not-json", 3)])
    assert verdict(only_agent, side="client").ok
    assert not verdict(only_agent, side="agent").ok


def test_all_lists_what_does_not_fail() -> None:
    """What fails is marked, also without colour."""
    lines = said(verdict(SOME), all_=True).split("\n")
    assert "   ! error  not-json    agent  3×  #3" in lines
    assert "     note   blank-line  agent      #7" in lines
    assert not any("--all" in line for line in lines)


def test_what_is_missing_is_said() -> None:
    """An incomplete trace, lost frames and damaged lines explain findings that are none."""
    cut = replace(SOME.trace, complete=False, lost_frames=2, damaged=1)
    made = judge([("a.jsonl", Facts(cut), False), ("b.jsonl", Facts(SOME.trace), True)], FailOn(), [])
    lines = said(made, 100).split("\n")
    assert lines[2].endswith("no findings  incomplete, 2 lost frames, 1 damaged line")
    assert lines[3].endswith("no findings  live")


def test_a_missed_budget_can_be_opened() -> None:
    """The sample that decided, where no finding fails; nothing for standard input."""
    made = verdict(SOME, fails=fail_on(["never"]), budgets=("turn.duration max < 1s",))
    assert said(made).endswith("\n acp-trace frames a.jsonl --around 9\n")
    assert "acp-trace frames" not in report(made, [Place("-")], 80, all_=False).plain


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_lines_fit(width: int) -> None:
    """Names, messages and budgets as long as they come; a long name keeps its end."""
    trace = replace(SOME.trace, agent_name="an agent with a long name", agent_version="1.2.3-rc.4")
    long = Facts(trace, findings=[finding("permission-not-cancelled", 123456, "word " * 60)])
    name = "folder/" * 20 + "session.jsonl"
    made = judge([(name, long, False)] * 2, FailOn(), [])
    text = report(made, [Place("-"), Place("-")], width, all_=True).plain
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert text.count("word") == 120
    assert "sion.jsonl" in text


def test_control_characters_are_visible() -> None:
    """Nothing from the traffic drives the terminal."""
    evil = "\x1b]0;x\x07\u202e"
    trace = replace(SOME.trace, agent_name=evil, agent_version=evil)
    made = judge([(evil, Facts(trace, findings=[finding("not-json", 1, evil)]), False)], FailOn(), [])
    assert not set(report(made, [Place(evil)], 80, all_=True).plain) & set(evil) - set("]0;x")


def test_the_json() -> None:
    """Every finding with whether it fails, every budget with its sample, and what failed."""
    told = document(
        verdict(SOME, budgets=("turn.duration max < 1s", "findings count < 9", "latency x max < 1s"))
    )
    assert (told["acp_trace_check"], told["ok"]) == (1, False)
    (trace,) = told["traces"]
    assert (trace["id"], trace["name"], trace["complete"]) == ("20261120T130501Z-7f3a9c", "a.jsonl", True)
    assert [(one["code"], one["frame"], one["fails"]) for one in trace["findings"]] == [
        ("not-json", 3, True), ("not-json", 5, True), ("blank-line", 7, False),
    ]  # fmt: skip
    here = "20261120T130501Z-7f3a9c"
    assert told["budgets"] == [
        {"budget": "turn.duration max < 1s", "ok": False, "value_ns": 3 * 10**9, "n": 1, "open": 1, "without_times": 0, "trace": here, "frame": 9},
        {"budget": "findings count < 9", "ok": True, "value": 4, "n": 3, "open": 0, "without_times": 0, "trace": here, "frame": 3},
        {"budget": "latency x max < 1s", "ok": False, "value_ns": None, "n": 0, "open": 0, "without_times": 0, "trace": None, "frame": None},
    ]  # fmt: skip
    assert told["failed"] == [
        {"code": "not-json", "severity": "error", "blame": "agent", "count": 3, "trace": here, "frame": 3, "message": "no JSON: x"},
        {"budget": "turn.duration max < 1s", "trace": here, "frame": 9, "message": "turn.duration max < 1s: 3.00 s over 1 sample, 1 never ended"},
        {"budget": "latency x max < 1s", "trace": None, "frame": None, "message": "latency x max < 1s: no sample"},
    ]  # fmt: skip


def test_a_trace_without_an_id_is_called_by_its_name() -> None:
    """So that what failed can be found."""
    told = document(verdict(facts("", findings=[finding("not-json")])))
    assert told["failed"][0]["trace"] == "a.jsonl"


def test_what_is_about_no_frame_has_no_neighbours() -> None:
    """No command is proposed that would be refused."""
    found = facts(findings=[finding("agent-never-spoke", frame=0)])
    assert "--around" not in said(verdict(found))
