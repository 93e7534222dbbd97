"""GitHub's workflow commands, read back as the runner reads them."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from acp_trace.analyze.verdict import FailOn, judge
from acp_trace.report.ci.annotations import defused, workflow_commands
from acp_trace.report.ci.places import Place
from tests.checking import facts, finding, places, turn, verdict

Command = tuple[str, dict[str, str], str]


def heard(line: str) -> Command | None:
    """What the runner makes of a line: level, properties, message."""
    found = re.match(r"\s*::(\w+)(?: (.*?))?::(.*)$", line, re.DOTALL)
    if not found:
        assert "##[" not in line, "the older form of a command"
        return None
    pairs = dict(pair.split("=", 1) for pair in (found[2] or "").split(",") if "=" in pair)
    return found[1], {key: plain(value) for key, value in pairs.items()}, plain(found[3])


def plain(text: str) -> str:
    for escaped, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, char)
    return text


def test_what_fails_is_annotated() -> None:
    """One command a code, with the file and the line of the first frame."""
    found = facts(
        findings=[finding("not-json", 3, "50% of it, a:b"), finding("not-json", 5), finding("blank-line", 7)]
    )
    (line,) = workflow_commands(verdict(found), places(1), all_=False)
    assert line.startswith("::error file=a.jsonl,line=4,title=not-json::50%25 of it, a:b (2×)")
    assert heard(line) == (
        "error",
        {"file": "a.jsonl", "line": "4", "title": "not-json"},
        "50% of it, a:b (2×) · agent · frame 3 of 20261120T130501Z-7f3a9c",
    )


def test_the_others_with_all() -> None:
    """At their own level: nothing that passes looks like an error."""
    found = facts(findings=[finding("not-json"), finding("set-not-honoured"), finding("blank-line", count=3)])
    lines = workflow_commands(verdict(found), places(1), all_=True)
    assert [line.partition(" ")[0] for line in lines] == ["::error", "::warning", "::notice"]


def test_missed_budgets() -> None:
    """With the place of the sample that decided, where there is one."""
    found = facts(turns=[turn(7, 3 * 10**9)])
    told = verdict(found, budgets=("turn.duration max < 2s", "turn.duration max < 5s", "latency x max < 1s"))
    lines = workflow_commands(told, places(1), all_=False)
    assert lines == [
        "::error file=a.jsonl,line=8,title=budget::turn.duration max < 2s: 3.00 s over 1 sample",
        "::error title=budget::latency x max < 1s: no sample",
    ]


def test_traces_without_a_file() -> None:
    """A trace of the store is named in the message."""
    made = judge([("some-id", facts(findings=[finding("not-json", 3)]), False)], FailOn(), [])
    (line,) = workflow_commands(made, [Place("last", None, {3: 4})], all_=False)
    assert line.startswith("::error title=not-json::")


_PIECES = ["::", ":", "##[", "]", "error", "x", " ", "\n", "\r", "%", "%0A", ",", "=", "\x1b", "\u2028"]
_HOSTILE = st.lists(st.sampled_from(_PIECES) | st.characters(), max_size=12).map("".join)


@given(_HOSTILE, _HOSTILE)
def test_the_traffic_gives_no_commands(message: str, path: str) -> None:
    """Whatever a message or a file name holds, the line is one command with our properties."""
    made = verdict(facts(findings=[finding("not-json", 3, message)]))
    (line,) = workflow_commands(made, [Place("x", path, {3: 4})], all_=False)
    assert "\n" not in line
    assert "\r" not in line
    command = heard(line)
    assert command is not None
    assert (command[0], command[1]["title"], command[1]["line"]) == ("error", "not-json", "4")


@given(_HOSTILE)
def test_a_defused_text_holds_no_command(text: str) -> None:
    """The report beside the annotations is read by the runner as well."""
    assert all(heard(line) is None for line in re.split(r"[\r\n]", defused(text)))
    assert defused("a: b :: c ## d [e]") == "a: b :: c ## d [e]"


def test_other_runners_find_no_command() -> None:
    """Azure's and TeamCity's commands set variables of a job, wherever they are in a line."""
    assert defused("a ##vso[task.setvariable variable=PATH]x") == "a ## vso[task.setvariable variable=PATH]x"
    assert defused("##teamcity[x]\n## a heading") == "## teamcity[x]\n## a heading"
