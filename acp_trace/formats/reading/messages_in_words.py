"""Messages whose method and id a log has in words, and only the rest as JSON. Pure.

    [Trace - 10:00:00] Sending request 'session/new - (1)'.
    Params: {…}
    DEBUG - --> session/new (id=1) params={…}
    jsonrpc2: --> request #1: session/new: {…}
    :: --> agent session/new(1): {…}
    Error handling request {…} {"code": -32603, …}

Learned from microsoft/vscode-languageserver-node, gptme/gptme, sourcegraph/jsonrpc2, sublimelsp/LSP and
agentclientprotocol/typescript-sdk, which writes the last one to stderr.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from acp_trace.formats.reading import json_parts

#: The text before the JSON: kind, method and id. Its last word says which part the JSON is.
_CALLED = (
    re.compile(
        r"(?:Sending|Received) (?P<kind>request|response|notification) "
        r"'(?P<name>[^' ]*)(?: - \((?P<id>[^)]*)\))?'"
    ),
    re.compile(
        r"(?:-->|<--) (?P<kind>request|result|error|notif)(?: #(?P<id>\w+))?: (?P<name>[\w/$.]*):? ?$"
    ),
    re.compile(r":: (?P<kind>->|-->|<-|<--) +\S+ (?P<name>[\w/$.]+)(?:\((?P<id>\d+)\))?: ?$"),
    re.compile(r":: (?P<kind><<<|>>>|~~~)(?P<name>) +\S+ (?P<id>\d+): ?$"),
    re.compile(
        r"(?:-->|<--) (?:(?P<kind>request|response|notification)\b ?)?"
        r"(?P<name>[\w/$.]+)?(?: ?\(id=(?P<id>[^)]+)\))?"
    ),
)
_PART = re.compile(r"\b(params|result|error)\s*[=:]\s*$", re.IGNORECASE)
_REFUSED = re.compile(r"\bError handling request\s*$")
#: Which part it is, by a kind that says it; else a word before the JSON does.
_PARTS = {
    **dict.fromkeys(("notif", "->", "-->", "<-", "<--"), "params"),
    **dict.fromkeys(("result", "<<<", ">>>"), "result"),
    **dict.fromkeys(("error", "~~~"), "error"),
}


def names_part(before: str) -> bool:
    """Whether the JSON after this is only a part of a message."""
    return _PART.search(before) is not None


def has_call(before: str) -> bool:
    """Whether this says itself which message it is a part of."""
    return _called(before) is not None


def rebuilt(before: str, text: str) -> bytes | None:
    """The message whose part `text` is, if the text before it has the rest."""
    called = _called(before)
    if called is None:
        return None
    kind, name, id_ = called["kind"], called["name"] or "", called["id"]
    named = _PART.search(before)
    part = named[1].lower() if named else _PARTS.get(kind or "")
    if part is None and called.re is _CALLED[1]:
        part = "params"
    if part is None:
        return None
    members = ['"jsonrpc":"2.0"']
    if id_:
        members.append(f'"id":{id_ if id_.isdecimal() else json.dumps(id_)}')
    if part == "params" and kind != "response":
        members.append(f'"method":{json.dumps(name)}')
    members.append(f'"{part}":{text}')
    return f"{{{','.join(members)}}}".encode("utf-8", "replace")


def _called(before: str) -> re.Match[str] | None:
    """The last match of the first form that fits: an earlier match may belong to a line that was cut."""
    for form in _CALLED:
        if found := [one for one in form.finditer(before) if any(one.groups())]:
            return found[-1]
    return None


class Refusals:
    """Recognises a failed request as the TypeScript SDK prints it: the request, and then its error."""

    def __init__(self) -> None:
        self._id: Any = None
        self._is_next = False

    def take(self, before: str, value: Mapping[str, Any]) -> None:
        """Process a message, with the text before it."""
        self._is_next = _REFUSED.search(before) is not None and "id" in value
        self._id = value.get("id")

    def response(self, between: str, value: object) -> bytes | None:
        """The response that was sent, if this value is the error right after such a message."""
        is_next, self._is_next = self._is_next and not between.strip(), False
        if not is_next or not isinstance(value, dict):
            return None
        if not isinstance(value.get("code"), int) or not isinstance(value.get("message"), str):
            return None
        return json_parts.response(json_parts.written(self._id), json_parts.written(value), is_error=True)
