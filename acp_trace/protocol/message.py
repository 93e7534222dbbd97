"""One frame's text -> what kind of JSON-RPC message it is and which session it names. Never raises.

The common shapes are read in one pass in C, without building the message; everything else takes the
slower way through a Python value and gives the same answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import NotJson, value, value_or_none


class Kind(StrEnum):
    """What a frame is, by JSON-RPC 2.0 (sections 4 and 5)."""

    REQUEST = "request"  #: has a method and an id, which may be null (ACP v1, RequestId)
    NOTIFICATION = "notification"  #: has a method and no id
    RESPONSE = "response"  #: has a result or an error and no method; the id may be missing
    INVALID = "invalid"  #: JSON, but none of these
    TEXT = "text"  #: a line that is no JSON
    BYTES = "bytes"  #: a line that is no UTF-8


class Message(msgspec.Struct, gc=False):
    """A frame, read as far as everyone needs; `part` reads on for those who need more.

    `id` is the id's JSON text, so that `1`, `"1"` and `1.0` differ (docs/report.md, Pairing);
    strings are written in one way, whatever escapes they came with.
    """

    kind: Kind
    text: bytes
    id: str | None = None
    method: str | None = None
    session_id: str | None = None  #: `params.sessionId`
    update: str | None = None  #: `params.update.sessionUpdate`
    is_error: bool = False

    def part(self, key: str) -> dict[str, Any]:
        """The object under `params`, `result` or `error`; empty where there is none."""
        found = value_or_none(self.text)
        inner = found.get(key) if isinstance(found, dict) else None
        return inner if isinstance(inner, dict) else {}


class _Update(msgspec.Struct, gc=False):
    sessionUpdate: str | None = None  # noqa: N815  (the protocol's name)


class _Params(msgspec.Struct, gc=False):
    sessionId: str | None = None  # noqa: N815
    update: _Update | None = None


_ABSENT = msgspec.Raw()
# Bound once: looking a member up on its enum costs more than the rest of the branch, for every frame.
_REQUEST, _NOTIFICATION, _RESPONSE = Kind.REQUEST, Kind.NOTIFICATION, Kind.RESPONSE


class _Head(msgspec.Struct, gc=False):
    id: msgspec.Raw = _ABSENT
    method: str | None = None
    params: _Params | None = None
    result: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


_head = msgspec.json.Decoder(_Head).decode


def read(text: bytes) -> Message:
    """The message in a frame's text (any bytes)."""
    try:
        head = _head(text)
    except (msgspec.DecodeError, RecursionError):
        return _read_slowly(text)
    if head.method is None:
        is_error = head.error is not _ABSENT
        if not is_error and head.result is _ABSENT:
            return Message(Kind.INVALID, text)
        return Message(_RESPONSE, text, _id(head.id), is_error=is_error)
    params = head.params
    session_id = update = None
    if params is not None:
        session_id = params.sessionId
        if params.update is not None:
            update = params.update.sessionUpdate
    if head.id is _ABSENT:
        return Message(_NOTIFICATION, text, None, head.method, session_id, update)
    return Message(_REQUEST, text, _id(head.id), head.method, session_id, update)


def id_type(text: str | None) -> str | None:
    """The JSON type of an id's text: `string`, `number`, `null`, `boolean`, `array`, `object`."""
    return None if text is None else _TYPES.get(text[:1], "number")


_TYPES = {'"': "string", "n": "null", "t": "boolean", "f": "boolean", "[": "array", "{": "object"}


def _id(raw: msgspec.Raw) -> str | None:
    if raw is _ABSENT:
        return None
    text = bytes(raw)
    return _one_spelling(text) if b"\\" in text else text.decode("utf-8", "replace")


def _one_spelling(text: bytes) -> str:
    return jsontext.text(value_or_none(text)).decode()


def _read_slowly(text: bytes) -> Message:
    """Messages with members of unexpected types, lone surrogates, or no object at all."""
    try:
        found = value(text)
    except NotJson:
        return Message(Kind.INVALID, text)
    method = found.get("method") if isinstance(found, dict) else None
    if not isinstance(found, dict) or not (method is None or isinstance(method, str)):
        return Message(Kind.INVALID, text)
    id_ = jsontext.text(found["id"]).decode() if "id" in found else None
    if method is None:
        kind = Kind.RESPONSE if "result" in found or "error" in found else Kind.INVALID
        return Message(kind, text, id_ if kind is Kind.RESPONSE else None, is_error="error" in found)
    params = found.get("params")
    params = params if isinstance(params, dict) else {}
    update = params.get("update")
    return Message(
        Kind.NOTIFICATION if id_ is None else Kind.REQUEST,
        text,
        id_,
        method,
        _string(params.get("sessionId")),
        _string(update.get("sessionUpdate")) if isinstance(update, dict) else None,
    )


def _string(found: object) -> str | None:
    return found if isinstance(found, str) else None
