"""The recording that the matrices replay: a scripted client talks to the scripted agent behind our recorder.

The client does one thing after the other; what it does in the middle of a turn hangs on what it hears, so
that each recording tells the same. What is replayed against it is the same agent, with a switch.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pytest

from acp_trace.compare import difference
from acp_trace.compare.codes import MATCHES, Match
from acp_trace.replay.drive.played import Played
from acp_trace.replay.drive.replay_and_compare import compare_run, play
from acp_trace.replay.settings import Settings, seconds
from acp_trace.replay.verdict.verdict import ReplayVerdict
from acp_trace.story.reader import EventReader
from acp_trace.system.processes import KILL
from acp_trace.trace.entries import Entry, EntryKind
from tests.posix import lacks
from tests.replay.edits import Case
from tests.support import Home, Recording, lines_of

AGENT = [sys.executable, "-I", "-S", str(Path(__file__).with_name("agent.py"))]
CWD = "/w/project"

Message = dict[str, Any]
#: Called with each message of the agent that comes in the middle of a turn.
Hook = Callable[["Client", Message], None]


#: What the agent can only do where it can fork.
FORKS = (
    "leaves a child that holds its output",
    "a child that is left behind",
    "a daemon that is left behind",
)
#: Long enough for an agent that is slow to start, and soon over where one hangs.
TIMEOUT_S = 2


@dataclass(frozen=True)
class Stage:
    """A recording that can be replayed, also against an agent with a switch."""

    recorded: list[Entry]

    @cached_property
    def _expected(self) -> EventReader:
        return difference.read(self.recorded, MATCHES[-1])

    def play(self, case: Case, switch: Literal["fault", "vary"], name: str) -> Played:
        """Replays it against an agent with this fault, or this variation."""
        if sys.platform == "win32" and name in FORKS:
            lacks("fork")
        settings = Settings()
        if case.hangs:
            settings = replace(settings, timeout_ns=seconds(TIMEOUT_S))
        played = play(self.recorded, [*AGENT, f"--{switch}", name], settings)
        for stranger in logged(played, "stranger"):  # in no group of ours: it may live on, but not for ever
            os.kill(stranger, KILL)
        return played

    def verdicts(self, played: Played) -> dict[Match, ReplayVerdict]:
        """The verdict on a run at each level: how a run goes does not depend on the level.

        Both traces are read once, for the closest level, which serves the others (`difference.compare`). That
        each level reads what it needs is a test of the command.
        """
        sides = self._expected, difference.read(_compared(played), MATCHES[-1])
        found = {}
        for match in MATCHES:
            settings, given = replace(Settings(), match=match), iter(sides)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(difference, "read", lambda *_, given=given: _HasRead(next(given)))
                found[match] = compare_run(self.recorded, played, settings, died=played.died).verdict
        return found


def _compared(played: Played) -> list[Entry]:
    """The entries that a verdict is about: a run that ended too early has no end of its own."""
    return [one for one in played.entries if not (played.died and one.kind is EntryKind.END)]


class _HasRead(EventReader):
    """A reader that has read its trace: what is fed to it, it knows."""

    def __init__(self, reader: EventReader) -> None:
        self.facts, self.story = reader.facts, reader.story  # type: ignore[method-assign]

    def feed(self, entry: Entry) -> None:
        del entry


def logged(played: Played, word: str) -> list[int]:
    """The numbers after a word that the agent said on stderr."""
    logs = [one.data.split() for one in played.entries if one.kind is EntryKind.LOG]
    return [int(words[1]) for words in logs if words[:1] == [word.encode()]]


def group(number: int) -> set[int]:
    """The living processes of a group."""
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, pgrp = path.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(pgrp) == number and state not in "ZX":
            found.add(int(path.parent.name))
    return found


def record(home: Home) -> bytes:
    """Makes the recording, in this home: its trace file."""
    with home.start(AGENT) as recording:
        Client(recording).play()
        out, _, code = recording.finish()
    assert (out, code) == (b"", 0)
    (path,) = home.spooled()
    return lines_of(path)


class Client:
    """A client that knows what this agent asks for."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._number = 0
        self._cancelled = False
        self._terminals = 0
        self.session = ""

    def play(self) -> None:
        """The whole scenario."""
        can = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
        self._ask("initialize", protocolVersion=1, clientCapabilities=can, clientInfo={"name": "scenario"})
        first = self._open("session/new")
        self._set("session/set_config_option", configId="model", value="deep")
        self._set("session/set_mode", modeId="code")
        self._set("session/set_mode", modeId="nowhere")
        self._prompt("talk to me")
        self._until("session_info_update")
        self._prompt("read a file")
        self._prompt("edit a file")
        self._prompt("run the tests")
        self._prompt("shell please")
        self._prompt("both at once")
        self._prompt("mode please", _on("agent_message_chunk", _set_mode))
        self._prompt("long answer", _on("tool_call_update", _cancel))
        self._prompt("wait for me", _cancel_when_asked)
        self._prompt("fail now")
        self._prompt("patch a file")
        self._open("session/new")
        self._prompt("again please")
        self._ask("session/list")
        self._set("session/close")
        self.session = first
        self._set("session/close")
        self._open("session/load", sessionId=first)
        self._prompt("again please")
        self._set("session/close")

    def _open(self, method: str, **params: Any) -> str:
        answer = self._ask(method, cwd=CWD, mcpServers=[], **params)
        self.session = answer["result"].get("sessionId", params.get("sessionId"))
        if method == "session/new":
            self._until("available_commands_update")
        return self.session

    def _set(self, method: str, **params: Any) -> Message:
        return self._ask(method, sessionId=self.session, **params)

    def _prompt(self, text: str, hook: Hook | None = None) -> None:
        self._cancelled = False
        self._ask("session/prompt", hook, sessionId=self.session, prompt=[{"type": "text", "text": text}])

    def _ask(self, method: str, hook: Hook | None = None, **params: Any) -> Message:
        number = self.request(method, **params)
        while True:
            message = self._hear()
            if message.get("id") == number and "method" not in message:
                return message
            if hook is not None:
                hook(self, message)
            if "id" in message and "method" in message:
                self._say(id=message["id"], result=self._served(message))

    def _until(self, kind: str) -> None:
        while _kind(self._hear()) != kind:
            pass

    def _served(self, message: Message) -> Message:
        method, params = message["method"], message["params"]
        if method == "session/request_permission":
            chosen = {"outcome": "selected", "optionId": params["options"][0]["optionId"]}
            return {"outcome": {"outcome": "cancelled"} if self._cancelled else chosen}
        if method == "terminal/create":
            self._terminals += 1
            return {"terminalId": f"term-{self._terminals}"}
        results: dict[str, Message] = {
            "fs/read_text_file": {"content": "old"},
            "terminal/output": {"output": "ok", "truncated": False},
            "terminal/wait_for_exit": {"exitCode": 0, "signal": None},
        }
        return results.get(method, {})

    # -- the wire

    def request(self, method: str, **params: Any) -> int:
        """Asks, and waits for nothing: the id."""
        number, self._number = self._number, self._number + 1
        self._say(id=number, method=method, params=params)
        return number

    def cancel(self) -> None:
        """Cancels the turn."""
        self._cancelled = True
        self._say(method="session/cancel", params={"sessionId": self.session})

    def _say(self, **message: Any) -> None:
        self._recording.say(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def _hear(self) -> Message:
        line = self._recording.hear()
        assert line, "the agent is gone"
        found: Message = json.loads(line)
        return found


def _kind(message: Message) -> str | None:
    found: str | None = message.get("params", {}).get("update", {}).get("sessionUpdate")
    return found


def _on(kind: str, do: Callable[[Client], object]) -> Hook:
    """Does something once, at the first update of a kind."""
    done: list[bool] = []

    def hook(client: Client, message: Message) -> None:
        if _kind(message) == kind and not done:
            done.append(True)
            do(client)

    return hook


def _set_mode(client: Client) -> None:
    client.request("session/set_mode", sessionId=client.session, modeId="plan")


def _cancel(client: Client) -> None:
    client.cancel()


def _cancel_when_asked(client: Client, message: Message) -> None:
    if message.get("method") == "session/request_permission":
        client.cancel()
