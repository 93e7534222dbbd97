"""A client that plays a list of steps: `python teller.py FOLDER STEPS AGENT ARGS…`.

For what acpx does not do: several prompts in one session, options, files, `$/cancel_request`. STEPS is JSON,
`[["set", "model", "small"], ["prompt", "hello"], …]`; scenarios.py says what there is. Starts the agent's
command as any client does, and imports nothing of ours. Prints every message that it sends and
receives, as acpx does with `--format json`, and ends with the agent's exit code.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

NAME = "test-client"
VERSION = "1"
_METHOD_NOT_FOUND = -32601
_RESOURCE_NOT_FOUND = -32002


class Teller:
    """One connection to an agent, with one session."""

    def __init__(self, incoming: IO[str], outgoing: IO[str]) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._next = 0
        self._session = ""
        self._files = False

    def play(self, folder: str, steps: list[list[str]]) -> None:
        """Opens a session about a folder, and goes through the steps."""
        info = {"name": NAME, "version": VERSION}
        self._files = steps[0] == ["files"]
        offer = {"fs": {"readTextFile": True, "writeTextFile": True}} if self._files else {}
        self._ask("initialize", protocolVersion=1, clientCapabilities=offer, clientInfo=info)
        self._session = self._ask("session/new", cwd=folder, mcpServers=[])["sessionId"]
        act: dict[str, Callable[..., None]] = {
            "await": self._await,
            "set": self._set,
            "mode": self._mode,
            "prompt": self._prompt,
            "close": self._close,
        }
        for name, *given in steps[1 if self._files else 0 :]:
            act[name](*given)

    def hear_the_rest(self) -> None:
        """What the agent says once nobody talks to it any more."""
        for _ in self._messages():
            pass

    def _await(self, kind: str) -> None:
        """Until an update of this kind has come: what an agent says unasked must not race with the next step."""
        for message in self._messages():
            if _update(message).get("sessionUpdate") == kind:
                return
        raise SystemExit(f"test client: the agent hung up before its {kind}")

    def _set(self, option: str, value: str) -> None:
        self._ask("session/set_config_option", sessionId=self._session, configId=option, value=value)

    def _mode(self, mode: str) -> None:
        self._ask("session/set_mode", sessionId=self._session, modeId=mode)

    def _prompt(self, text: str, cancel: str | None = None) -> None:
        """Prompts; cancels when the first text comes, by whichever method it is told."""
        prompt = [{"type": "text", "text": text}]
        self._ask("session/prompt", cancel, sessionId=self._session, prompt=prompt)

    def _close(self) -> None:
        self._ask("session/close", sessionId=self._session)

    def _ask(self, method: str, cancel: str | None = None, /, **params: Any) -> Any:
        number, self._next = self._next, self._next + 1
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for message in self._messages():
            if message.get("id") == number and "method" not in message:
                return message["result"]
            if cancel and _update(message).get("sessionUpdate") == "agent_message_chunk":
                aim = {"sessionId": self._session} if cancel == "session/cancel" else {"requestId": number}
                self._send({"jsonrpc": "2.0", "method": cancel, "params": aim})
                cancel = None
        raise SystemExit(f"test client: the agent hung up before it answered {method}")

    def _messages(self) -> Iterator[dict[str, Any]]:
        """What the agent says, until it hangs up; its own requests are answered on the way."""
        for line in self._incoming:
            print(line, end="", flush=True)
            message = json.loads(line)
            if "method" in message and "id" in message:
                self._answer(message)
            else:
                yield message

    def _answer(self, request: dict[str, Any]) -> None:
        """Allows once what it is asked to allow, offers files if it is to, and nothing else."""
        method, params = request["method"], request["params"]
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            if method == "session/request_permission":
                once = next(one["optionId"] for one in params["options"] if one["kind"] == "allow_once")
                answer["result"] = {"outcome": {"outcome": "selected", "optionId": once}}
            elif method == "fs/read_text_file" and self._files:
                answer["result"] = {"content": _lines(**params)}
            elif method == "fs/write_text_file" and self._files:
                Path(params["path"]).write_text(params["content"])
                answer["result"] = {}
            else:
                answer["error"] = {"code": _METHOD_NOT_FOUND, "message": "Method not found"}
        except OSError:
            said = f"Resource not found: {params['path']}"
            answer["error"] = {"code": _RESOURCE_NOT_FOUND, "message": said}
        self._send(answer)

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message)
        print(line, flush=True)
        self._outgoing.write(line + "\n")
        self._outgoing.flush()


def _lines(path: str, line: int | None = None, limit: int | None = None, **_: Any) -> str:
    """So many lines of a file, from one on."""
    first = (line or 1) - 1
    lines = Path(path).read_text().splitlines(keepends=True)[first:]
    return "".join(lines if limit is None else lines[:limit])


def _update(message: dict[str, Any]) -> dict[str, Any]:
    """The update in a message, or nothing."""
    found = message.get("params", {}).get("update", {})
    return found if isinstance(found, dict) else {}


def main(folder: str, steps: str, *command: str) -> int:
    """The script: the agent's exit code."""
    agent = subprocess.Popen(
        command,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    assert agent.stdin is not None
    assert agent.stdout is not None
    teller = Teller(agent.stdout, agent.stdin)
    teller.play(folder, json.loads(steps))
    agent.stdin.close()
    teller.hear_the_rest()
    return agent.wait()


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
