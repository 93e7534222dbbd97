"""What terminals printed, from requests (version 1), updates (draft 2) or `_meta`. Pure.

Agents that run commands themselves put the output into the `_meta` of a tool call's updates:
`terminal_info`, `terminal_output`, `terminal_output_delta` and `terminal_exit`, each with a `terminal_id`.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field

from acp_trace.analyze.frame import Frame
from acp_trace.protocol import methods
from acp_trace.protocol.message import MessageKind
from acp_trace.protocol.payloads import ParamsView, ResultView, UpdateView, params_in, part, update_in
from acp_trace.report.page.documents import TerminalPart
from acp_trace.trace.jsontext import as_object, as_string, string_or_none

_METHODS = (methods.TERMINAL_CREATE, methods.TERMINAL_OUTPUT, methods.TERMINAL_WAIT)
_UPDATES = ("terminal_update", "terminal_output_chunk")
#: Members of `_meta` that tell of a terminal.
_TOLD = ("terminal_info", "terminal_output", "terminal_output_delta", "terminal_exit")


@dataclass(slots=True)
class Terminal:
    """One terminal. `exit` says how its command ended, in words; empty while it runs."""

    command: str = ""
    pieces: list[bytes] = field(default_factory=list)
    exit: str = ""

    def document(self, terminal_id: str) -> TerminalPart:
        """What the page shows."""
        output = b"".join(self.pieces).decode("utf-8", "replace")
        return {"terminal": terminal_id, "command": self.command, "output": output, "exit": self.exit}


class TerminalTexts:
    """The terminals of all sessions."""

    def __init__(self) -> None:
        self._by_id: dict[tuple[str, str], Terminal] = {}
        #: By frame and id of a request: its session, method and params.
        self._asked: dict[tuple[int, str | None], tuple[str, str, ParamsView]] = {}

    def get(self, session_id: str, terminal_id: str) -> Terminal:
        """A terminal; an empty one if no frame was about it."""
        return self._by_id.setdefault((session_id, terminal_id), Terminal())

    def feed(self, frame: Frame) -> None:
        """Process a frame, which need not be about a terminal."""
        if frame.method in _METHODS:
            request = int(frame.frame if frame.answers is None else frame.answers), frame.id
            if frame.kind is MessageKind.REQUEST:
                self._asked[request] = frame.session_id or "", frame.method, params_in(frame.data)
            elif frame.kind is MessageKind.RESPONSE and (asked := self._asked.pop(request, None)):
                self._answered(*asked, ResultView(part(frame.data, "result")))
        elif frame.update in _UPDATES and frame.session_id is not None:
            self._updated(frame.session_id, update_in(frame.data))

    def named(self, session_id: str, update: UpdateView) -> Iterator[str]:
        """Process the `_meta` of a tool call's update; return the ids of its terminals."""
        meta = update.meta
        for name in _TOLD:
            given = as_object(meta.get(name))
            if (terminal_id := string_or_none(given.get("terminal_id"))) is None:
                continue
            terminal = self.get(session_id, terminal_id)
            if text := as_string(given.get("data")):
                terminal.pieces.append(text.encode())
            if name == "terminal_exit":
                terminal.exit = _exit(given.get("exit_code"), given.get("signal"))
            yield terminal_id

    def _answered(self, session_id: str, method: str, params: ParamsView, result: ResultView) -> None:
        terminal_id = (result if method == methods.TERMINAL_CREATE else params).terminal_id
        if terminal_id is None:
            return
        terminal = self.get(session_id, terminal_id)
        if method == methods.TERMINAL_CREATE:
            arguments = params.args if isinstance(params.args, list) else ()
            terminal.command = " ".join(
                word for each in (params.command, *arguments) if (word := string_or_none(each)) is not None
            )
        elif method == methods.TERMINAL_OUTPUT:
            terminal.pieces = [as_string(result.output).encode()]
            self._ended(terminal, result.exit_status)
        else:
            self._ended(terminal, result.members)

    def _updated(self, session_id: str, update: UpdateView) -> None:
        if (terminal_id := update.terminal_id) is None:
            return
        terminal = self.get(session_id, terminal_id)
        if update.session_update == "terminal_output_chunk":
            terminal.pieces.append(_decoded(update.data))
            return
        terminal.command = terminal.command if update.command is None else update.command
        if "output" in update.members:
            terminal.pieces = [_decoded(as_object(update.output).get("data"))]
        self._ended(terminal, update.exit_status)

    @staticmethod
    def _ended(terminal: Terminal, status: object) -> None:
        if isinstance(status, dict):
            terminal.exit = _exit(status.get("exitCode"), status.get("signal"))


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
