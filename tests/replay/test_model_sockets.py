"""An agent that asks its model over a WebSocket, replayed when that is gone: the recorded messages answer it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("cryptography")

from acp_trace.replay.drive.replay_and_compare import replay_and_compare
from acp_trace.replay.settings import Settings
from acp_trace.trace.entries import Entry
from tests.model.writing import read
from tests.real import sockets
from tests.replay import model_stage
from tests.replay.facing import entries
from tests.support import Home

_AGENT = [sys.executable, str(Path(__file__).with_name("socket_agent.py"))]
_KEY = "sk-planted-in-a-socket-1"


def _answer(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Repeats what it was told so far, in three pieces."""
    told = " | ".join(item["content"] for item in request["input"] if "content" in item)
    for piece in ("I heard: ", told, "!"):
        yield {"type": "response.output_text.delta", "item_id": "msg_1", "delta": piece}
    yield {"type": "response.completed", "response": {"id": "", "status": "completed", "output": []}}


class _Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        sockets.serve(self, _answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def recorded_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A session of two prompts, with its model's side, as a trace file."""
    home, cwd = Home(tmp_path_factory.mktemp("home")), tmp_path_factory.mktemp("project")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Model) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        written = model_stage.recorded(home, cwd, _AGENT, server.server_port, _KEY)
        server.shutdown()
    return written


@pytest.fixture(scope="module")
def recorded(recorded_file: bytes) -> list[Entry]:
    """Its entries."""
    return entries(recorded_file)


def test_a_conversation_over_a_websocket(home: Home, recorded: list[Entry], recorded_file: bytes) -> None:
    """In another directory, with other ids, without a key: the same, and each message answered by its own."""
    assert _KEY.encode() not in recorded_file
    (exchange,) = read(recorded_file).exchanges.values()
    assert (exchange.status, len(exchange.messages)) == (101, 10)
    made = replay_and_compare(recorded, _AGENT, Settings())
    found = made.verdict.comparison
    assert (made.verdict.passed, found.divergences) == (True, [])
    assert found.model is not None
    assert (found.model.calls, found.model.unmatched, found.model.matched) == (
        2,
        0,
        {"ids": 1, "environment": 1},
    )
    said = b"".join(entry.data for entry in made.played.entries if b"agent_message_chunk" in entry.data)
    assert said.count(b"my directory") == 2


def test_another_prompt_over_a_websocket(home: Home, recorded: list[Entry]) -> None:
    """Is answered, and told once; though the second request does not say it again."""
    found = replay_and_compare(recorded, [*_AGENT, "prompt"], Settings()).verdict
    assert found.passed
    assert [(each.code, each.severity) for each in found.comparison.divergences] == [
        ("model-prompt-changed", "note")
    ]
