"""One frame's text -> what kind of JSON-RPC message it is and which session it names. Never raises.

The common shapes are read in one pass in C, without building the message; everything else takes the
slower way through a Python value and gives the same answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import NotJson, as_object, object_in, string_or_none, value, value_or_none


class MessageKind(StrEnum):
    """What a frame is, by JSON-RPC 2.0 (sections 4 and 5)."""

    REQUEST = "request"  #: has a method and an id, which may be null (ACP v1, RequestId)
    NOTIFICATION = "notification"  #: has a method and no id
    RESPONSE = "response"  #: has a result or an error and no method; the id may be missing
    INVALID = "invalid"  #: JSON, but none of these
    TEXT = "text"  #: a line that is not JSON
    BYTES = "bytes"  #: a line that is not UTF-8


class FrameText(msgspec.Struct, gc=False):
    """A frame's text, which is decoded anew each time: for whoever keeps many of them."""

    text: bytes

    @property
    def value(self) -> dict[str, Any]:
        """The message; empty if it is not an object."""
        return object_in(self.text)

    def part(self, key: str) -> dict[str, Any]:
        """The object under `params`, `result` or `error`; empty if there is none."""
        return as_object(self.value.get(key))


_UNREAD: Any = object()


class Message(msgspec.Struct, gc=False):
    """A frame, read as far as everyone needs; `part` reads on for those who need more.

    `id` is the id's JSON text, so that `1`, `"1"` and `1.0` differ (docs/report.md, Pairing);
    strings are written in one way, whatever escapes they came with.
    """

    kind: MessageKind
    text: bytes
    id: str | None = None
    method: str | None = None
    session_id: str | None = None  #: `params.sessionId`
    update: str | None = None  #: `params.update.sessionUpdate`
    is_error: bool = False
    fault: str | None = None  #: why it is no proper JSON-RPC 2.0, though it can be read as what it is
    _whole: Any = _UNREAD

    def part(self, key: str) -> dict[str, Any]:
        """The object under `params`, `result` or `error`; empty where there is none."""
        if self._whole is _UNREAD:
            self._whole = object_in(self.text)
        # Inline: for each frame that is read on, a call would cost as much as the rest.
        inner = self._whole.get(key)
        return inner if isinstance(inner, dict) else {}


class _HeadUpdate(msgspec.Struct, gc=False):
    sessionUpdate: str | None = None  # noqa: N815  (the protocol's name)


class _HeadParams(msgspec.Struct, gc=False):
    sessionId: str | None = None  # noqa: N815
    update: _HeadUpdate | None = None


_ABSENT = msgspec.Raw()
# Bound once: looking a member up on its enum costs more than the rest of the branch, for every frame.
_REQUEST, _NOTIFICATION, _RESPONSE = MessageKind.REQUEST, MessageKind.NOTIFICATION, MessageKind.RESPONSE


class _Head(msgspec.Struct, gc=False):
    jsonrpc: str | None = None
    id: msgspec.Raw = _ABSENT
    method: str | None = None
    params: _HeadParams | None = None
    result: msgspec.Raw = _ABSENT
    error: msgspec.Raw = _ABSENT


_head = msgspec.json.Decoder(_Head).decode


def read(text: bytes) -> Message:
    """The message in a frame's text. Never raises: what is not a message is INVALID, with the fault."""
    try:
        head = _head(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _read_slowly(text)
    if head.method is None:
        answered = head.result is not _ABSENT
        has_error = head.error is not _ABSENT
        if not (answered or has_error):
            return Message(MessageKind.INVALID, text, fault=_NEITHER)
        both = has_error and answered
        is_error = has_error and not (answered and bytes(head.error) == b"null")
        id_ = _id(head.id)
        return Message(_RESPONSE, text, id_, is_error=is_error, fault=_fault(head.jsonrpc, id_, both=both))
    params = head.params
    session_id = update = None
    if params is not None:
        session_id = params.sessionId
        if params.update is not None:
            update = params.update.sessionUpdate
    if head.id is _ABSENT:
        fault = None if head.jsonrpc == "2.0" else _NO_VERSION
        return Message(_NOTIFICATION, text, None, head.method, session_id, update, False, fault)
    id_ = _id(head.id)
    return Message(_REQUEST, text, id_, head.method, session_id, update, fault=_fault(head.jsonrpc, id_))


_NO_VERSION = '`jsonrpc` is not "2.0"'
_NEITHER = "neither a method nor a result nor an error"


def _fault(version: object, id_: str | None, *, both: bool = False) -> str | None:
    """What JSON-RPC 2.0 (sections 4 and 5) does not allow in a message that can be read all the same."""
    if version != "2.0":
        return _NO_VERSION
    if both:
        return "a result and an error at once"
    if (kind := id_type(id_)) in ("boolean", "array", "object"):
        return f"its id is of type {kind}"
    return None


class _Cancelled(msgspec.Struct, gc=False):
    requestId: msgspec.Raw = _ABSENT  # noqa: N815
    id: msgspec.Raw = _ABSENT


class _CancelRequest(msgspec.Struct, gc=False):
    params: _Cancelled


_cancel = msgspec.json.Decoder(_CancelRequest).decode


def cancelled_id(message: Message) -> str | None:
    """The id that a `$/cancel_request` names, as `Message.id`; the proposal had `id` for `requestId`."""
    try:
        params = _cancel(message.text).params
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return _id(params.requestId if params.requestId is not _ABSENT else params.id)


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
        message = value(text)
    except NotJson as error:
        return Message(MessageKind.INVALID, text, fault=str(error))
    if not isinstance(message, dict):
        return Message(MessageKind.INVALID, text, fault="no object")
    method = message.get("method")
    if not (method is None or isinstance(method, str)):
        return Message(MessageKind.INVALID, text, fault="its method is no string")
    id_ = jsontext.text(message["id"]).decode() if "id" in message else None
    answers = "result" in message or "error" in message
    fault = _fault(message.get("jsonrpc"), id_, both="result" in message and "error" in message)
    if method is None:
        if not answers:
            return Message(MessageKind.INVALID, text, fault=_NEITHER)
        is_error = "error" in message and not ("result" in message and message["error"] is None)
        return Message(MessageKind.RESPONSE, text, id_, is_error=is_error, fault=fault)
    params = message.get("params")
    if params is not None and not isinstance(params, dict | list):
        fault = fault or "its params are neither an object nor an array"
    params = as_object(params)
    return Message(
        MessageKind.NOTIFICATION if id_ is None else MessageKind.REQUEST,
        text,
        id_,
        method,
        string_or_none(params.get("sessionId")),
        string_or_none(as_object(params.get("update")).get("sessionUpdate")),
        fault=fault,
    )
