"""The matrix' client: `python errand.py DIR OPTIONS AGENT ARGS…` does a day's work with any agent.

What there is to choose is chosen as the agent offers it: modes, options, then prompts with a read, a shell
command, a write, a rejection, a cancel in the middle of a stream, and a plan. OPTIONS is JSON: `authenticate`, a
method; `mode`, in which to work. Starts the agent as a client does, imports nothing of ours, closes its
input at once when all is done, sends SIGTERM to one that stays, leaves nothing of it behind, and ends with its exit
code.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_QUIET_S = 0.4  #: between two steps, as a person takes time
_QUIET_AT_MOST_S = 4
_ANSWER_S = 90
_END_S = 8  #: for the agent to end by itself
#: Of prctl(2): orphans become children of this process.
_SET_CHILD_SUBREAPER = 36
_WORDS = 4  #: of the stream, before the cancel
_OPTIONS = 3  #: that are tried
_METHOD_NOT_FOUND = -32601
_FAILED = -32603
_CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}


class Client:
    """One connection to an agent, with one session."""

    def __init__(self, agent: subprocess.Popen[str], directory: str) -> None:
        self._agent = agent
        self._directory = directory
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._next = 0
        self._words = 0  #: of the stream, so far
        self._refuses = False
        self._terminals: dict[str, tuple[str, int]] = {}
        self.opened: dict[str, Any] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def open(self, authenticate: str | None) -> None:
        """Opens a session about the directory."""
        info = {"name": "errand", "version": "1"}
        self._ask("initialize", protocolVersion=1, clientCapabilities=_CAPABILITIES, clientInfo=info)
        if authenticate:
            self._ask("authenticate", methodId=authenticate)
        opened = self._ask("session/new", cwd=self._directory, mcpServers=[])
        if opened is None:
            raise SystemExit("errand: the agent opens no session")
        self.opened = opened
        self.rest()

    def choose(self, stay: str | None, leave: list[str]) -> None:
        """Takes another mode and other options, and those from before again."""
        modes = self.opened.get("modes") or {}
        current = modes.get("currentModeId")
        others = [mode["id"] for mode in modes.get("availableModes") or () if mode["id"] != current]
        for mode in [*others[:1], *([stay or current] if others else ())]:
            self._ask("session/set_mode", sessionId=self._session, modeId=mode)
            self.rest()
        options = [option for option in self.opened.get("configOptions") or [] if option["id"] not in leave]
        for option in options[:_OPTIONS]:
            values = [value for value in _values(option) if value != option.get("currentValue")]
            back = stay if stay and option.get("category") == "mode" else option.get("currentValue")
            for value in [*values[:1], back] if values else ():
                self._ask(
                    "session/set_config_option", sessionId=self._session, configId=option["id"], value=value
                )
                self.rest()

    def prompt(self, text: str, *, refuse: bool = False, cancel: bool = False) -> None:
        """One turn; refuses what it is asked, or cancels in the middle of the stream."""
        self._refuses = refuse
        self._words = 0
        prompt = [{"type": "text", "text": text}]
        stop = self._cancel if cancel else None
        self._ask("session/prompt", stop, sessionId=self._session, prompt=prompt)
        self.rest()

    def rest(self) -> None:
        """Hears what comes, until nothing does."""
        end = time.monotonic() + _QUIET_AT_MOST_S
        while time.monotonic() < end and self._hear(_QUIET_S) is not None:
            pass

    def _cancel(self) -> bool:
        if self._words < _WORDS:
            return False
        self._send({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": self._session}})
        return True

    @property
    def _session(self) -> str:
        return str(self.opened.get("sessionId"))

    def _ask(self, method: str, stop: Callable[[], bool] | None = None, /, **params: Any) -> Any:
        number, self._next = self._next, self._next + 1
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        end = time.monotonic() + _ANSWER_S
        while time.monotonic() < end:
            message = self._hear(_ANSWER_S)
            if message is None:
                break
            if message.get("id") == number and "method" not in message:
                return message.get("result")
            if stop is not None and stop():
                stop = None
        raise SystemExit(f"errand: no answer to {method}")

    def _read(self) -> None:
        assert self._agent.stdout is not None
        for line in self._agent.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _hear(self, wait_s: float) -> dict[str, Any] | None:
        """The next message; None if there is none for so long, or at the end. Answers what it asks."""
        try:
            line = self._lines.get(timeout=wait_s)
        except queue.Empty:
            return None
        if line is None:
            self._lines.put(None)
            return None
        try:
            message = json.loads(line)
        except ValueError:
            return {}
        update = (message.get("params") or {}).get("update") or {}
        if update.get("sessionUpdate") == "agent_message_chunk":
            self._words += str((update.get("content") or {}).get("text")).count("word")
        if "method" in message and "id" in message:
            self._answer(message)
        return dict(message)

    def _answer(self, request: dict[str, Any]) -> None:
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        serve: Callable[[dict[str, Any]], dict[str, Any]] | None = {
            "session/request_permission": self._permit,
            "fs/read_text_file": self._read_file,
            "fs/write_text_file": self._write_file,
            "terminal/create": self._create,
            "terminal/output": self._output,
            "terminal/wait_for_exit": self._wait,
            "terminal/kill": self._nothing,
            "terminal/release": self._nothing,
        }.get(request["method"])
        try:
            if serve is None:
                answer["error"] = {"code": _METHOD_NOT_FOUND, "message": "Method not found"}
            else:
                answer["result"] = serve(request["params"])
        except OSError as error:
            answer["error"] = {"code": _FAILED, "message": str(error)}
        self._send(answer)

    def _permit(self, params: dict[str, Any]) -> dict[str, Any]:
        kinds = ("reject_once", "reject_always") if self._refuses else ("allow_once", "allow_always")
        options = {option["kind"]: option["optionId"] for option in reversed(params["options"])}
        choice = next((options[kind] for kind in kinds if kind in options), None)
        return {
            "outcome": {"outcome": "selected", "optionId": choice} if choice else {"outcome": "cancelled"}
        }

    def _read_file(self, params: dict[str, Any]) -> dict[str, Any]:
        first, limit = (params.get("line") or 1) - 1, params.get("limit")
        lines = Path(params["path"]).read_text().splitlines(keepends=True)[first:]
        return {"content": "".join(lines if limit is None else lines[:limit])}

    def _write_file(self, params: dict[str, Any]) -> dict[str, Any]:
        Path(params["path"]).write_text(params["content"])
        return {}

    def _create(self, params: dict[str, Any]) -> dict[str, Any]:
        command = [params["command"], *(params.get("args") or ())]
        shell = params.get("args") is None
        done = subprocess.run(
            params["command"] if shell else command,
            shell=shell,
            cwd=params.get("cwd") or self._directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        terminal = f"terminal-{len(self._terminals) + 1}"
        self._terminals[terminal] = done.stdout, done.returncode
        return {"terminalId": terminal}

    def _output(self, params: dict[str, Any]) -> dict[str, Any]:
        output, code = self._terminals[params["terminalId"]]
        return {"output": output, "truncated": False, "exitStatus": {"exitCode": code, "signal": None}}

    def _wait(self, params: dict[str, Any]) -> dict[str, Any]:
        return {"exitCode": self._terminals[params["terminalId"]][1], "signal": None}

    def _nothing(self, _: dict[str, Any]) -> dict[str, Any]:
        """The commands are over already."""
        return {}

    def _send(self, message: dict[str, Any]) -> None:
        assert self._agent.stdin is not None
        self._agent.stdin.write(json.dumps(message) + "\n")
        self._agent.stdin.flush()


def _values(option: dict[str, Any]) -> list[Any]:
    """What an option can be set to, groups included."""
    if option.get("type") == "boolean":
        return [True, False]
    choices = option.get("options") or []
    flat = [one for choice in choices for one in (choice.get("options") or [choice])]
    return [one["value"] for one in flat if "value" in one]


def started(command: Sequence[str], directory: str) -> subprocess.Popen[str]:
    """An agent. `ended` has to follow, whatever happens: a SIGTERM leads there, too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return subprocess.Popen(
        command, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    )


