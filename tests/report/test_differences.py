"""What a comparison says, and what it leaves out because it says nothing."""

from __future__ import annotations

from dataclasses import replace

from acp_trace.compare.result import Comparison, Divergence, EnvironmentChange
from acp_trace.report.ci.places import Place
from acp_trace.report.text import differences
from tests.compare.conversation import base, compared, file


def _report(found: Comparison) -> str:
    names = ["a.jsonl", "b.jsonl"]
    return differences.report(found, names, [Place(name, name) for name in names], 80, all_=False).plain


def _cannot_start() -> Comparison:
    found = compared(file(base()), file([]))
    gone = Divergence("cannot-start", "error", None, "No such file or directory: x", None, None, None, None)
    return replace(found, divergences=[gone])


def test_who_said_nothing_is_not_said_to_have_changed() -> None:
    """An agent that did not start has no name; that is not worth lines."""
    assert [one.what for one in _cannot_start().environment] == [
        "agent",
        "agent version",
        "client",
        "client version",
    ]
    printed = _report(_cannot_start())
    assert "→" not in printed
    assert "actual    b.jsonl  ?         0 frames\n" in printed


def test_an_agent_that_went_before_it_said_anything() -> None:
    """Its name did not change; the client's is compared as ever."""
    found = compared(file(base()), file(base()[:1]))
    found = replace(found, environment=[*found.environment, EnvironmentChange("client version", "1", "2")])
    printed = _report(found)
    assert "agent version" not in printed
    assert " client version  1 → 2\n" in printed


def test_names_lose_no_more_than_they_must() -> None:
    """A long name keeps its end, and all the room that the other columns leave."""
    found = compared(file(base()), file(base()[:9]))
    names = [f"{'traces/' * 20}a.jsonl", "b.jsonl"]
    printed = differences.report(found, names, [Place(name) for name in names], 80, all_=False).plain
    line = next(line for line in printed.splitlines() if "a.jsonl" in line)
    assert line.startswith(" expected  …")
    assert "…" not in line[12:]
    assert max(map(len, printed.splitlines()[:5])) == 78  # the last column, findings, is empty


def test_nothing_against_nothing_is_not_told() -> None:
    """Where no frame stands on either side, the message says it all."""
    printed = _report(_cannot_start())
    assert " 1  cannot-start\n    No such file or directory: x\n\n 48 frames recorded" in printed
