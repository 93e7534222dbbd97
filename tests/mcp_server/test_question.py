"""Why was the second turn slow? Answered by tools alone, through a real client, in few and short answers.

What stands in a test for the model is a few lines that know the tools' descriptions and what the answers before
say: no figure of a trace is written down in them.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.commands import Commands
from tests.mcp_server.test_server import text_of, with_client
from tests.support import ACP_TRACE, DEADLINE_S, SAMPLES, Home

#: Of one answer, and of all that a question takes, in bytes of the text: about 2,500 and 7,500 tokens.
_MOST, _MOST_OF_ALL = 8_000, 24_000
#: What the time of a turn is made of, if the model's side was not recorded, as docs/store.md has it.
_PARTS = ("before_output_ns", "tools_ns", "permissions_ns", "requests_ns", "writing_ns", "rest_ns")


def serve(home: Home, talk: Callable[[Client], Awaitable[None]]) -> None:
    """Lets a client talk to the server, as a process; for as long as several calls may take."""
    [command, *args] = [*ACP_TRACE, "mcp"]
    transport = stdio_client(StdioServerParameters(command=command, args=args, env=home.environment))
    with_client(transport, talk, 8 * DEADLINE_S)


class Asker:
    """Calls tools, and counts what that costs."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.sizes: list[tuple[str, int]] = []

    async def ask(self, tool: str, **arguments: Any) -> Any:
        """The document that a tool gives."""
        answer = await self._client.call_tool(tool, arguments)
        text = text_of(answer)
        assert not answer.is_error, text
        self.sizes.append((tool, len(text.encode())))
        assert self.sizes[-1][1] < _MOST, self.sizes
        return json.loads(text)


async def slowest_part(asker: Asker, agent: str) -> tuple[str, float, str]:
    """What the second turn of an agent's last session spent most time on, how much of it, and what was said."""
    listed = await asker.ask("list_traces", agent=agent)
    trace = next(row["id"] for row in listed["traces"] if row["turns"] > 1)
    assert "turn 1" in (await asker.ask("show_trace", trace=trace))["report"]
    shown = (await asker.ask("show_trace", trace=trace, turn=1))["report"]
    sql = f"SELECT duration_ns, model_ns, {', '.join(_PARTS)} FROM turns WHERE trace_id = '{trace}' AND turn = 1"
    (turn,) = (await asker.ask("query_traces", sql=sql))["rows"]
    frames = (await asker.ask("list_frames", trace=trace, turn=1, join=True))["frames"]
    assert frames[0]["method"] == "session/prompt"
    if turn.get("model_ns") is not None:
        calls = (await asker.ask("list_model_calls", trace=trace, turn=1))["calls"]
        slowest = max(calls, key=lambda call: call["duration_ns"])
        await asker.ask("read_model_call", trace=trace, call=slowest["call"])
        return f"model call {slowest['call']}", slowest["duration_ns"] / turn["duration_ns"], shown
    part = max(_PARTS, key=lambda part: turn.get(part) or 0)
    return part, turn[part] / turn["duration_ns"], shown


@pytest.mark.parametrize(
    ("agent", "part", "share", "said"),
    [
        ("gemini-cli", "model call 5", 0.89, "aborted"),  # it streamed until it was cancelled
        ("OpenCode", "before_output_ns", 0.60, "first output 112 ms"),
    ],
)
def test_why_was_the_second_turn_slow(
    commands: Commands, home: Home, agent: str, part: str, share: float, said: str
) -> None:
    """The part that took most of it, out of all sample traces; with a model's side, the very call."""
    commands.passes("load", *SAMPLES)

    async def talk(client: Client) -> None:
        asker = Asker(client)
        found, found_share, shown = await slowest_part(asker, agent)
        assert (found, round(found_share, 2)) == (part, share)
        assert said in shown
        assert sum(size for _, size in asker.sizes) < _MOST_OF_ALL, asker.sizes

    serve(home, talk)


def test_a_list_of_many_traces_is_short(commands: Commands, home: Home, tmp_path: Path) -> None:
    """As it is without a limit: the newest, and where the others begin."""
    for number in range(40):
        copy = tmp_path / f"{number}.jsonl"
        text = SAMPLES[0].read_bytes()
        id_ = json.loads(text.splitlines()[0])["id"]
        copy.write_bytes(text.replace(id_.encode(), f"20261120T1305{number:02}Z-7f3a9c".encode(), 1))
    commands.passes("load", *tmp_path.glob("*.jsonl"))

    async def talk(client: Client) -> None:
        listed = await Asker(client).ask("list_traces")
        assert (listed["total"], listed["next_offset"]) == (40, len(listed["traces"]))

    serve(home, talk)
