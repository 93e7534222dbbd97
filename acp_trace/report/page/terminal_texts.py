"""What terminals printed, however it is told: by requests (version 1), updates (draft 2) or `_meta`. Pure.

Agents that run commands themselves tell their output in the `_meta` of a tool call's updates:
`terminal_info`, `terminal_output`, `terminal_output_delta` and `terminal_exit`, each with a `terminal_id`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from acp_trace.analyze.frame import Frame
from acp_trace.protocol.message import MessageKind
from acp_trace.report.frame_texts import update_of
from acp_trace.trace.jsontext import value_or_none

_Object = dict[str, Any]
_METHODS = ("terminal/create", "terminal/output", "terminal/wait_for_exit")
_UPDATES = ("terminal_update", "terminal_output_chunk")
#: Members of `_meta` that tell of a terminal.
_TOLD = ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")


@dataclass(slots=True)
class Terminal:
    """One terminal. `exit` says how its command ended, in words; empty while it runs."""

    command: str = ""
    pieces: list[bytes] = field(default_factory=list)
    exit: str = ""

    def document(self, terminal_id: str) -> _Object:
        """What the page shows."""
        output = b"".join(self.pieces).decode("utf-8", "replace")
        return {"terminal": terminal_id, "command": self.command, "output": output, "exit": self.exit}


class TerminalTexts:
    """The terminals of all sessions."""

    def __init__(self) -> None:
        self._by_id: dict[tuple[str, str], Terminal] = {}
        self._asked: dict[int, tuple[str, str, _Object]] = {}  #: session, method, params by request

    def get(self, session_id: str, terminal_id: str) -> Terminal:
        """A terminal; an empty one if nothing was told of it."""
        return self._by_id.setdefault((session_id, terminal_id), Terminal())

    def feed(self, frame: Frame) -> None:
        """Takes in a frame, which may be about no terminal."""
        if frame.method in _METHODS:
            if frame.kind is MessageKind.REQUEST:
                params = object_of(object_of(value_or_none(frame.data)).get("params"))
                self._asked[frame.frame] = (frame.session_id or "", frame.method or "", params)
            elif frame.kind is MessageKind.RESPONSE and (asked := self._asked.pop(frame.answers or 0, None)):
                self._answered(*asked, object_of(object_of(value_or_none(frame.data)).get("result")))
        elif frame.update in _UPDATES and frame.session_id is not None:
            self._updated(frame.session_id, update_of(frame))

    def told(self, session_id: str, update: _Object) -> Iterator[str]:
        """Takes in what the update of a tool call tells in `_meta`; the ids of the terminals."""
        meta = object_of(update.get("_meta"))
        for name in _TOLD:
            told = object_of(meta.get(name))
            terminal_id = told.get("terminal_id")
            if not isinstance(terminal_id, str):
                continue
            terminal = self.get(session_id, terminal_id)
            if isinstance(told.get("data"), str):
                terminal.pieces.append(told["data"].encode())
            if name == "terminal_exit":
                terminal.exit = _exit(told.get("exit_code"), told.get("signal"))
            yield terminal_id

    def _answered(self, session_id: str, method: str, params: _Object, result: _Object) -> None:
        terminal_id = (result if method == "terminal/create" else params).get("terminalId")
        if not isinstance(terminal_id, str):
            return
        terminal = self.get(session_id, terminal_id)
        if method == "terminal/create":
            arguments = params.get("args")
            words = [params.get("command"), *(arguments if isinstance(arguments, list) else ())]
            terminal.command = " ".join(str(word) for word in words if word is not None)
        elif method == "terminal/output":
            terminal.pieces = [str(result.get("output", "")).encode()]
            self._ended(terminal, result.get("exitStatus"))
        else:
            self._ended(terminal, result)

    def _updated(self, session_id: str, update: _Object) -> None:
        terminal_id = update.get("terminalId")
        if not isinstance(terminal_id, str):
            return
        terminal = self.get(session_id, terminal_id)
        if update.get("sessionUpdate") == "terminal_output_chunk":
            terminal.pieces.append(_decoded(update.get("data")))
            return
        if isinstance(update.get("command"), str):
            terminal.command = update["command"]
        if "output" in update:
            terminal.pieces = [_decoded(object_of(update["output"]).get("data"))]
        self._ended(terminal, update.get("exitStatus"))

    @staticmethod
    def _ended(terminal: Terminal, status: object) -> None:
        if isinstance(status, dict):
            terminal.exit = _exit(status.get("exitCode"), status.get("signal"))


def object_of(value: object) -> _Object:
    """A JSON object as it is, anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def _exit(code: object, signal: object) -> str:
    if signal is not None:
        return f"ended by signal {signal}"
    return "ended" if code is None else f"exit code {code}"


def _decoded(data: object) -> bytes:
    """Draft 2 gives bytes in base64."""
    if not isinstance(data, str):
        return b""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return data.encode()
