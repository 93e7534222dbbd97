"""A small client: `python -I -S plain_client.py SECONDS -- AGENT ARGS…`. Imports nothing of ours.

Asks the scripted agent for a few turns: words, a file that it edits after a permission, a turn that is cancelled,
and words again. Goes on after an error. Waits SECONDS for each message; then it gives up on all. Prints JSON: how
each request ended, the agent's exit code.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

CWD = "/w/project"
_START_S = 30  #: an agent may take its time until its first message


class GaveUp(Exception):
    """No answer in time, or nobody who could give one."""


class Client:
    """One connection."""

    def __init__(self, command: list[str], seconds: float) -> None:
        self._agent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._seconds, self._number = 0.0, -1
        self._patience = seconds
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.told: list[list[Any]] = []
        self.session = "none"
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._agent.stdout is not None
        for line in self._agent.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def play(self) -> None:
        """All of it."""
        can = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": False}
        self._ask(
            "initialize",
            protocolVersion=1,
            clientCapabilities=can,
            clientInfo={"name": "plain", "version": "1"},
        )
        self.session = self._ask("session/new", cwd=CWD, mcpServers=[]).get("sessionId", "none")
        self._prompt("talk to me")
        self._prompt("edit a file")
        self._prompt("long answer", cancels=True)
        self._prompt("talk to me")

    def end(self) -> int:
        """Leaves; the agent's exit code."""
        assert self._agent.stdin is not None
        try:
            self._agent.stdin.close()
        except OSError:
            pass
        try:
            return self._agent.wait(20)
        except subprocess.TimeoutExpired:
            self._agent.kill()
            return self._agent.wait()

    def _prompt(self, text: str, *, cancels: bool = False) -> None:
        self._ask("session/prompt", cancels, sessionId=self.session, prompt=[{"type": "text", "text": text}])

    def _ask(self, method: str, cancels: bool = False, **params: Any) -> Message:
        self._number += 1
        number = self._number
        self._say(id=number, method=method, params=params)
        while True:
            message = self._hear(method)
            if "method" not in message:
                if message.get("id") == number:
                    error = message.get("error")
                    self.told.append([method, "error" if error else "result"])
                    return {} if error else dict(message["result"])
                continue
            update = message.get("params", {}).get("update", {})
            if cancels and update.get("sessionUpdate") == "tool_call_update":
                cancels = False
                self._say(method="session/cancel", params={"sessionId": self.session})
            if "id" in message:
                self._say(id=message["id"], result=self._served(message))

    def _served(self, message: Message) -> Message:
        if message["method"] == "session/request_permission":
            option = message["params"]["options"][0]["optionId"]
            return {"outcome": {"outcome": "selected", "optionId": option}}
        return {"content": "old"} if message["method"] == "fs/read_text_file" else {}

    def _hear(self, method: str) -> Message:
        """The next message; a line that is none is left out."""
        while True:
            try:
                line = self._lines.get(timeout=self._seconds or _START_S)
            except queue.Empty:
                line = b""
            self._seconds = self._patience
            if not line:
                self.told.append([method, "nothing"])
                raise GaveUp
            try:
                message = json.loads(line)
            except ValueError:
                continue
            return dict(message)

    def _say(self, **message: Any) -> None:
        assert self._agent.stdin is not None
        try:
            self._agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            self._agent.stdin.flush()
        except OSError:
            raise GaveUp from None


def main(seconds: str, _: str, *command: str) -> None:
    """Runs it, and prints what it saw."""
    client = Client([*command], float(seconds))
    try:
        client.play()
    except GaveUp:
        pass
    code = client.end()
    print(json.dumps({"told": client.told, "exit_code": code}))


if __name__ == "__main__":
    main(*sys.argv[1:])
