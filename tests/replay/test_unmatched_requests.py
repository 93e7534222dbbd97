"""docs/replay.md, What is answered: a build that asks for more than was recorded, served from the run's directory."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_trace.compare.causes import causes
from acp_trace.replay.drive.replay_and_compare import ComparedRun, replay_and_compare
from acp_trace.replay.settings import Settings
from acp_trace.trace.parse import Parser
from tests.reading.talk import prompt, reply, stop
from tests.replay.lines import START, reads
from tests.replay.playbook import Playbook, recorded
from tests.support import Home, request, result, trace

#: In its one turn it asks for all that it was told to ask for, one after the other.
_AGENT = """
import json, sys
def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
cwd = terminal = None
for line in sys.stdin:
    message = json.loads(line)
    if "method" not in message:
        continue
    if message["method"] == "session/new":
        cwd = message["params"]["cwd"]
    if message["method"] == "session/prompt":
        for method, params in json.loads(sys.argv[1]):
            params = {key: value.format(cwd=cwd, terminal=terminal) if isinstance(value, str) else value
                      for key, value in params.items()}
            say(id=f"q{method}{params}", method=method, params={"sessionId": "s", **params})
            answer = json.loads(sys.stdin.readline())
            terminal = answer.get("result", {}).get("terminalId", terminal)
            print(json.dumps(answer.get("result", "refused")), file=sys.stderr, flush=True)
        say(id=message["id"], result={"stopReason": "end_turn"})
    else:
        say(id=message["id"], result={"sessionId": "s", "protocolVersion": 1})
"""
_CAN = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
_RECORDED = Parser().feed(
    trace(
        ("client", request(0, "initialize", protocolVersion=1, clientCapabilities=_CAN)),
        ("agent", result(0, protocolVersion=1)),
        ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
        ("agent", result(1, sessionId="s")),
        ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
        ("agent", result(2, stopReason="end_turn")),
    )
)
_FILES = [
    ("fs/read_text_file", {"path": "{cwd}/mine.txt"}),
    ("fs/write_text_file", {"path": "{cwd}/new/made.txt", "content": "made"}),
    ("fs/read_text_file", {"path": "{cwd}/new/made.txt"}),
]
_TERMINAL = [
    ("terminal/create", {"command": "cat mine.txt; touch made"}),
    ("terminal/wait_for_exit", {"terminalId": "{terminal}"}),
    ("terminal/output", {"terminalId": "{terminal}"}),
    ("terminal/release", {"terminalId": "{terminal}"}),
]


@pytest.fixture
def workspace(tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ACP_TRACE_HOME", str(home.path))
    made = tmp_path / "workspace"
    made.mkdir()
    (made / "mine.txt").write_text("mine")
    return made


def run(asked: list[tuple[str, dict[str, Any]]], workspace: Path, **settings: Any) -> ComparedRun:
    argv = [sys.executable, "-IS", "-c", _AGENT, json.dumps(asked)]
    return replay_and_compare(_RECORDED, argv, Settings(workspace=workspace, **settings))


def answers(of: ComparedRun) -> list[Any]:
    return [json.loads(entry.data) for entry in of.played.entries if entry.kind == "log"]


def codes(of: ComparedRun) -> list[str]:
    return sorted({each.code for each in of.verdict.comparison.divergences})


def test_files_and_commands_are_served(workspace: Path) -> None:
    """In a copy of the workspace. Each is a request that is new; what was run is told beside it."""
    of = run(_FILES + _TERMINAL, workspace, unmatched="workspace", allow_terminal=True)
    exited = {"exitCode": 0, "signal": None}
    assert answers(of) == [
        {"content": "mine"},
        {},
        {"content": "made"},
        {"terminalId": "acp-trace-1"},
        exited,
        {"output": "mine", "truncated": False, "exitStatus": exited},
        {},
    ]
    assert codes(of) == ["command-run", "request-extra"]
    one_command = [
        cause for cause in causes(of.verdict.comparison.failing) if "terminal" in cause.first.message
    ]
    assert [(len(cause.repeats), len(cause.consequences)) for cause in one_command] == [(0, 3)]
    assert [path.name for path in workspace.iterdir()] == ["mine.txt"]


def test_commands_are_not_run_unless_that_is_allowed(workspace: Path) -> None:
    """Neither without the option, nor where nothing is served at all."""
    asked = _TERMINAL[:1]
    assert answers(run(asked, workspace, unmatched="workspace")) == ["refused"]
    assert answers(run(asked, workspace, allow_terminal=True)) == ["refused"]


def test_what_takes_time_is_answered_when_it_is_there() -> None:
    """The conversation goes on meanwhile, and looks again soon."""
    ready: list[dict[str, Any]] = []
    of = recorded(*START, prompt(1), stop(1))
    serve = {"fs/read_text_file": lambda *_: lambda: ready[0] if ready else None}
    with Playbook(of, unmatched="workspace", serve=serve) as book:
        book(*START, prompt(1), reads(0, "/w/b")).later(1).silent()
        ready.append({"content": "B"})
        book.later(0.03)(reply(0, content="B"), stop(1))
