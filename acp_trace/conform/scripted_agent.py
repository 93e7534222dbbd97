"""The agent that tries a client: `python -m acp_trace.conform.scripted_agent NAME MARK`.

`ScriptedAgent` is lines and the time in, lines out; `main` gives it standard input and output. MARK is a file
that it makes when it is time to interrupt the client.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from acp_trace import __version__
from acp_trace.conform.behaviours import BY_NAME, Behaviour
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.outcomes import CANCELLED
from acp_trace.replay.faults.declaration import parse
from acp_trace.replay.faults.injector import Injector
from acp_trace.replay.written.profiles import uuid_of
from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import as_object

_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602
#: The option of each session, and its values.
OPTION, MODELS = "model", ("small", "big")
_SECOND = 1_000_000_000


class ScriptedAgent:
    """One connection. It announces nothing, offers one option, and plays the behaviour to each prompt."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.exit_code: int | None = None  #: set when it is time to end
        self.is_marked = False
        self._behaviour = behaviour
        self._client: Mapping[str, Any] = {}  #: what the client announced
        self._directories: dict[str, str] = {}
        self._models: dict[str, str] = {}  #: the value of its option, by session
        self._prompt: Any = None
        self._is_open = self._is_cancelled = False
        self._session = ""
        self._turn: Iterator[Mapping[str, Any]] = iter(())
        self._asked: str | None = None  #: the id of its own request that is open
        self._ids = 0
        self._until: int | None = None  #: how long it holds

    def receive(self, line: bytes, now: int) -> list[bytes]:
        """Process a line from the client; return what is to be sent."""
        message = read(line)
        if message.kind is MessageKind.REQUEST:
            return self._on_request(message, now)
        if message.kind is MessageKind.RESPONSE and message.id == self._asked:
            self._asked = None
            return self.due(now)
        if message.method == methods.CANCEL and self._is_open:
            self._is_cancelled, self._until = True, None
            return self.due(now)
        return []

    def wake(self) -> int | None:
        """When `due` is to be asked although nothing came, in ns."""
        return self._until

    def _on_request(self, message: Message, now: int) -> list[bytes]:
        id_ = jsontext.value_or_none((message.id or "null").encode())
        params = message.part("params")
        if message.method == methods.INITIALIZE:
            self._client = as_object(params.get("clientCapabilities"))
            info = {"name": "acp-trace conform", "version": __version__}
            return [_line(id=id_, result={"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": info})]
        if message.method == methods.NEW:
            session = f"acp-trace-session-{len(self._directories) + 1}"
            self._directories[session] = str(params.get("cwd", ""))
            self._models[session] = MODELS[0]
            self._session = session
            answer = _line(id=id_, result={"sessionId": session, "configOptions": self._options(session)})
            return [answer, *(line for step in self._behaviour.opened for line in self._do(step, now))]
        if message.method == methods.SET_OPTION and message.session_id in self._models:
            return [self._set(id_, message.session_id, params)]
        if message.method == methods.PROMPT and not self._is_open:
            self._prompt, self._is_open, self._is_cancelled = id_, True, False
            self._session, self._turn = message.session_id or "", iter(self._behaviour.turn)
            return self.due(now)
        error = {"code": _METHOD_NOT_FOUND, "message": f"this agent has no {message.method}"}
        return [_line(id=id_, error=error)]

    def _set(self, id_: Any, session: str, params: Mapping[str, Any]) -> bytes:
        """Sets the one option that there is."""
        if params.get("configId") != OPTION or params.get("value") not in MODELS:
            return _line(
                id=id_, error={"code": _INVALID_PARAMS, "message": "there is no such option or value"}
            )
        self._models[session] = params["value"]
        return _line(id=id_, result={"configOptions": self._options(session)})

    def _options(self, session: str) -> list[dict[str, Any]]:
        values = [{"value": model, "name": model.title()} for model in MODELS]
        option = {"type": "select", "id": OPTION, "name": "Model", "category": "model", "options": values}
        return [{**option, "currentValue": self._models[session]}]

    def due(self, now: int) -> list[bytes]:
        """Return what to send now."""
        lines: list[bytes] = []
        while self.exit_code is None and self._is_due(now):
            self._until = None
            step = None if self._is_cancelled else next(self._turn, None)
            if step is None:
                reason = CANCELLED if self._is_cancelled else "end_turn"
                lines.append(self._answer(result={"stopReason": reason}))
            else:
                lines += self._do(step, now)
        return lines

    def _is_due(self, now: int) -> bool:
        return self._is_open and self._asked is None and (self._until is None or now >= self._until)

    def _do(self, step: Mapping[str, Any], now: int) -> Iterator[bytes]:
        if "say" in step:
            content = {"type": "text", "text": step["say"]}
            yield self._update({"sessionUpdate": "agent_message_chunk", "content": content})
        elif "update" in step:
            yield self._update(step["update"])
        elif "ask" in step and self._can(step.get("if", "")):
            self._ids += 1
            id_ = uuid_of(self._ids) if self._behaviour.has_uuids else self._ids
            self._asked = jsontext.string(id_)  # as `Message.id` has it
            yield _line(id=id_, method=step["ask"], params=self._params(step))
        elif "error" in step:
            code, text = step["error"]
            yield self._answer(error={"code": code, "message": text})
        elif "mark" in step:
            self.is_marked = True
        elif "hold_s" in step:
            self._until = now + step["hold_s"] * _SECOND
        elif "exit" in step:
            self.exit_code = step["exit"]

    def _params(self, step: Mapping[str, Any]) -> dict[str, Any]:
        params = {"sessionId": self._session, **step["params"]}
        if "path" in params:
            params["path"] = params["path"].replace("{cwd}", self._directories.get(self._session, ""))
        return params

    def _can(self, path: str) -> bool:
        capability: Any = self._client
        for key in path.split(".") if path else ():
            capability = as_object(capability).get(key)
        return bool(capability) or not path

    def _update(self, update: Mapping[str, Any]) -> bytes:
        return _line(method=methods.UPDATE, params={"sessionId": self._session, "update": update})

    def _answer(self, **answer: Any) -> bytes:
        self._is_open = False
        return _line(id=self._prompt, **answer)


