"""Payloads without the shape that the negotiated version gives them: parameters, results, updates.

`protocol.shapes` reads the shapes. If an older rule has already reported the place (an option without a
value, a stop reason …), only that finding is kept.
"""

from __future__ import annotations

from typing import Literal

from acp_trace.analyze.exchanges import Open
from acp_trace.analyze.findings.codes import Severity
from acp_trace.analyze.findings.collector import Findings
from acp_trace.analyze.handshake import Handshake
from acp_trace.protocol import methods
from acp_trace.protocol.message import Message, MessageKind
from acp_trace.protocol.shapes.judge import Fault
from acp_trace.protocol.shapes.strict import fits
from acp_trace.protocol.shapes.tables import MessagePart, VersionShapes, shapes
from acp_trace.trace import json_pointer, jsontext

_PARTS: dict[MessageKind, tuple[Literal["params", "result"], MessagePart]] = {
    MessageKind.REQUEST: ("params", "request"),
    MessageKind.NOTIFICATION: ("params", "notification"),
    MessageKind.RESPONSE: ("result", "response"),
}
_VERSIONS = (1, 2)
_OFTEN = 40  #: messages of one method from which on compiling their types pays off
_KIND = "/params/update/sessionUpdate"  #: `wire` reports this place, by a table with newer kinds


class PayloadFindings:
    """Processes every message, after all other parts."""

    def __init__(self, findings: Findings, handshake: Handshake) -> None:
        self.is_asked = True  #: False if the log replaced or left out parts of messages: nothing is checked
        self._findings = findings
        self._handshake = handshake
        self._seen: dict[str, int] = {}  #: number of messages seen of each method
        #: Ids of a wrong type, by the side that used them first: the other side can only repeat them.
        self._ids: dict[tuple[str, str], tuple[str, int]] = {}

    def message(self, frame: int, sender: str, message: Message, answered: Open | None) -> None:
        """Process a message; `answered`: the request that a response answers."""
        if message.kind not in _PARTS or message.is_error or not self.is_asked:
            return
        key, part = _PARTS[message.kind]
        if part != "response":
            asker, method, session_id = sender, message.method or "", message.session_id
        elif answered is not None:
            asker, method, session_id = answered.sender, answered.method, answered.session_id
        else:
            return
        if self._fits(message, method, asker, part):
            return
        said = self._findings.places(frame)
        cause = None if answered is None else answered.lost_to
        for fault in self._faults(message, key, method, asker, part):
            path = json_pointer.written((key, *map(str, fault.path)))
            if path != _KIND and not any(path == place or path.startswith(f"{place}/") for place in said):
                where = f"{method} {message.update or ''}"
                self._say(frame, sender, session_id, where, path, fault, cause)

    def _fits(self, message: Message, method: str, asker: str, part: MessagePart) -> bool:
        """Whether the message certainly fits. The fast types are only compiled for frequent messages."""
        version = self._handshake.protocol_version
        if version not in _VERSIONS or method in methods.INITIALIZERS:
            return False
        seen = self._seen[method] = self._seen.get(method, 0) + 1
        return seen > _OFTEN and fits(message.text, 2 if version == 2 else 1, method, asker, part)

    def _faults(self, message: Message, key: str, method: str, asker: str, part: MessagePart) -> list[Fault]:
        version: object = self._handshake.protocol_version
        if method in methods.INITIALIZERS:
            version = message.part(key).get("protocolVersion")
            version = version if version in _VERSIONS else 1
        if version in _VERSIONS:
            return _judged(message, key, shapes(2 if version == 2 else 1), method, asker, part) or []
        # If the version is unknown, only what both versions forbid is wrong.
        first, second = (_judged(message, key, shapes(each), method, asker, part) for each in _VERSIONS)
        return first if first and second else []

    def _say(
        self,
        frame: int,
        sender: str,
        session_id: str | None,
        where: str,
        path: str,
        fault: Fault,
        cause: int | None,
    ) -> None:
        severity: Severity | None = None
        about = f"{where} {_starred(fault.path)}"
        name = str(fault.path[-1]) if fault.path else ""
        if fault.kind == "wrong-type" and name.endswith("Id"):
            key = name, jsontext.short(fault.value)
            first_sender, first = self._ids.setdefault(key, (sender, frame))
            cause = first if first_sender != sender else cause
        if fault.kind == "extra-field":
            about = ""
        elif fault.is_tolerated:
            severity = "warning"
        self._findings.say(
            f"payload-{fault.kind}",
            sender,
            frame,
            session_id,
            _message(path, fault, where.rsplit(maxsplit=1)[-1]),
            about,
            severity=severity,
            path=path,
            expected=fault.expected,
            consequence_of=cause,
        )


def _judged(
    message: Message, key: str, table: VersionShapes, method: str, asker: str, part: MessagePart
) -> list[Fault] | None:
    """Return the faults; None if this version has no such message."""
    name = table.name(method, asker, part)
    if name is None:
        return None
    value = message.member(key)
    if value is not None:
        return table.faults(value, name)
    # `"result": null` is the specification's own answer to session/load: there was nothing to return.
    if not any(fault.kind == "field-missing" for fault in table.faults({}, name)):
        return []
    return [Fault((), "wrong-type" if message.has(key) else "field-missing", "an object", None, False)]


def _starred(path: tuple[str | int, ...]) -> str:
    return "/".join("*" if isinstance(step, int) else step for step in path)


def _message(path: str, fault: Fault, where: str) -> str:
    if fault.kind == "field-missing":
        return f"{path} is missing (expected {fault.expected})"
    if fault.kind == "extra-field":
        return f"{path} is not part of {where}; custom fields belong in _meta"
    return f"{path} is {jsontext.short(fault.value)}, not {fault.expected}"