def ended(agent: subprocess.Popen[str]) -> int:
    """Hangs up, and ends an agent that stays, with all that it leaves behind; its exit code."""
    assert agent.stdin is not None
    with suppress(OSError):  # what was not sent yet
        agent.stdin.close()
    for ask in (agent.terminate, agent.kill):
        with suppress(subprocess.TimeoutExpired):  # not every agent ends with its input
            agent.wait(_END_S)
            break
        ask()
    code = agent.wait()
    if sys.platform == "linux":
        _end_orphans()
    return code


def _end_orphans() -> None:
    """A launcher in node may end without the program that it has launched: that is a child of ours now."""
    mine = Path(f"/proc/self/task/{os.getpid()}/children")
    while pids := [int(pid) for pid in mine.read_text().split()]:
        for pid in pids:
            os.kill(pid, 9)  # SIGKILL
            os.waitpid(pid, 0)


def main(directory: str, options: str, *command: str) -> int:
    """The script: the agent's exit code."""
    given = json.loads(options)
    agent = started(command, directory)
    client = Client(agent, directory)
    try:
        client.open(given.get("authenticate"))
        client.choose(given.get("mode"), given.get("leave") or [])
        client.prompt(f"READ {directory}/notes.txt")
        client.prompt("RUN touch made.txt && ls")
        # To a file that is there: gemini takes no error for `there is no such file`.
        client.prompt(f"WRITE {directory}/notes.txt Eggs")
        client.prompt("RUN touch refused.txt", refuse=True)
        client.prompt("COUNT 60", cancel=True)
        client.prompt("PLAN the errand")
    except BrokenPipeError:
        print("errand: the agent hung up", file=sys.stderr)
    finally:
        code = ended(agent)
    return code


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
