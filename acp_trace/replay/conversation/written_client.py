"""A client that says what is written, and answers what it is asked: lines and the time in, lines out. No I/O.

`initialize`, `session/new`, then prompt after prompt, each when the one before it is answered and the agent
has been quiet for a moment: so what an agent sends between two turns stays between them. Whatever the
conversation cannot answer is a `failure`, and it is over; a recording that went another way than what was
written would be tested ever after. `drive.player` plays this, as it plays a recorded side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from acp_trace import __version__
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.payloads import ParamsView, ResultView
from acp_trace.replay.conversation.engine import Later, Serve
from acp_trace.replay.timeouts import (
    FLOOD_BYTES,
    LONGEST_TIMES,
    QUIET_MOST_NS,
    TERMINAL_LOOK_NS,
    WRITTEN_QUIET_MOST_NS,
)
from acp_trace.replay.written import CANCELLED, Permission, WrittenConversation, WrittenTurn
from acp_trace.trace import jsontext

VERSION = 1  #: of the protocol, the only one that these messages are of
#: The updates that `cancel_after` counts: what a user sees of the work. Others come when they come.
COUNTED = frozenset({"agent_message_chunk", "tool_call", "tool_call_update"})
_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602


class WrittenClient:
    """One written conversation with one agent. `directory`: of its session.

    `serve`: what answers requests for files and terminals, by method. `timeout_ns`: how long the agent may
    say nothing; a whole turn may take ten times as long.
    """

    def __init__(
        self, written: WrittenConversation, directory: str, serve: Mapping[str, Serve], timeout_ns: int
    ) -> None:
        self.failure: str | None = None  #: why there is no recording
        self.stops: list[str] = []  #: how the turns ended: `end_turn`
        self.gone = False  #: the agent closed its output
        self.is_drowned = False
        self._written, self._directory, self._serve, self._timeout_ns = written, directory, serve, timeout_ns
        self._turns = iter(written.turns)
        self._turn: WrittenTurn | None = None
        self._number = 0  #: of the turn, from 1
        self._of_all = self._answers = _each(written.permission)
        self._session = ""
        self._asked: str | None = None  #: the method that is not answered yet
        self._ids = -1
        self._updates = 0  #: of the turn, those that count
        self._cancelled = False
        self._later: list[tuple[Any, Later]] = []
        self._looked = 0
        self._heard = self._asked_at = self._answered_at = 0
        self._bytes = 0  #: since it said something last
        self.closed = False

    def begin(self, now: int) -> None:
        """The conversation begins."""
        self._heard = self._answered_at = (
            now - WRITTEN_QUIET_MOST_NS
        )  # nothing is waited for before the first message

    # -- what comes

    def receive(self, line: bytes, now: int) -> list[bytes]:
        """Takes in a line of the agent; returns what is to be sent to it at once."""
        self._heard = now
        self._bytes += len(line)
        message = read(line)
        if message.kind is MessageKind.RESPONSE:
            if self._asked is not None and message.id == str(self._ids):
                self._on_answer(self._asked, message, now)
        elif message.kind is MessageKind.REQUEST:
            return self._on_request(message)
        elif message.method == methods.UPDATE and message.session_id == self._session:
            self._updates += message.update in COUNTED
            return self._cancel()
        return []

    def on_closed(self) -> None:
        """The agent closed its output: nothing more comes."""
        self.gone = True

    def give_up(self, id_: str | None, now: int) -> None:  # noqa: ARG002
        """See `PlayedSide`: a conversation that lacks an answer is no recording."""
        if self._asked is not None and id_ in (None, str(self._ids)):
            self._fail(f"{self._what(self._asked)} was given up")

    def _on_answer(self, method: str, message: Message, now: int) -> None:
        self._asked, self._answered_at = None, now
        result = message.part("result")
        if message.is_error:
            error = message.part("error")
            self._fail(
                f"the agent refused {self._what(method)}: {error.get('message')} ({error.get('code')})"
            )
        elif method == methods.INITIALIZE and result.get("protocolVersion") != VERSION:
            self._fail(f"the agent speaks protocol {result.get('protocolVersion')}, not {VERSION}")
        elif method == methods.NEW:
            self._session = ResultView(result).session_id or ""
            if not self._session:
                self._fail("the agent's answer to session/new has no sessionId")
        elif method == methods.PROMPT:
            self.stops.append(str(result.get("stopReason")))
            turn = self._turn
            if turn is not None and turn.cancel_after is not None and not self._cancelled:
                self._fail(
                    f"{self._what(method)} ended after {self._updates} messages and updates of tools, "
                    f"before it could be cancelled (cancel_after = {turn.cancel_after})"
                )

    def _on_request(self, message: Message) -> list[bytes]:
        method, params = message.method or "", message.part("params")
        id_ = jsontext.value_or_none((message.id or "null").encode())
        if method == methods.PERMISSION:
            return [_line(id=id_, result={"outcome": self._permission(params)})]
        if (serve := self._serve.get(method)) is None:
            why = f"this client has no {method}"
            return [_line(id=id_, error={"code": _METHOD_NOT_FOUND, "message": why})]
        served = serve(method, params)
        if callable(served):
            self._later.append((id_, served))
            return []
        if served is None:
            why = "it is not there, or lies outside of the session's directory"
            return [_line(id=id_, error={"code": _INVALID_PARAMS, "message": why})]
        return [_line(id=id_, result=served)]

    def _permission(self, params: Mapping[str, Any]) -> dict[str, str]:
        """The outcome of a permission request; that of a turn that is cancelled is cancelled, too.

        Protocol 1, prompt-turn: the client must answer all of them so.
        """
        if self._cancelled and self._asked == methods.PROMPT:
            return {"outcome": CANCELLED}
        options = list(jsontext.objects(params.get("options")))
        answer = next(self._answers, None)
        if answer == CANCELLED:
            return {"outcome": CANCELLED}
        for key in ("kind", "optionId", "name"):
            for option in options:
                if (
                    answer is not None
                    and option.get(key) == answer
                    and isinstance(option.get("optionId"), str)
                ):
                    return {"outcome": "selected", "optionId": option["optionId"]}
        offered = ", ".join(str(option.get("kind")) for option in options)
        title = ParamsView(params).tool_call.title
        asked = f"the agent asked for a permission ({title}) and offered {offered}"
        self._fail(
            f"{asked}: there is no `permission` for it"
            if answer is None
            else f"{asked}: `permission` {answer!r} is none of these"
        )
        return {"outcome": CANCELLED}

    def _fail(self, why: str) -> None:
        self.failure = self.failure or why
        self.closed = True

    # -- what goes out

    def due(self, now: int) -> Iterator[bytes]:
        """The lines that are to be sent now, each with its newline."""
        yield from self._served_later(now)
        if self._asked is not None or self.closed or now < self._quiet_at:
            return
        if self._ids < 0:
            yield self._ask(methods.INITIALIZE, now, **_about(self._written))
        elif not self._session:
            yield self._ask(methods.NEW, now, cwd=self._directory, mcpServers=[])
        elif (turn := next(self._turns, None)) is None:
            self.closed = True
        else:
            self._turn, self._updates, self._cancelled = turn, 0, False
            self._number += 1
            self._answers = self._of_all if turn.permission is None else _each(turn.permission)
            prompt = [{"type": "text", "text": turn.text}]
            yield self._ask(methods.PROMPT, now, sessionId=self._session, prompt=prompt)
            yield from self._cancel()

    def _ask(self, method: str, now: int, **params: Any) -> bytes:
        self._asked, self._ids, self._heard, self._asked_at, self._bytes = method, self._ids + 1, now, now, 0
        return _line(id=self._ids, method=method, params=params)

    def _cancel(self) -> list[bytes]:
        """The cancel of the turn, if it is time for it."""
        after = None if self._turn is None else self._turn.cancel_after
        is_open = self._asked == methods.PROMPT and not self._cancelled
        if after is None or not is_open or self._updates < after:
            return []
        self._cancelled = True
        return [_line(method=methods.CANCEL, params={"sessionId": self._session})]

    def _served_later(self, now: int) -> Iterator[bytes]:
        self._looked = now
        results = [(id_, later, later()) for id_, later in self._later]
        self._later = [(id_, later) for id_, later, result in results if result is None]
        if len(results) > len(self._later):
            self._heard = now  # the agent may only go on now
        for id_, _, result in results:
            if result is not None:
                yield _line(id=id_, result=result)

    # -- how far it is

    @property
    def _quiet_at(self) -> int:
        """When nothing has come for a moment, or for too long already."""
        return min(self._heard + QUIET_MOST_NS, self._answered_at + WRITTEN_QUIET_MOST_NS)

    def wake(self) -> int | None:
        """When to ask for what is due although nothing came, in ns; None if only a line changes anything."""
        if self._later:
            return self._looked + TERMINAL_LOOK_NS
        return None if self._asked is not None or self.closed else self._quiet_at

    @property
    def deadline(self) -> int | None:
        """When it has waited for too long, in ns. What a command of a terminal takes is the turn's time."""
        if self._asked is None:
            return None
        whole = self._asked_at + LONGEST_TIMES * self._timeout_ns
        return whole if self._later else min(whole, self._heard + self._timeout_ns)

    @property
    def is_flooded(self) -> bool:
        """Whether more came since the last message of the client than any turn explains."""
        return self._bytes > FLOOD_BYTES

    @property
    def is_answered(self) -> bool:
        """Whether all prompts are answered."""
        return len(self.stops) == len(self._written.turns)

    def waits(self) -> str:
        """What it waits for, in words: `the answer to session/prompt 2`."""
        return "the end" if self._asked is None else f"the answer to {self._what(self._asked)}"

    def _what(self, method: str) -> str:
        return f"prompt {self._number}" if method == methods.PROMPT else method


def _about(written: WrittenConversation) -> dict[str, Any]:
    """What `initialize` says: it can do what the conversation can answer, and nothing else."""
    fs = {"readTextFile": written.files, "writeTextFile": written.files}
    return {
        "protocolVersion": VERSION,
        "clientCapabilities": {"fs": fs, "terminal": written.terminals},
        "clientInfo": {"name": "acp-trace", "title": "acp-trace", "version": __version__},
    }


def _each(permission: Permission | None) -> Iterator[str]:
    """One answer after the other; one alone is given every time."""
    if isinstance(permission, str):
        while True:
            yield permission
    yield from permission or ()


def _line(**message: Any) -> bytes:
    return jsontext.text({"jsonrpc": "2.0", **message}) + b"\n"
