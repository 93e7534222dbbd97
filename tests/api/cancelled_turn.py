"""A recording of one turn that is cancelled, and a small agent that does the same."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support import request, result, trace, update

TEXT = {"content": {"type": "text", "text": "hello"}}

#: Waits for a cancel, once it has said something; `--debug` is a word that it does not mind.
AGENT = """
import json, sys
def say(**message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "session/prompt":
        text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "good day"}}
        say(method="session/update", params={"sessionId": "s", "update": text})
        number = asked["id"]
    elif asked["method"] == "session/cancel":
        say(id=number, result={"stopReason": "cancelled"})
    else:
        say(id=asked["id"], result={"protocolVersion": 1} if asked["id"] == 0 else {"sessionId": "s"})
"""
RECORDED = trace(
    ("client", request(0, "initialize", protocolVersion=1)),
    ("agent", result(0, protocolVersion=1)),
    ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
    ("agent", result(1, sessionId="s")),
    ("client", request(2, "session/prompt", sessionId="s", prompt=[])),
    ("agent", update("s", "agent_message_chunk", **TEXT)),
    ("client", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}),
    ("agent", result(2, stopReason="cancelled")),
)


def project(directory: Path, patch: pytest.MonkeyPatch) -> Path:
    """`cancel.jsonl` in a directory, and `my-agent` on the PATH; the recording's path."""
    recording = directory / "cancel.jsonl"
    recording.write_bytes(RECORDED)
    agent = directory / "bin" / "my-agent"
    agent.parent.mkdir()
    agent.write_text(f"#!{sys.executable} -IS\n{AGENT}", "utf-8")
    agent.chmod(0o755)
    patch.setenv("PATH", f"{agent.parent}{os.pathsep}{os.environ['PATH']}")
    return recording
