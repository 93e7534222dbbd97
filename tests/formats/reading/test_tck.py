"""The JSON report of acp-tck: the transcripts of tests that failed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_trace.formats.reading import tck
from acp_trace.formats.reading.formats import READERS
from acp_trace.formats.reading.groups import explained
from acp_trace.formats.reading.log import File, NotThisFormat, Said, Sent
from acp_trace.formats.reading.trace_lines import traces
from tests.support import analyzed, error, request, result


def line(direction: str, t: float, message: Any) -> dict[str, Any]:
    """A line of a transcript."""
    raw = message if isinstance(message, str) else json.dumps(message)
    return {"dir": direction, "t": t, "raw": raw}


TALK = [
    line("sent", 100.5, request(0, "initialize", protocolVersion=1)),
    line("received", 100.75, result(0, protocolVersion=1)),
    line("sent", 101.0, request(1, "session/new")),
    line("received", 101.5, error(1, -32603, "broken")),
]
FAILED = {"nodeid": "test_a.py::test_b", "status": "FAIL", "stderr": "one\ntwo\n", "transcript": TALK}
PASSED = {"nodeid": "test_a.py::test_c", "status": "PASS", "stderr": None, "transcript": None}


def report(*tests: tuple[str, dict[str, Any]]) -> File:
    """A report with these tests, each under its requirement."""
    rows = [{"id": id_, "tier": "MANDATORY", "status": "FAIL", "tests": [test]} for id_, test in tests]
    document = {
        "tck_version": "0.1.0",
        "agent_command": ["agent", "acp"],
        "requirements": rows,
        "verdict": {},
    }
    return File("report.json", json.dumps(document, indent=2).encode())


def test_a_test_that_failed_is_a_trace() -> None:
    """Its lines as they were, with their times, the agent's stderr, and labels that say which test it was."""
    log, *others = tck.read([report(("ACP-SESSION-001", FAILED), ("ACP-INIT-001", PASSED))])
    assert not others
    sent = [item for item in log.messages if isinstance(item, Sent)]
    assert [item.sender for item in sent] == ["client", "agent", "client", "agent"]
    assert [item.t for item in sent] == [0, 250_000_000, 500_000_000, 1_000_000_000]
    assert [item.data.decode() for item in sent] == [each["raw"] for each in TALK]
    assert [item.data for item in log.messages if isinstance(item, Said)] == [b"one", b"two"]
    assert log.labels["tck_test"] == "test_a.py::test_b"
    assert log.argv == ("agent", "acp")
    assert [each.why for each in log.unused] == ["has no transcript: PASS"]
    (trace,) = traces([log], "tck")
    facts = analyzed(trace.data)[0]
    assert [one.outcome for one in facts.exchanges] == ["result", "error"]
    assert (facts.trace.imported_from, facts.trace.has_times) == ("tck", True)


def test_a_test_of_two_requirements_is_one_trace() -> None:
    """Both are named."""
    (log,) = tck.read([report(("ACP-LOAD-001", FAILED), ("ACP-LOAD-002", FAILED))])
    assert log.labels["tck_requirements"] == "ACP-LOAD-001 ACP-LOAD-002"


def test_two_processes_in_one_test_are_two_traces() -> None:
    """Some tests connect twice."""
    assert len(tck.read([report(("ACP-LOAD-001", {**FAILED, "transcript": TALK + TALK}))])) == 2


def test_it_is_recognised() -> None:
    """By what is in it, before all that takes plain messages."""
    best = explained([report(("ACP-SESSION-001", FAILED))], tuple(READERS.values())).best
    assert best is not None
    assert best.format == "tck"


@pytest.mark.parametrize(
    "data",
    [
        report(("ACP-INIT-001", PASSED)).data,
        b'{"tck_version": "0.1.0", "requirements": 7}',
        b'{"tck_version": "0.1.0", "requirements": [{"tests": [{"transcript": [7, {"dir": "up"}]}]}]}',
        b"[]",
        b"",
    ],
)
def test_without_a_transcript_there_is_nothing_to_read(data: bytes) -> None:
    """It says what it looked for."""
    with pytest.raises(NotThisFormat, match="transcript"):
        tck.read([File("report.json", data)])


def test_times_that_are_none() -> None:
    """Then no line has a time."""
    lines = [{**TALK[0], "t": "soon"}, *TALK[1:]]
    (log,) = tck.read([report(("ACP-LOAD-001", {**FAILED, "transcript": lines}))])
    assert {item.t for item in log.messages if isinstance(item, Sent)} == {None}


