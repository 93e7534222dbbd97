"""One frame's text -> the kind of its JSON-RPC message and the session that it names. Never raises.

The common shapes are read in one pass in C, without building the message; everything else takes the slower
way through a Python value, with the same result.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from acp_trace.trace import jsontext
from acp_trace.trace.jsontext import NotJson, as_object, object_in, string_or_none, value, value_or_none


class MessageKind(StrEnum):
    """The kind of a frame, by JSON-RPC 2.0 (sections 4 and 5)."""

    REQUEST = "request"  #: has a method and an id, which may be null (ACP v1, RequestId)
    NOTIFICATION = "notification"  #: has a method and no id
    RESPONSE = "response"  #: has a result or an error and no method; the id may be missing
    INVALID = "invalid"  #: JSON, but none of these
    TEXT = "text"  #: a line that is not JSON
    BYTES = "bytes"  #: a line that is not UTF-8


class FrameText(msgspec.Struct, gc=False):
    """A frame's text, which is decoded again each time, so that a caller can keep many of them."""

    text: bytes

    @property
    def value(self) -> dict[str, Any]:
        """Return the message; empty if it is not an object."""
        return object_in(self.text)

    def part(self, key: str) -> dict[str, Any]:
        """Return the object under `params`, `result` or `error`; empty if it is missing."""
        return as_object(self.value.get(key))


class Flaw(NamedTuple):
    """A fault that JSON-RPC 2.0 forbids, or discourages, in a message that can still be read."""

    text: str
    path: str = ""  #: a JSON Pointer from the root of the message
    is_discouraged: bool = False  #: a SHOULD NOT, which readers tolerate


_UNREAD: Any = object()


