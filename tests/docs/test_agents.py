"""docs/evidence/agents.md: the script that makes it writes what recordings show, and nothing else."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from acp_trace.conform.requirements import of
from acp_trace.replay.written.form import script
from tests.docs.pages import DOCS, text_of
from tests.support import END, HEADER, REPOSITORY, cancelled_by_request, line, request, result, trace, update

_SCRIPT = runpy.run_path(str(DOCS / "agents.py"))
_SAMPLES = REPOSITORY / "sample_traces"


def _cells(table: str, *paths: Path) -> dict[str, str]:
    """The one line of a table, by the headings."""
    lines = _SCRIPT[table](_SCRIPT["rows_of"](paths)).splitlines()
    head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return dict(zip(head, row, strict=True))


def _lines(table: str, *paths: Path) -> list[list[str]]:
    """The head and the lines of a table's text."""
    lines = [line for line in _SCRIPT[table](_SCRIPT["rows_of"](paths)).splitlines() if line.startswith("|")]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines if "---" not in line
    ]


def _requirements(path: Path) -> dict[str, str]:
    """The cell of each requirement, by its id without the first part, from all tables."""
    lines = _lines("requirements", path)
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return {
        name[1:].partition("]")[0]: cell
        for head, line in pairs
        for name, cell in zip(head[1:], line[1:], strict=True)
    }


def _row(*paths: Path) -> list[str]:
    return [*_cells("table", *paths).values()]


def test_a_cancelled_prompt_and_options() -> None:
    """A real recording: how it ended, after how long, which options there were."""
    agent, recorded, cancel, by_request, options, *_ = _row(_SAMPLES / "opencode-cancel-acpx.jsonl")
    assert (agent, by_request) == ("OpenCode 1.18.33", "–")
    assert recorded.endswith(" × 1")
    assert cancel == "cancelled × 1 (44.0 ms)"
    assert options == "mode, model"


def test_information_and_findings() -> None:
    """Fields that updates carried, and the codes that blame the agent."""
    row = _row(_SAMPLES / "fast-agent-passthrough.jsonl")
    assert row[5] == "1: title, updatedAt"
    assert row[8] == "`updated-at-invalid`"


def test_what_an_agent_announces() -> None:
    """A sign for each feature: what worked, and what nobody tried; nothing for what is not announced."""
    found = _cells("features", _SAMPLES / "opencode-story.jsonl")
    assert (found["agent"], found["close"], found["fork"], found["delete"]) == (
        "OpenCode 1.18.33",
        "✓",
        "○",
        "",
    )
    assert (found["options"], found["image"]) == ("2/2", "○")


def test_what_passes() -> None:
    """What real agents had their client do, did by themselves, and told; and what nothing shows."""
    found = _cells("passing", _SAMPLES / "opencode-story.jsonl")
    assert found["permissions"] == found["commands"] == found["usage"] == "✓"
    assert found["MCP http"] == found["elicitation"] == found["subagents"] == "○"
    found = _cells("passing", _SAMPLES / "gemini-model.jsonl")
    assert (found["permissions"], found["thoughts"], found["plan"]) == ("✓", "○", "○")


