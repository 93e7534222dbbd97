"""`acp-trace model`: what an agent asked its language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.model.wire.events import Body, BodyEnd, Broken, Event, RequestHead, ResponseHead
from tests.commands import Commands
from tests.model.writing import file, written
from tests.report.model_story import story
from tests.support import trace


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A request that was refused, one to another host, one that goes on."""
    events: list[Event] = [
        RequestHead(1, "POST", "/v1/messages?x=\x1b[31m", "api.example", (), "h2"),
        Body(1, "agent", b'{"messages":[],"model":"m\x1b"}'.replace(b"\x1b", b"\\u001b")),
        BodyEnd(1, "agent"),
        ResponseHead(1, 429, ()),
        Body(1, "provider", b"later"),
        Broken(1, "provider"),
        RequestHead(2, "GET", "/other", "h", (), "h2"),
        RequestHead(3, "POST", "/v1/chat/completions", "h", (("content-encoding", "x"),), "h2"),
        Body(3, "agent", b"?"),
        BodyEnd(3, "agent"),
    ]
    path = tmp_path / "t.jsonl"
    path.write_bytes(file(written(events)))
    return path


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """The trace of a small agent."""
    path = tmp_path / "told.jsonl"
    path.write_bytes(story())
    return path


def test_the_list(commands: Commands, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls, what went wrong with each, and how many other requests there are; from a store, too."""
    monkeypatch.setenv("COLUMNS", "80")
    screen = commands.passes("model", recorded)
    words = [line.split() for line in screen.splitlines()]
    assert words[1] == ["1", "–", "0.000", "m\\e", "6µs", "error", "429", "later"]
    assert "\x1b" not in screen
    assert screen.endswith(
        " 1 other request is not a call of a model; 1 request to a model cannot be read: --all\n"
    )
    commands.passes("load", recorded)
    assert commands.passes("model", "last") == screen


def test_all_requests(commands: Commands, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--all`, whatever went past, and what is missing of it."""
    monkeypatch.setenv("COLUMNS", "72")
    screen = commands.passes("model", recorded, "--all")
    words = [line.split() for line in screen.splitlines()]
    assert words[1] == ["1", "0.000", "429", "4µs", "6µs", "33", "B", "5", "B", "POST", "/v1/messages"]
    said = " ".join(screen.split())
    assert "broken off by the provider" in said
    assert "not recorded: coding 'x' is not known" in said
    assert "GET /other" in said
    assert "\x1b" not in screen


def test_for_programs(commands: Commands, recorded: Path) -> None:
    """Every key in every row, null where nothing is known; the calls of each."""
    first, second = commands.json("model", recorded)
    assert (first["exchange"], first["status"], first["broken_by"], first["bodies"]) == (
        1,
        429,
        "provider",
        True,
    )
    assert (first["started_ns"], first["first_byte_ns"], first["chunks"]) == (1000, 5000, 1)
    assert (second["exchange"], second["status"], second["ended_ns"]) == (3, None, None)
    assert first.keys() == second.keys()
    (call,) = first["calls"]
    assert (call["call"], call["exchange"], call["model"], call["error"]) == (1, 1, "m\x1b", "later")
    assert (call["started_ns"], call["first_byte_ns"], call["duration_ns"]) == (1000, 4000, 6000)
    assert second["calls"] == []


def test_the_calls_of_a_session(commands: Commands, told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal and its retry, tools that were asked for, an answer that the agent broke off; all columns fit."""
    rows = [call for row in commands.json("model", told) for call in row["calls"]]
    assert [(row["model"], row["stop_reason"], row["retry_of"], row["aborted"]) for row in rows] == [
        ("m-small", "stop", None, False),
        ("m-1", None, None, False),
        ("m-1", "tool_calls", 2, False),
        ("m-1", None, None, True),
    ]
    assert rows[2]["tools"] == ["read", "run"]
    assert (rows[2]["input_tokens"], rows[2]["cached_tokens"], rows[2]["output_tokens"]) == (120, 64, 45)
    for width in (60, 80, 140):
        monkeypatch.setenv("COLUMNS", str(width))
        screen = commands.passes("model", told)
        assert max(map(len, screen.splitlines())) <= width
        said = " ".join(screen.split())
        assert all(words in said for words in ("aborted", "Slow down", "retry of 2", "read, run"))


def test_one_call(commands: Commands, told: Path) -> None:
    """All that it told, and what came back, safe for a terminal; as data, too. A wrong number is told."""
    screen = commands.passes("model", told, "--call", "4")
    assert screen.startswith(
        "call 4  m-1  openai-chat at api.example\n"
        " of        outside a turn, session s-1  (only session)\n"
        " prompt    system prompt "
    )
    for words in (
        "\ntools (3)  as in call 3\n",
        "\nsystem prompt  as in call 3\n",
        "\nmessage 1  as in call 3\n",
        '  tool call  run  c-2\n    cmd\n      ls\n      pwd\n    env  ["A=1"]\n',
        "\n3  tool\n  result  c-1\n    Eggs\n        Milk\\e[31m\n",
        "\nanswer\n  thought\n    Look first.\n",
    ):  # fmt: skip
        assert words in screen
    assert "Long files are cut." not in screen
    assert "as in call" not in commands.passes("model", told, "--call", "1")
    whole = commands.passes("model", told, "--call", "4", "--all")
    for words in (
        "\ntools (3)\n",
        "    Long files are cut.\n",
        "\n  You are a small agent.\n\n  # Rules\n",
        "\n1  user\n  What is in a.txt?\n  Be quick.\n",
    ):
        assert words in whole
    assert '"description": "Lines"' in whole
    data = commands.json("model", told, "--call", "3")
    assert data["prompt"]["messages"][0]["parts"][0] == {
        "type": "text",
        "text": "What is in a.txt?\nBe quick.",
    }
    assert [part["type"] for part in data["answer"]["parts"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert (data["call"]["retry_of"], data["continues"]) == (2, None)
    said = commands("model", told, "--call", "5")
    assert (said.code, said.err) == (4, f"acp-trace: {told} has 4 calls of a model\n")


def test_a_trace_without_a_model(commands: Commands, tmp_path: Path) -> None:
    """It is said how to record one."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace())
    said = commands("model", path)
    assert (said.out, said.code) == ("", 4)
    assert "record --model" in said.err
    assert commands.json("model", path) == []
    assert commands("model", path, "--call", "1").code == 4