class Message(msgspec.Struct, gc=False):
    """A frame, read as far as all callers need; `part` reads further.

    `id` is the id's JSON text, so that `1` and `"1"` differ (docs/report.md, Pairing). Equal ids have one
    spelling: `1` for `1.0`, and strings without needless escapes.
    """

    kind: MessageKind
    text: bytes
    id: str | None = None
    method: str | None = None
    session_id: str | None = None  #: `params.sessionId`
    update: str | None = None  #: `params.update.sessionUpdate`
    is_error: bool = False
    flaw: Flaw | None = None  #: why it is not proper JSON-RPC 2.0
    chunk: str | None = None  #: the text of a chunk that certainly fits its shape, as `chunks` reads it
    chunk_of: str | None = None  #: the id of the message that the chunk is a piece of
    _whole: Any = _UNREAD

    def member(self, key: str) -> Any:
        """Return the value under `params`, `result` or `error`; None if it is missing."""
        self.part(key)
        return self._whole.get(key)

    def has(self, key: str) -> bool:
        """Whether the message has this member."""
        self.part(key)
        return key in self._whole

    def part(self, key: str) -> dict[str, Any]:
        """Return the object under `params`, `result` or `error`; empty if it is missing."""
        if self._whole is _UNREAD:
            whole = value_or_none(self.text)
            self._whole = whole if isinstance(whole, dict) else {}
        # Inline: for each frame that is read further, a call would cost as much as the rest.
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
    """Return the message in a frame's text. Never raises: an invalid message is INVALID, with its fault."""
    try:
        head = _head(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _read_slowly(text)
    if head.method is None:
        answered = head.result is not _ABSENT
        has_error = head.error is not _ABSENT
        if not (answered or has_error):
            return Message(MessageKind.INVALID, text, flaw=_NEITHER)
        both = has_error and answered
        is_error = has_error and not (answered and bytes(head.error) == b"null")
        id_ = _id(head.id)
        return Message(_RESPONSE, text, id_, is_error=is_error, flaw=_flaw(head.jsonrpc, head.id, both=both))
    if (head.result is not _ABSENT or head.error is not _ABSENT) and (
        not {bytes(head.result), bytes(head.error)} <= _NOTHING
    ):
        return Message(MessageKind.INVALID, text, flaw=_ALL)
    params = head.params
    session_id = update = None
    if params is not None:
        session_id = params.sessionId
        if params.update is not None:
            update = params.update.sessionUpdate
    if head.id is _ABSENT:
        flaw = None if head.jsonrpc == "2.0" else _NO_VERSION
        return Message(_NOTIFICATION, text, None, head.method, session_id, update, False, flaw)
    id_ = _id(head.id)
    return Message(_REQUEST, text, id_, head.method, session_id, update, flaw=_flaw(head.jsonrpc, head.id))


def batch(text: bytes) -> list[Message] | None:
    """Return an array's messages (JSON-RPC 2.0, section 6); None for others, or too many. Never raises."""
    if text[:1] not in b"[ \t\r\n" or text.count(b",") > _MOST_COMMAS:
        return None
    try:
        return [read(bytes(item)) for item in _items(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        items = value_or_none(text)  # this accepts lone surrogates
        return [read(jsontext.text(item)) for item in items] if isinstance(items, list) else None


#: An item takes two bytes of an array, and hundreds here: a larger number only serves to fill memory.
_MOST_COMMAS = 1_000_000
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_NO_VERSION = Flaw('`jsonrpc` is not "2.0"', "/jsonrpc")
_NEITHER = Flaw("neither a method nor a result nor an error")
_ALL = Flaw("a method, and a result or an error", "/method")
_NOTHING = {b"", b"null"}  #: some senders write unused members as null
_FRACTION = re.compile(rb"-?\d+[.eE]")
_NO_IDS = {b"t": "boolean", b"f": "boolean", b"[": "array", b"{": "object"}
#: Up to here a float is exact: a whole number is the same id with and without a fraction.
_EXACT = 2**53


def _flaw(version: object, id_: msgspec.Raw, *, both: bool = False) -> Flaw | None:
    """Return what JSON-RPC 2.0 (sections 4 and 5) forbids in a request or a response, or None."""
    if version != "2.0":
        return _NO_VERSION
    if both:
        return Flaw("a result and an error at once", "/error")
    start = bytes(id_)[:60]
    if start[:1] in _NO_IDS:
        return Flaw(f"its id is of type {_NO_IDS[start[:1]]}", "/id")
    if _FRACTION.match(start):
        return Flaw(f"its id has a fraction: {start.decode()}", "/id", is_discouraged=True)
    return None


class _Cancelled(msgspec.Struct, gc=False):
    requestId: msgspec.Raw = _ABSENT  # noqa: N815
    id: msgspec.Raw = _ABSENT


class _CancelRequest(msgspec.Struct, gc=False):
    params: _Cancelled


_cancel = msgspec.json.Decoder(_CancelRequest).decode


def cancelled_id(message: Message) -> str | None:
    """Return the id in a `$/cancel_request`, as `Message.id`; the proposal had `id` for `requestId`."""
    try:
        params = _cancel(message.text).params
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None
    return _id(params.requestId if params.requestId is not _ABSENT else params.id)


def id_type(text: str | None) -> str | None:
    """Return the JSON type of an id's text: `string`, `number`, `null`, `boolean`, `array`, `object`."""
    return None if text is None else _TYPES.get(text[:1], "number")


_TYPES = {'"': "string", "n": "null", "t": "boolean", "f": "boolean", "[": "array", "{": "object"}


def _id(raw: msgspec.Raw) -> str | None:
    if raw is _ABSENT:
        return None
    text = bytes(raw)
    if b"\\" in text or _FRACTION.match(text):
        return _one_spelling(text)
    return text.decode("utf-8", "replace")


def _one_spelling(text: bytes) -> str:
    id_ = value_or_none(text)
    if isinstance(id_, float) and abs(id_) < _EXACT and id_.is_integer():
        id_ = int(id_)
    return jsontext.text(id_).decode()


def _read_slowly(text: bytes) -> Message:
    """Read a message with members of unexpected types, with lone surrogates, or that is not an object."""
    try:
        message = value(text)
    except NotJson as error:
        return Message(MessageKind.INVALID, text, flaw=Flaw(str(error)))
    if not isinstance(message, dict):
        return Message(MessageKind.INVALID, text, flaw=Flaw("not an object"))
    method = message.get("method")
    if not (method is None or isinstance(method, str)):
        return Message(MessageKind.INVALID, text, flaw=Flaw("its method is not a string", "/method"))
    raw = msgspec.Raw(jsontext.text(message["id"])) if "id" in message else _ABSENT
    id_ = _id(raw)
    answers = "result" in message or "error" in message
    both = method is None and "result" in message and "error" in message
    flaw = _flaw(message.get("jsonrpc"), raw, both=both)
    if method is None:
        if not answers:
            return Message(MessageKind.INVALID, text, flaw=_NEITHER)
        is_error = "error" in message and not ("result" in message and message["error"] is None)
        return Message(MessageKind.RESPONSE, text, id_, is_error=is_error, flaw=flaw)
    if not (message.get("result") is None and message.get("error") is None):
        return Message(MessageKind.INVALID, text, flaw=_ALL)
    params = message.get("params")
    by_position = isinstance(params, list) and method.startswith("_")  # an extension may have these
    if not (params is None or by_position or isinstance(params, dict)):
        flaw = flaw or Flaw("its params are not an object", "/params")
    params = as_object(params)
    return Message(
        MessageKind.NOTIFICATION if id_ is None else MessageKind.REQUEST,
        text,
        id_,
        method,
        string_or_none(params.get("sessionId")),
        string_or_none(as_object(params.get("update")).get("sessionUpdate")),
        flaw=flaw,
    )
