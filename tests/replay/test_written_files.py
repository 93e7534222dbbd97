"""docs/replay.md, What is answered: a replay writes the files that the recording's client wrote."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from acp_trace.replay.drive.replay_and_compare import replay_and_compare
from acp_trace.replay.settings import Settings
from acp_trace.trace.parse import Parser
from tests.reading.talk import prompt, reply, stop
from tests.replay.lines import START, chunk, reads, writes
from tests.replay.playbook import Playbook, recorded
from tests.support import Home, error, request, result, trace

#: Asks its client to write a file, and says how many lines that has on the disk.
_AGENT = """
import json, pathlib, sys
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "session/new":
        path = pathlib.Path(message["params"]["cwd"]) / "notes.txt"
    if message["method"] == "session/prompt":
        params = {"sessionId": "s", "path": str(path), "content": "Milk\\nEggs\\n"}
        say(id=7, method="fs/write_text_file", params=params)
        sys.stdin.readline()
        lines = len(path.read_text().splitlines()) if path.exists() else 0
        content = {"type": "text", "text": f"{lines} lines"}
        update = {"sessionUpdate": "agent_message_chunk", "content": content}
        say(method="session/update", params={"sessionId": "s", "update": update})
        say(id=message["id"], result={"stopReason": "end_turn"})
    else:
        say(id=message["id"], result={"sessionId": "s", "protocolVersion": 1})
"""
_TEXT = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "2 lines"}}
_CAN = {"fs": {"writeTextFile": True}}


def _recorded(answer: dict[str, Any]) -> list[Any]:
    asked = {"sessionId": "s", "path": "/w/notes.txt", "content": "Milk\nEggs\n"}
    return Parser().feed(
        trace(
            ("client", request(0, "initialize", protocolVersion=1, clientCapabilities=_CAN)),
            ("agent", result(0, protocolVersion=1)),
            ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
            ("agent", result(1, sessionId="s")),
            ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
            ("agent", request(7, "fs/write_text_file", **asked)),
            ("client", answer),
            (
                "agent",
                {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": _TEXT}},
            ),
            ("agent", result(2, stopReason="end_turn")),
        )
    )


def _texts(answer: dict[str, Any], **settings: Any) -> list[str]:
    """What is no longer said in a replay, as the report says it."""
    argv = [sys.executable, "-IS", "-c", _AGENT]
    of = replay_and_compare(_recorded(answer), argv, Settings(match="content", **settings))
    return [each.message for each in of.verdict.comparison.divergences]


def test_an_agent_finds_its_file_on_the_disk(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the client wrote it. In a directory that is the user's, nothing is written."""
    monkeypatch.setenv("ACP_TRACE_HOME", str(home.path))
    assert _texts(result(7)) == []
    none = ["agent message: 2 lines → 0 lines"]
    assert _texts(error(7, -32603)) == none
    users = tmp_path / "users"
    users.mkdir()
    assert _texts(result(7), cwd=users) == none
    assert list(users.iterdir()) == []


class _Disk:
    """Where a replay writes. `why`: what is the matter with it."""

    def __init__(self, why: str | None = None) -> None:
        self.why = why
        self.written: list[tuple[str, str]] = []

    def write(self, params: dict[str, Any]) -> str | None:
        self.written.append((params["path"], params["content"]))
        return self.why


def test_it_is_written_before_it_is_answered() -> None:
    """As the run's agent wants it, where that wants it, and as often. A recorded read stays what it was."""
    of = recorded(*START, prompt(1), writes(7, "/w/a", "A"), reply(7), reads(8, "/w/a"),
                  reply(8, content="A"), stop(1))  # fmt: skip
    disk = _Disk()
    with Playbook(of, write=disk.write) as book:
        book(*START, prompt(1), writes(0, "/w/a", "B"))
        assert disk.written == [("/w/a", "B")]
        book(reply(0), writes(1, "/w/a", "C"), reply(1), reads(2, "/w/a"), reply(2, content="A"), stop(1))
    assert disk.written == [("/w/a", "B"), ("/w/a", "C")]


def test_what_cannot_be_written_is_told_and_the_run_goes_on() -> None:
    """It is answered all the same, and fails nothing."""
    of = recorded(*START, prompt(1), writes(7, "/w/a"), reply(7), chunk(), stop(1))
    with Playbook(of, write=_Disk("No space left on device").write) as book:
        book(*START, prompt(1), writes(0, "/w/a"), reply(0), chunk(), stop(1))
        (note,) = book.noticed("file-not-written")
    assert (
        note.message
        == "/w/a, written in the recording, could not be written in the run: No space left on device"
    )
    assert (note.severity, note.expected, note.got) == ("note", 6, ("agent", 3))


def test_what_was_not_recorded_is_not_written() -> None:
    """Though it gets the answer to the nearest request."""
    of = recorded(*START, prompt(1), writes(7, "/w/a"), reply(7), stop(1))
    disk = _Disk()
    with Playbook(of, write=disk.write, unmatched="nearest") as book:
        book(*START, prompt(1), writes(0, "/w/b"), reply(0), stop(1)).noticed("request-unmatched")
    assert disk.written == []
