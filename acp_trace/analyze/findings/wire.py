"""What one message shows about its sender, regardless of sessions: JSON-RPC, methods, ids, capabilities.

Rules: the groups `wire` and `connection` of `codes`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from acp_trace.analyze.exchanges import Exchanges, Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.findings.unanswered import Unanswered
from acp_trace.analyze.findings.unreadable import HiddenMessage, UnreadableLines
from acp_trace.analyze.handshake import Handshake
from acp_trace.protocol import methods, outcomes, updates
from acp_trace.protocol.message import Message, MessageKind, read
from acp_trace.protocol.other_protocols import is_of_acp, other_protocol_of
from acp_trace.trace import jsontext

#: agentclientprotocol/acp-tck against the TypeScript SDK 2.4.0, whose schema has no array form.
_BATCHES = "ACP-TRANSPORT-201 of acp-tck requires them in protocol 2, the TypeScript SDK refuses them"
_OTHER = {"client": "agent", "agent": "client"}


class WireFindings:
    """Processes every message, before all other parts."""

    def __init__(self, findings: Findings, handshake: Handshake, exchanges: Exchanges) -> None:
        self._findings = findings
        self._handshake = handshake
        self._exchanges = exchanges
        self.plain = _plain(None)  #: kinds of updates that are always right
        self._unreadable = UnreadableLines(findings)
        self._odd = {"client": 0, "agent": 0}  #: lines of a side that its reader could not read
        self._cut_off: dict[str, int] = {}  #: the last line of a side, if it has no end
        self._is_acp = False  #: whether a method was seen that only ACP has

    def odd(self, frame: int, sender: str, nth: int, message: Message, *, partial: bool = False) -> None:
        """Process a frame that is not a message: the `nth` of its sender. `partial`: its end is missing."""
        self._odd[sender] += 1
        if partial:
            self._cut_off[sender] = frame
        if message.kind in (MessageKind.TEXT, MessageKind.BYTES):
            if not message.text.strip():
                self._say("blank-line", sender, frame, "an empty line")
                return
            for hidden in self._unreadable.take(frame, sender, nth, message.text):
                self._lost(hidden, sender)
            self._findings.lost.add(self._unreadable.finding_at[sender], sender, message.text)
            return
        text = message.text.decode("utf-8", "replace")
        if (found := self._unreadable.goes_on(frame, sender, nth, text)) is not None:
            for hidden in found:
                self._lost(hidden, sender)
            frame = self._unreadable.finding_at[sender]
        else:
            self._flaw(frame, sender, message, None)
        self._findings.lost.add(frame, sender, message.text)

    def _lost(self, hidden: HiddenMessage, sender: str) -> None:
        """Mark the request that a hidden message would have answered: no reader of lines received it."""
        message = read(hidden.text)
        self._other_protocol(hidden.frame, message)
        if message.kind is MessageKind.RESPONSE and message.id is not None:
            exchange = self._exchanges.open(_OTHER[sender], message.id)
            if exchange is not None and exchange.lost_to is None:
                exchange.lost_to = hidden.frame

    def items(self, frame: int, sender: str, first: Message, count: int) -> None:
        """Report the items of a batch that are not messages: one finding, at the first of them."""
        text = first.flaw.text if first.flaw is not None else "no message"
        self._findings.say("not-jsonrpc", sender, frame, None, text, count=count)

    def batch(self, frame: int, sender: str, messages: list[Message]) -> None:
        """Process a batch. Protocol 1 has no batches; for version 2, the sources disagree."""
        self._odd[sender] += 1
        severity: Severity | None = None
        text = "an array of messages"
        if not messages:
            text = "an empty array"
        elif self._handshake.protocol_version == 2:
            severity, text = "warning", f"{text}: {_BATCHES}"
        self._say("batch", sender, frame, text, severity=severity)

    def request(self, frame: int, sender: str, message: Message) -> None:
        """Process a request, before it is counted as open."""
        self._method(frame, sender, message, "request")
        method = message.method or ""
        if not (self._handshake.asked or method in methods.INITIALIZERS):
            self._say("before-initialize", sender, frame, f"{method} before initialize")
        if message.id == "null" and self._handshake.protocol_version == 2:
            text = "the id of a request is null, which protocol 2 does not allow"
            self._say("not-jsonrpc", sender, frame, text, session=message.session_id, path="/id")
            self._odd[sender] += 1
        exchange = self._exchanges.open(sender, message.id or "null")
        if exchange is not None and methods.is_answered(method) and methods.is_answered(exchange.method):
            text = f"id {_cut(message.id)} belongs to request #{exchange.frame}, which is still open"
            self._say("id-reused", sender, frame, text, session=message.session_id)

    def notification(self, frame: int, sender: str, message: Message) -> None:
        """Process a notification that is not a session/update of the agent."""
        self._method(frame, sender, message, "notification")

    def agreed(self) -> None:
        """Record that the sides have agreed on a version."""
        self.plain = _plain(self._handshake.protocol_version)

    def update(self, frame: int, message: Message) -> None:
        """Process a session/update of the agent, of a kind that is not plain or with a fault."""
        kind, session_id = message.update, message.session_id
        self._flaw(frame, "agent", message, session_id)
        row = updates.BY_KIND.get(kind or "")
        version = self._handshake.protocol_version
        if kind in updates.known(version):
            path = row.announced if row is not None and version == 1 else None
            if path and not self._handshake.announced("client", path):
                text = f"{kind}, but the client has not announced {path}"
                self._findings.say("update-not-announced", "agent", frame, session_id, text, kind or "")
        elif not (kind is not None and version != 1 and kind.startswith("_")):
            text = "an update without a kind" if kind is None else _unknown(version, f"update {kind}", row)
            severity: Severity | None = "warning" if kind is not None and row is None else None
            self._findings.say(
                "unknown-update",
                "agent",
                frame,
                session_id,
                text,
                kind or "",
                severity=severity,
                path=_place_of_kind(message),
            )

    def response(self, frame: int, sender: str, message: Message, answered: Open | None) -> None:
        """Process a response; `answered`: the request that it answers."""
        session = None if answered is None else answered.session_id
        self._flaw(frame, sender, message, session, None if answered is None else answered.lost_to)
        if message.is_error:
            self._error(frame, sender, message, session)
        if answered is not None:
            return
        asker = _OTHER[sender]
        if self._answers_noise(asker, message):
            self._odd[asker] -= 1
            return
        before = None if message.id is None else self._exchanges.answered(asker, message.id)
        if before is not None:
            text = f"a second response to id {_cut(message.id)}, request #{before}"
            self._say("second-answer", sender, frame, text)
        else:
            unmatched = f"no request has the id {_cut(message.id)}"
            text = "a response without an id" if message.id is None else unmatched
            if (other := self._same_id(asker, message.id)) is not None:
                other.lost_to = frame
                kind = "a number" if (message.id or "")[:1] == '"' else "a string"
                text += f"; it would answer {other.method} #{other.frame} if its id were {kind}"
            elif message.id not in (None, "null") and (alone := self._exchanges.only_open(asker)) is not None:
                alone.lost_to = frame  # if it gets no other answer
            cause = self._findings.lost.with_id(asker, message.id)
            self._say("response-to-nothing", sender, frame, text, consequence_of=cause)
            self._findings.lost.add(frame, sender, message.text)

    def _same_id(self, asker: str, id_: str | None) -> Open | None:
        """Return the open request whose id is the same text with another type."""
        if id_ is None:
            return None
        return self._exchanges.open(asker, id_[1:-1] if id_[:1] == '"' else f'"{id_}"')

    def at_end(self, findings: Findings, unanswered: Unanswered) -> None:
        """Report the requests that are still open; a line that was cut off as its writer ended is a note."""
        for sender, frame in self._cut_off.items():
            if unanswered.client_left or (sender == "agent" and unanswered.crash is not None):
                findings.follows("not-json", frame, unanswered.crash if sender == "agent" else None)
        for exchange in unanswered.all:
            excuse = unanswered.excuse(exchange, exchange.t)
            text = f"{exchange.method} {unanswered.verb}"
            if unanswered.moment is not None:
                text += f"; open for {unanswered.open_for(exchange.t)} when {unanswered.moment}"
            findings.say(
                "never-answered",
                exchange.answerer,
                exchange.frame,
                exchange.session_id,
                text + excuse.text,
                severity=excuse.severity,
                consequence_of=excuse.consequence_of,
            )

    def _answers_noise(self, asker: str, message: Message) -> bool:
        """Whether this answers an unreadable line: its id is null (JSON-RPC 2.0, section 5)."""
        if message.id != "null" or not message.is_error or not self._odd[asker]:
            return False
        return jsontext.as_integer(message.part("error").get("code")) in outcomes.UNREADABLE

    def _error(self, frame: int, sender: str, message: Message, session: str | None) -> None:
        error = message.part("error")
        code, text = error.get("code"), error.get("message")
        if not isinstance(code, int) or isinstance(code, bool) or not isinstance(text, str):
            problem, path = "an error without an integer code and a message", "/error"
            if isinstance(message.member("error"), dict):
                path = (
                    "/error/message"
                    if isinstance(code, int) and not isinstance(code, bool)
                    else "/error/code"
                )
            self._say("not-jsonrpc", sender, frame, problem, session=session, path=path)

    def _flaw(
        self, frame: int, sender: str, message: Message, session: str | None, cause: int | None = None
    ) -> bool:
        """Report what JSON-RPC forbids in a message; return whether a reader may refuse it for that."""
        flaw = message.flaw
        if flaw is None:
            return False
        severity: Severity | None = "note" if flaw.is_discouraged else None
        self._say("not-jsonrpc", sender, frame, flaw.text, session=session, severity=severity,
                  path=flaw.path, consequence_of=cause)  # fmt: skip
        return not flaw.is_discouraged

    def _method(self, frame: int, sender: str, message: Message, kind: str) -> None:
        say = partial(self._say, blame=sender, frame=frame, session=message.session_id)
        self._odd[sender] += self._flaw(frame, sender, message, message.session_id)
        name, version = message.method or "", self._handshake.protocol_version
        row = methods.known(version).get(name)
        self._other_protocol(frame, message)
        if row is None:
            self._unknown(say, name, version)
        elif row.handler not in ("both", _OTHER[sender]):
            say("wrong-side", text=f"{name} must be handled by the {row.handler}", about=name)
        elif row.kind not in ("both", kind):
            say("wrong-kind", text=f"{name} was sent as a {kind}, but is a {row.kind}", about=name)
        elif (path := self._handshake.missing(_OTHER[sender], name)) is not None:
            text = f"{name}, but the {_OTHER[sender]} has not announced {path}"
            say("capability-missing", text=text, about=name)

    def _other_protocol(self, frame: int, message: Message) -> None:
        """Report a protocol other than ACP, if no earlier message belonged to ACP."""
        if self._is_acp or self._findings.protocol is not None:
            return
        other = other_protocol_of(message.method, message.part("params"))
        self._is_acp = other is None and is_of_acp(message.method, message.part("params"))
        if other is not None:
            self._findings.tell_protocol(other, frame)

    def _unknown(self, say: Callable[..., None], name: str, version: int | None) -> None:
        row = methods.BY_NAME.get(name)
        if row is not None and "old" in row.stages:
            say("retired-method", text=f"{name}: {row.source}", about=name)
        elif not methods.is_extension(name):
            text = _unknown(version, f"method {jsontext.short(name)}", row)
            say("unknown-method", text=text, about=name, severity="warning" if row is None else None)

    def _say(
        self,
        code: str,
        blame: str,
        frame: int,
        text: str,
        about: str = "",
        session: str | None = None,
        severity: Severity | None = None,
        path: str | None = None,
        consequence_of: int | None = None,
    ) -> None:
        self._findings.say(
            code,
            blame,
            frame,
            session,
            text,
            about,
            severity=severity,
            path=path,
            consequence_of=consequence_of,
        )


def _cut(id_: str | None) -> str:
    return (id_ or "")[:60]


def _place_of_kind(message: Message) -> str:
    """Return the path of an update's kind, or of the first value on the way there that is not an object."""
    params = message.member("params")
    if not isinstance(params, dict):
        return "/params"
    return "/params/update/sessionUpdate" if isinstance(params.get("update"), dict) else "/params/update"


def _plain(version: int | None) -> frozenset[str]:
    """Return the kinds of updates that need no capability."""
    return frozenset(kind for kind in updates.known(version) if updates.BY_KIND[kind].announced is None)


def _unknown(version: int | None, what: str, elsewhere: object) -> str:
    """Return the text for what a version lacks. `elsewhere`: the row of a version that has it, or None."""
    if elsewhere is not None:
        return f"{_version(version)} has no {what} (another version has it)"
    return (
        f"{_version(version)} as of {methods.AS_OF} has no {what}: newer than acp-trace, or not part of ACP"
    )


def _version(version: int | None) -> str:
    return {1: "protocol 1", 2: "draft 2 of the protocol"}.get(version or 0, "the protocol")
