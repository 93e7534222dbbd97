"""A project with one recorded trace and an agent of a few lines, for pytest to run in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import acp_trace.plugin.running  # noqa: F401  (once, and not again in every run in this process)
from tests.support import request, result, trace, update

_ABOUT = {"protocolVersion": 1, "agentInfo": {"name": "small", "version": "1"}}

#: `--stop REASON` ends the turn otherwise, `--once FILE` does so if there is no such file yet, and makes it; `--die`
#: ends the agent in the turn.
AGENT = f"""
import json, os, sys
def say(**message): print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    method, number = asked["method"], asked["id"]
    if method == "initialize":
        say(id=number, result={_ABOUT})
    elif method == "session/new":
        say(id=number, result={{"sessionId": "s-live"}})
    elif method == "session/prompt":
        session = asked["params"]["sessionId"]
        if "--die" in sys.argv:
            sys.exit("out of luck")
        text = {{"sessionUpdate": "agent_message_chunk", "content": {{"type": "text", "text": "hello"}}}}
        say(method="session/update", params={{"sessionId": session, "update": text}})
        reason = sys.argv[2] if "--stop" in sys.argv else "end_turn"
        if "--once" in sys.argv and not os.path.exists(sys.argv[2]):
            open(sys.argv[2], "x").close()
            reason = "refusal"
        say(id=number, result={{"stopReason": reason}})
"""

RECORDED = trace(
    ("client", request(0, "initialize", protocolVersion=1)),
    ("agent", result(0, **_ABOUT)),
    ("client", request(1, "session/new", cwd="/w", mcpServers=[])),
    ("agent", result(1, sessionId="s")),
    ("client", request(2, "session/prompt", sessionId="s", prompt=[{"type": "text", "text": "hi"}])),
    ("agent", update("s", "agent_message_chunk", content={"type": "text", "text": "hello"})),
    ("agent", result(2, stopReason="end_turn")),
)


def command(*more: str) -> list[str]:
    """The agent's command as seen from the project's root."""
    return [sys.executable, "-IS", "agent.py", *more]


class Project:
    """The project's folder, and pytest in it."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = pytester.path
        self.home = self.path / "home"
        monkeypatch.setenv("ACP_TRACE_HOME", str(self.home))
        monkeypatch.delenv("CI", raising=False)
        self._pytester = pytester
        self.write("pytest.ini", "[pytest]\n")
        self.write("agent.py", AGENT)
        self.write("traces/hi.jsonl", RECORDED.decode())

    def write(self, name: str, text: str) -> Path:
        """A file of the project."""
        path = self.path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, "utf-8")
        return path

    def replays(self, *more: str, agent: bool = True, name: str = "hi") -> None:
        """Settings beside a trace: these lines, after the one with the agent."""
        lines = [f"agent = {json.dumps(command())}"] * agent
        self.write(f"traces/{name}.replay.toml", "\n".join([*lines, *more]))

    def test(self, body: str, name: str = "test_it.py") -> None:
        """A test with the fixture."""
        self.write(name, f"AGENT = {command()!r}\n\ndef test_it(acp_replay):\n    {body}\n")

    def run(self, *args: str, code: int = 0) -> str:
        """What pytest in this process prints; it ends with this code."""
        done = self._pytester.runpytest_inprocess("-p", "no:xdist", *args)
        assert done.ret == code, str(done.stdout)
        return f"{done.stdout}\n{done.stderr}"

    def run_apart(self, *args: str, code: int = 0) -> str:
        """The same in a process of its own."""
        done = self._pytester.runpytest_subprocess(*args)
        assert done.ret == code, str(done.stdout)
        return f"{done.stdout}\n{done.stderr}"
