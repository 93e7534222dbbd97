"""`acp-trace model`: what an agent asked its language model."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_trace.model.wire.events import Body, BodyEnd, Broken, Event, RequestHead, ResponseHead
from tests.commands import Commands
from tests.model.writing import file, written
from tests.support import trace


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A request that was refused, one to another host, one that goes on."""
    events: list[Event] = [
        RequestHead(1, "POST", "/v1/messages?x=\x1b[31m", "api.example", (), "h2"),
        Body(1, "agent", b'{"messages":[]}'),
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


def test_the_list(commands: Commands, recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to models, what went wrong with each, and how many others there are; from a store, too."""
    monkeypatch.setenv("COLUMNS", "72")
    screen = commands.passes("model", recorded)
    words = [line.split() for line in screen.splitlines()]
    assert words[1] == ["1", "0.000", "429", "4µs", "6µs", "15", "B", "5", "B", "POST", "/v1/messages"]
    said = " ".join(screen.split())
    assert "broken off by the provider" in said
    assert "not recorded: coding 'x' is not known" in said
    assert "\x1b[31m" not in screen
    assert screen.endswith(" 1 other was not to a language model: --all\n")
    commands.passes("load", recorded)
    assert commands.passes("model", "last") == screen
    assert "GET /other" in commands.passes("model", recorded, "--all")


def test_for_programs(commands: Commands, recorded: Path) -> None:
    """Every key in every row, null where nothing is known."""
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


def test_a_trace_without_a_model(commands: Commands, tmp_path: Path) -> None:
    """It is said how to record one."""
    path = tmp_path / "t.jsonl"
    path.write_bytes(trace())
    said = commands("model", path)
    assert (said.out, said.code) == ("", 4)
    assert "record --model" in said.err
    assert commands.json("model", path) == []
