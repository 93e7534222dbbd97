"""What a written client answers to the agent: permissions, input, files, terminals. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from acp_trace.protocol import methods
from acp_trace.protocol.payloads import ParamsView
from acp_trace.replay.conversation.engine import Later, Serve
from acp_trace.replay.written.elicitations import filled
from acp_trace.replay.written.steps import CANCELLED, Permission, WrittenConversation
from acp_trace.trace import jsontext

_METHOD_NOT_FOUND, _INVALID_PARAMS = -32601, -32602
#: The choice of a client that is not strict, if none is written, or the written one is not offered.
_REJECT = "reject_once"
_INSTEAD = {_REJECT: (_REJECT, "reject_always"), "allow_once": ("allow_always",)}


class WrittenAnswers:
    """The answers of one conversation. `failure`: a line, if a strict one has no answer to a request."""

    def __init__(self, written: WrittenConversation, *, strict: bool) -> None:
        self._written, self._strict = written, strict
        self._of_all = _each(written.permission)
        self._of_turn: dict[str, Iterator[str]] = {}  #: by session
        self.failure: str | None = None
        self.notes: list[str] = []

    def begin_turn(self, session: str, permission: Permission | None) -> None:
        """Note that a prompt was sent, perhaps with its own answers."""
        self._of_turn.pop(session, None)
        if permission is not None:
            self._of_turn[session] = _each(permission)

    def end_turn(self, session: str) -> None:
        """Note that the turn of a session is over."""
        self._of_turn.pop(session, None)

    def of(
        self, method: str, params: dict[str, Any], serve: Serve | None, *, cancelled: bool
    ) -> dict[str, Any] | Later:
        """Return the members of the response to a request; or what has its result later.

        `cancelled`: its turn is cancelled, which cancels its permissions, too (prompt-turn, cancellation: the
        client must answer all of them that way).
        """
        if method == methods.PERMISSION:
            return {"result": {"outcome": self._permission(params, cancelled=cancelled)}}
        if method == methods.ELICITATION and self._written.elicitation is not None:
            return {"result": filled(self._written.elicitation, params.get("requestedSchema"))}
        if serve is None:
            why = f"this client has no {method}"
            return {"error": {"code": _METHOD_NOT_FOUND, "message": why}}
        served = serve(method, params)
        if callable(served):
            return served
        if served is None:
            why = "it is not there, or lies outside of the session's directory"
            return {"error": {"code": _INVALID_PARAMS, "message": why}}
        return {"result": served}

    def _permission(self, params: Mapping[str, Any], *, cancelled: bool) -> dict[str, str]:
        if cancelled:
            return {"outcome": CANCELLED}
        answer = next(self._of_turn.get(ParamsView(params).session_id or "", self._of_all), None)
        if answer == CANCELLED:
            return {"outcome": CANCELLED}
        wanted = [] if answer is None else [answer]
        if not self._strict:
            wanted += _INSTEAD.get(answer or _REJECT, ())
        if (option := _chosen(params, wanted)) is not None:
            return {"outcome": "selected", "optionId": option}
        offered = ", ".join(str(option.get("kind")) for option in jsontext.objects(params.get("options")))
        title = ParamsView(params).tool_call.title
        asked = f"the agent asked for a permission ({title}) and offered {offered}"
        why = (
            "no `permission` is given for this request"
            if answer is None
            else f"`permission` {answer!r} is none of these"
        )
        if self._strict:
            self.failure = self.failure or f"{asked}: {why}"
        else:
            self.notes.append(f"{asked}: {why}, so it was cancelled")
        return {"outcome": CANCELLED}


def _chosen(params: Mapping[str, Any], answers: list[str]) -> str | None:
    """Return the id of the first option whose kind, id or name is one of these answers."""
    options = list(jsontext.objects(params.get("options")))
    for answer in answers:
        for key in ("kind", "optionId", "name"):
            for option in options:
                if option.get(key) == answer and isinstance(id_ := option.get("optionId"), str):
                    return id_
    return None


def _each(permission: Permission | None) -> Iterator[str]:
    """Yield one answer after the other; a single one is repeated every time."""
    if isinstance(permission, str):
        while True:
            yield permission
    yield from permission or ()


def line(**message: Any) -> bytes:
    """Return a message as it is sent."""
    return jsontext.text({"jsonrpc": "2.0", **message}) + b"\n"