def test_servers_files_and_subagents(tmp_path: Path) -> None:
    """A server whose tool was called, one that nothing shows, and one that was refused; the agent's own work."""

    def call(number: int, session: str, **about: Any) -> tuple[str, Any]:
        return "agent", update(session, "tool_call", toolCallId=str(number), status="completed", **about)

    def opened(number: int, **server: str) -> tuple[str, Any]:
        return "client", request(number, "session/new", cwd="/w", mcpServers=[{"name": "my-tools", **server}])

    capabilities = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
    http = {"mcpCapabilities": {"http": True}, "promptCapabilities": {}}
    frames = [
        ("client", request(0, "initialize", protocolVersion=1, clientCapabilities=capabilities)),
        ("agent", result(0, protocolVersion=1, agentCapabilities=http)),
        opened(1, command="tools"),
        ("agent", result(1, sessionId="a")),
        opened(2, type="http", url="http://127.0.0.1:1"),
        ("agent", result(2, sessionId="b")),
        opened(3, type="sse", url="http://127.0.0.1:1"),
        ("agent", {"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "no sse"}}),
        call(1, "a", title="mcp__my_tools__ping"),
        call(2, "b", title="edit", kind="edit"),
        call(3, "b", title="Look", rawInput={"prompt": "Look around.", "description": "Look"}),
    ]
    path = tmp_path / "servers.jsonl"
    path.write_bytes(trace(*frames))
    found = _cells("passing", path)
    assert [found[f"MCP {kind}"] for kind in ("stdio", "http", "sse")] == ["✓", "◐", ""]
    assert (found["files"], found["terminals"], found["subagents"]) == ("own", "○", "✓")


def test_what_an_agent_fulfils() -> None:
    """How many requirements hold, of those that a recording exercises, and how many cells have each sign."""
    head, line = _lines("fulfils", _SAMPLES / "ts-sdk-agent-acpx.jsonl")[:2]
    found = dict(zip(head, line, strict=True))
    assert (found["agent"], found["✗"]) == ("TypeScript SDK example", "1")
    fulfilled, of, exercised = found["mandatory"].split()
    assert (of, fulfilled) == ("of", exercised)
    assert int(fulfilled) > 10


def test_each_requirement_has_a_cell() -> None:
    """Fulfilled, not fulfilled with the code or by a check, not exercised; empty if not announced."""
    found = _requirements(_SAMPLES / "ts-sdk-agent-acpx.jsonl")
    assert found["INIT-001"] == "✓"
    assert found["INIT-004"] == '[✗](#why-not "a check of conform")'
    assert found["INIT-003"] == "○"
    assert found["LIST-001"] == ""
    assert set(found) == {one.id.partition("-")[2] for one in of("agent", {1})}
    assert _requirements(_SAMPLES / "fast-agent-passthrough.jsonl")["LIST-001"] == "○"  # announced


def test_what_shows_that_a_requirement_is_not_fulfilled(tmp_path: Path) -> None:
    """The finding, the recording, the frame and the judgement; text of the agent is not markup."""
    stopped = {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "a <i> _c_"}}
    path = tmp_path / "agent" / "reason.jsonl"
    path.parent.mkdir()
    path.write_bytes(trace(*cancelled_by_request()[:-1], ("agent", stopped)))
    why = _SCRIPT["why"](_SCRIPT["rows_of"]([path]))
    line = next(line for line in why.splitlines() if "`ACP-PROMPT-001`" in line)
    assert "): agent/reason.jsonl #9: " in line
    assert "&lt;i&gt; \\_c\\_" in line


def test_a_slow_agent_of_a_busy_machine_is_not_blamed(tmp_path: Path) -> None:
    """It did not end in time; and its other faults are shown all the same."""
    path = tmp_path / "slow.jsonl"
    stopped = {"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "odd"}}
    frames = trace(*cancelled_by_request()[:-1], ("agent", stopped), end=False)
    path.write_bytes(frames + line(t=10**6, end={**END, "aborted": "stayed"}))
    for busy, ends in ((False, "fail"), (True, "not-exercised")):
        rows = _SCRIPT["rows_of"]([path], was_busy=busy)
        (judged,) = (row.judged for row in rows.values())
        status = {one.requirement.id: one.status for one in judged}
        assert (status["ACP-SHUTDOWN-001"], status["ACP-PROMPT-001"]) == (ends, "fail")
        assert ("The machine was busy" in _SCRIPT["counts"](rows)) is busy


def test_what_no_recording_exercises_is_named() -> None:
    """By its id, apart from those of draft 2."""
    rows = _SCRIPT["rows_of"]([_SAMPLES / "ts-sdk-agent-acpx.jsonl"])
    _, _, told = _SCRIPT["fulfils"](rows).partition("\n\n")
    assert told.startswith("No recording exercises ")
    assert "`ACP-INIT-003`" in told
    assert "`ACP-INIT-001`" not in told


def test_an_agent_that_ignores_a_request_cancel(tmp_path: Path) -> None:
    """And that never gave its name: it has that of its command, never that of the file."""
    path = tmp_path / "nameless.jsonl"
    path.write_bytes(trace(*cancelled_by_request()))
    row = _row(path)
    assert row[0] == HEADER["agent"]["argv"][0]
    assert row[3].startswith("ran to its end × 1")
    assert "`cancel-request-ignored`" in row[8]


def test_a_cancel_that_crossed_the_answer(tmp_path: Path) -> None:
    """The turn was over: the agent could do nothing, and is blamed for nothing. A label has its version."""
    pause: tuple[str, Any] = ("client", {"jsonrpc": "2.0", "method": "_my/pause"})
    words = update("s", "agent_message_chunk", content={"type": "text", "text": "on"})
    frames: list[tuple[str, Any]] = [
        *(
            ("client", request(0, "initialize", protocolVersion=1)),
            pause,
            ("agent", result(0, protocolVersion=1)),
        ),
        *(("client", request(1, "session/new", cwd="/w")), pause, ("agent", result(1, sessionId="s"))),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
        ("agent", words),
        ("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}),
        ("agent", result(2, stopReason="end_turn")),
    ]
    path = tmp_path / "crossed.jsonl"
    path.write_bytes(trace(*frames, labels={"agent_version": "7.1"}))
    row = _cells("table", path)
    assert (row["agent"], row["session/cancel"], row["findings"]) == (
        "opencode 7.1",
        "crossed × 1 (1 µs)",
        "none",
    )


def test_a_recording_in_which_the_agent_gave_no_name(tmp_path: Path) -> None:
    """It belongs to the agent of that command and version, which gave its name in another one."""
    info = {"protocolVersion": 1, "agentInfo": {"name": "my-agent", "version": "2"}}
    error = {"jsonrpc": "2.0", "id": 0, "error": {"code": -32603, "message": "no"}}
    asked = ("client", request(0, "initialize", protocolVersion=1))
    paths = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    answers = (error, result(0, **info), error)
    for path, answer, version in zip(paths, answers, ("2", "2", "1"), strict=True):
        path.write_bytes(trace(asked, ("agent", answer), labels={"agent_version": version}))
    rows = _SCRIPT["rows_of"](paths)
    assert {name: row.traces for name, row in rows.items()} == {"my-agent 2": 2, "opencode 1": 1}


def test_the_pages_script_can_be_played() -> None:
    """What the page says to record with is a script of `drive`."""
    _, _, rest = text_of(DOCS / "evidence" / "agents.md").partition("```toml\n")
    _, conversation = script(rest.partition("```")[0])
    assert conversation.prompts == 4


@pytest.mark.parametrize(
    "sample",
    [one for one in sorted(_SAMPLES.glob("*.jsonl")) if one.stem != "incomplete"],
    ids=lambda path: path.stem,
)
def test_the_page_knows_the_agents_of_the_samples(sample: Path) -> None:
    """A new sample of another agent needs a new page."""
    assert f"| {_row(sample)[0]} |" in text_of(DOCS / "evidence" / "agents.md")