#: As the kit cuts a long line: in the middle of a name, within a list within a member of the result.
CUT = '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1","models":{"all":[{"id":"a"},{"i...[truncated 55 byte(s)]...'


def test_of_a_line_that_was_cut_whole_members_are_used() -> None:
    """Nobody is blamed for what the kit left out: the agent has answered, with a session."""
    talk = [*TALK[:3], line("received", 101.5, CUT)]
    (log,) = tck.read([report(("ACP-DELETE-001", {**FAILED, "transcript": talk}))])
    sent = [item for item in log.messages if isinstance(item, Sent)]
    assert json.loads(sent[3].data) == {"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s1"}}
    assert [each.why for each in log.unused] == ["has a line that acp-tck cut"]
    (trace,) = traces([log], "tck")
    assert [each.code for each in analyzed(trace.data)[0].findings if each.blame == "agent"] == []


@pytest.mark.parametrize(
    ("text", "depth", "whole"),
    [
        ('{"method":"session/update","params":{"sessionId":"s","update":{"kind":"x', 2, '{"method":"session/update","params":{"sessionId":"s"}}'),
        ('{"method":"session/update","params":{"update":{"kind":"x","all":[1', 3, '{"method":"session/update","params":{"update":{"kind":"x"}}}'),
        ('{"a":"}\\",{', 2, "{}"),
        ('{"a":[1,2', 2, '{"a":[1]}'),
        ("no message", 2, ""),
    ],
)  # fmt: skip
def test_where_a_cut_line_ends(text: str, depth: int, whole: str) -> None:
    """Behind the last whole member, never in the middle of a text."""
    assert tck._whole_members(text, depth) == whole


@pytest.mark.parametrize("first", ['"sessionUpdate":"available_commands_update",', ""])
def test_an_update_that_was_cut_has_its_kind_or_is_left_out(first: str) -> None:
    """The agent is not blamed for an update without a kind."""
    update = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{%s"availableCommands":[{"na'
    talk = [*TALK[:3], line("received", 101.5, f"{update % first}...[truncated 55 byte(s)]...")]
    (log,) = tck.read([report(("ACP-DELETE-001", {**FAILED, "transcript": talk}))])
    assert sum(isinstance(item, Sent) for item in log.messages) == (4 if first else 3)
    (trace,) = traces([log], "tck")
    assert "unknown-update" not in [each.code for each in analyzed(trace.data)[0].findings]


def test_of_errors_that_caused_each_other_the_last_is_the_reason() -> None:
    """As pytest prints them: the kit's own error follows that of the library."""
    chain = "E   CancelledError\n\nThe above exception was the direct cause of the following exception:\n\nE   AgentTimeout: no line"
    assert (
        tck._why({"status": "FAIL", "tests": [{"status": "FAIL", "message": chain}]})
        == "AgentTimeout: no line"
    )


def test_what_the_kit_says_of_each_requirement() -> None:
    """Its status, and why in a line: the error of a test that failed, or the reason of a skip."""
    document = {
        "tck_version": "0.1.0", "protocol_version": 1, "agent_info": {"name": "small", "version": "1"},
        "verdict": {"conformant": False},
        "requirements": [
            {"id": "ACP-A-001", "tier": "MANDATORY", "status": "FAIL", "tests": [
                {"status": "PASS", "message": ""},
                {"status": "FAIL", "message": "def test():\n>   assert x\nE   AssertionError: no\n   answer\nE  more"}]},
            {"id": "ACP-B-001", "tier": "CAPABILITY", "status": "SKIPPED", "tests": [
                {"status": "SKIPPED", "message": "('/a/b.py', 77, 'Skipped: no method given')"}]},
            {"id": "ACP-C-001", "tier": "ADVISORY", "status": "NOT_TESTED", "tests": []},
        ],
    }  # fmt: skip
    found = tck.results(File("r.json", json.dumps(document).encode()))
    assert found is not None
    assert found[:4] == ("0.1.0", 1, "small 1", False)
    assert [(each.id, each.status, each.why) for each in found.of_each] == [
        ("ACP-A-001", "FAIL", "AssertionError: no"),
        ("ACP-B-001", "SKIPPED", "no method given"),
        ("ACP-C-001", "NOT_TESTED", ""),
    ]
    assert tck.results(File("x", b"{}")) is None