class FaultyAgent:
    """A scripted agent with the faults of its behaviour in what it sends."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._agent = ScriptedAgent(behaviour)
        self._injector = Injector([parse(text) for text in behaviour.faults], "agent")

    def receive(self, line: bytes, now: int) -> None:
        """Process a line from the client."""
        self._injector.receive(line)
        self._send(self._agent.receive(line, now), now)

    def due(self, now: int) -> bytes:
        """Return what to write now."""
        self._send(self._agent.due(now), now)
        return b"".join(self._injector.due(now))

    def _send(self, lines: list[bytes], now: int) -> None:
        for line in lines:
            self._injector.send(line, now)

    def wake(self) -> int | None:
        """When `due` is to be asked although nothing came, in ns."""
        times = self._agent.wake(), self._injector.wake
        return min((when for when in times if when is not None), default=None)

    @property
    def is_marked(self) -> bool:
        """Whether it is time to interrupt the client."""
        return self._agent.is_marked

    @property
    def exit_code(self) -> int | None:
        """Set when it is time to end."""
        if self._injector.ended is not None and self._injector.wake is None:
            return 0
        return self._agent.exit_code


def _line(**message: Any) -> bytes:
    return jsontext.text({"jsonrpc": "2.0", **message}) + b"\n"


def main(argv: list[str]) -> int:
    """Runs it on standard input and output; the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the client that is interrupted
    behaviour, mark, rest = BY_NAME[argv[0]], Path(argv[1]), b""
    agent = FaultyAgent(behaviour)
    while agent.exit_code is None:
        wake = agent.wake()
        wait_s = None if wake is None else max(wake - time.monotonic_ns(), 0) / _SECOND
        if select.select([0], [], [], wait_s)[0]:
            data = os.read(0, 1 << 16)
            if not data:
                return 0
            *whole, rest = (rest + data).split(b"\n")
            for line in whole:
                agent.receive(line, time.monotonic_ns())
        try:
            sys.stdout.buffer.write(agent.due(time.monotonic_ns()))
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            return 0
        if agent.is_marked:
            mark.touch()
    return agent.exit_code


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
