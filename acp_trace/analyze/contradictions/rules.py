"""What a rule receives, and how it adds findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.handshake import Handshake
from acp_trace.analyze.sessions import Sessions
from acp_trace.analyze.state import SessionState
from acp_trace.protocol.message import Message
from acp_trace.protocol.payloads import UpdateView
from acp_trace.trace.jsontext import as_object

#: In place of a method: every answer that is an error.
ERROR = ""


class Asked(NamedTuple):
    """A request, or a notification that is not an update. `t`: ns since the trace began."""

    frame: int
    t: int
    sender: str
    method: str
    params: dict[str, Any]
    session_id: str | None


class Answered(NamedTuple):
    """A response with the request that it answers."""

    frame: int
    t: int
    asked: Asked
    message: Message

    @property
    def sender(self) -> str:
        """The side that answered."""
        return "agent" if self.asked.sender == "client" else "client"

    @property
    def session_id(self) -> str | None:
        """The session that the request names."""
        return self.asked.session_id

    @property
    def is_error(self) -> bool:
        """Whether it is an error."""
        return self.message.is_error

    @property
    def result(self) -> dict[str, Any]:
        """The result; empty if there is none."""
        return self.message.part("result")

    @property
    def error_code(self) -> object:
        """The code of an error."""
        return self.message.part("error").get("code")

    @property
    def error_text(self) -> str:
        """The message of an error and the texts in its data."""
        error = self.message.part("error")
        data = error.get("data")
        said = (error.get("message"), data, *as_object(data).values())
        return " ".join(text for text in said if isinstance(text, str))


class Updated(msgspec.Struct, gc=False):
    """A session/update of the agent. It is read whole only for rules that need more than its kind."""

    session: SessionState
    kind: str
    frame: int
    t: int
    message: Message
    _update: UpdateView | None = None

    @property
    def update(self) -> UpdateView:
        """The update, read whole."""
        if self._update is None:
            self._update = UpdateView(self.message.part("params").get("update"))
        return self._update


@dataclass(frozen=True, slots=True)
class RuleContext:
    """What all rules may read."""

    findings: Findings
    handshake: Handshake
    sessions: Sessions


class Rules:
    """The rules of one subject: their handlers by method or by kind of update."""

    def __init__(self, known: RuleContext) -> None:
        self.known = known
        self.requests: dict[str, Callable[[Asked], None]] = {}
        self.answers: dict[str, Callable[[Answered], None]] = {}
        self.updates: dict[str, Callable[[Updated], None]] = {}

    @property
    def version(self) -> int | None:
        """The negotiated version."""
        return self.known.handshake.protocol_version

    def at_end(self, findings: Findings) -> None:
        """Report what holds if nothing more comes."""

    def say(
        self,
        code: str,
        blame: str,
        frame: int,
        session_id: str | None,
        text: str,
        about: str = "",
        *,
        path: str | None = None,
        expected: str | None = None,
        severity: Severity | None = None,
        findings: Findings | None = None,
        consequence_of: int | None = None,
    ) -> None:
        """Add a finding to `findings`, or to those of the trace."""
        (findings or self.known.findings).say(
            code,
            blame,
            frame,
            session_id,
            text,
            about,
            path=path,
            expected=expected,
            severity=severity,
            consequence_of=consequence_of,
        )
