"""The head of a report: what matters most is never what is cut."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from acp_trace.report.json.report import document
from acp_trace.report.page.about import document as about
from acp_trace.report.statements import phrases
from acp_trace.report.text.overview import overview
from tests.handmade import trace
from tests.support import TRACES, analyzed
from tests.support import trace as talk


def test_a_signal_has_its_name() -> None:
    """As in the finding of the crash; a number that this system has no name for stands alone."""
    assert phrases.ended(trace("t", complete=True, signal=9).trace)[0] == "signal 9 (SIGKILL)"
    assert phrases.ended(trace("t", complete=True, signal=4000).trace)[0] == "signal 4000"


@pytest.mark.parametrize(("left", "said"), [(True, "ended by the client"), (False, "ended")])
@pytest.mark.parametrize("argv", ['["http://127.0.0.1:4170/acp"]', '["acp-trace", "mock"]'])
def test_a_connection_over_a_network_has_no_exit_code(left: bool, said: str, argv: str) -> None:
    """Neither has the run of a mock that listens, though a command is known there."""
    facts = trace("t", complete=True, transport="http", client_left=left, agent_argv=argv)
    assert phrases.ended(facts.trace) == (said, None)


@pytest.mark.parametrize("width", [50, 60, 80, 140])
def test_how_it_ended_is_said_at_any_width(width: int) -> None:
    """Below the rest, if there is no room beside it."""
    cut = next(path for path in TRACES if path.name == "incomplete.jsonl")
    out = StringIO()
    made = overview(analyzed(cut.read_bytes())[0].trace, [], live=False, width=width, findings=Text("1 note"))
    Console(file=out, width=width, color_system=None).print(made)
    lines = out.getvalue().splitlines()
    assert "1.92 kB incomplete: no footer" in " ".join(out.getvalue().split())
    assert max(map(len, lines)) <= width


def test_faults_on_purpose_are_said() -> None:
    """On the terminal, on the page and in the JSON document: what looks broken was meant to be."""
    faults = ["delay 5s on session/prompt #2", "x\x07"]
    found, _ = analyzed(talk(faults=faults, origin="replay"))
    out = StringIO()
    Console(file=out, width=100).print(overview(found.trace, [], live=False, width=100, findings=Text()))
    assert " Faults on purpose: delay 5s on session/prompt #2, x\\x07." in out.getvalue()
    assert ("Faults on purpose", "delay 5s on session/prompt #2, x\\x07") in about(found, live=False)["rows"]
    assert document(found).trace.faults == faults
    assert phrases.faults(analyzed(talk(faults="no list"))[0].trace) == ""
    assert phrases.faults(analyzed(talk(faults=["a"] * 9))[0].trace) == "a, a, a, a and 5 more"
