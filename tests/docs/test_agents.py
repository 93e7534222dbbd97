"""docs/agents.md: the script that makes it writes what recordings show, and nothing else."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, text_of
from tests.support import HEADER, REPOSITORY, cancelled_by_request, trace

_SCRIPT = runpy.run_path(str(DOCS / "agents.py"))
_SAMPLES = REPOSITORY / "sample_traces"


def _row(*paths: Path) -> list[str]:
    lines = _SCRIPT["table"](paths).splitlines()
    assert len(lines) == 3
    return [cell.strip() for cell in lines[2].strip("|").split("|")]


def test_a_cancelled_prompt_and_options() -> None:
    """A real recording: how it ended, after how long, which options there were."""
    agent, traces, cancel, request, options, *_ = _row(_SAMPLES / "opencode-cancel-acpx.jsonl")
    assert (agent, traces, request) == ("OpenCode 1.18.33", "1", "–")
    assert cancel == "cancelled × 1 (44.0 ms)"
    assert options == "mode, model"


def test_information_and_findings() -> None:
    """Fields that updates carried, and the codes that blame the agent."""
    row = _row(_SAMPLES / "fast-agent-passthrough.jsonl")
    assert row[5] == "1: title, updatedAt"
    assert row[8] == "`updated-at-invalid`"


def test_what_an_agent_announces() -> None:
    """A sign for each feature: what worked, and what nobody tried; nothing for what is not announced."""
    lines = _SCRIPT["features"]([_SAMPLES / "opencode-story.jsonl"]).splitlines()
    head, _, row = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    found = dict(zip(head, row, strict=True))
    assert (found["agent"], found["close"], found["fork"], found["delete"]) == (
        "OpenCode 1.18.33",
        "✓",
        "○",
        "",
    )
    assert (found["options"], found["MCP http"]) == ("2/2", "○")


def test_what_an_agent_fulfils() -> None:
    """How many requirements hold in a recording, and which do not."""
    row = _SCRIPT["requirements"]([_SAMPLES / "ts-sdk-agent-acpx.jsonl"]).splitlines()[2]
    _, agent, mandatory, *_, failed, _ = (cell.strip() for cell in row.split("|"))
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


@pytest.mark.parametrize(
    "sample",
    [one for one in sorted(_SAMPLES.glob("*.jsonl")) if one.stem != "incomplete"],
    ids=lambda path: path.stem,
)
def test_the_page_knows_the_agents_of_the_samples(sample: Path) -> None:
    """Whoever records another agent writes the page anew."""
    assert f"| {_row(sample)[0]} |" in text_of(DOCS / "agents.md")
