"""docs/evidence/agents.md: the script that makes it writes what recordings show, and nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.written.form import script
from tests.docs.pages import DOCS, text_of
from tests.support import HEADER, REPOSITORY, cancelled_by_request, request, result, trace, update

_SCRIPT = runpy.run_path(str(DOCS / "agents.py"))
_SAMPLES = REPOSITORY / "sample_traces"


def _cells(table: str, *paths: Path) -> dict[str, str]:
    """The one line of a table, by the headings."""
    lines = _SCRIPT[table](_SCRIPT["rows_of"](paths)).splitlines()
    head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return dict(zip(head, row, strict=True))


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
    """How many requirements hold in a recording, and which do not."""
    agent, mandatory, *_, failed = _cells("requirements", _SAMPLES / "ts-sdk-agent-acpx.jsonl").values()
    assert (agent, failed) == ("TypeScript SDK example", "`ACP-INIT-004`")
    assert int(mandatory) > 10


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
