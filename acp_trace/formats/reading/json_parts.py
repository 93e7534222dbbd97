"""Parts of a JSON text, verbatim: numbers, escapes and the order of members stay as they are. Pure.

This module knows JSON and the structure of a JSON-RPC message, but no tool's format.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from acp_trace.trace import jsontext

_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
#: Bytes of a text that is long: to take it apart again would cost more than to compare it.
_LONG = 1 << 16
_SPACE = re.compile(rb'("(?:[^"\\]|\\.)*+")|[ \t\r\n]+')
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[][{},:]|[^][{},:" \t\r\n]+')


def members(text: bytes) -> dict[str, bytes] | None:
    """The members of a JSON object, each as its text; None if this is not a JSON object."""
    return _members_of_long(text) if len(text) > _LONG else _read_members(text)


@lru_cache(maxsize=4)  # several readers look at the same long line, to say whether a log is theirs
def _members_of_long(text: bytes) -> dict[str, bytes] | None:
    return _read_members(text)


def _read_members(text: bytes) -> dict[str, bytes] | None:
    if not jsontext.is_json(text) or text.lstrip()[:1] != b"{":
        return None
    try:
        return {key: bytes(raw) for key, raw in _members(text).items()}
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        parts = list(_parts(text))  # the escape of a lone surrogate, which msgspec refuses
    return {_key(key): value for key, value in zip(parts[::2], parts[1::2], strict=False)}


def items(text: bytes) -> list[bytes] | None:
    """The items of a JSON array, each as its text; None if this is not a JSON array."""
    if not jsontext.is_json(text) or text.lstrip()[:1] != b"[":
        return None
    try:
        return [bytes(raw) for raw in _items(text)]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return list(_parts(text))


def string(text: bytes | None) -> str | None:
    """The value of a JSON text if that is a string; None otherwise."""
    return jsontext.string_or_none(jsontext.value_or_none(text))


def compact(text: bytes) -> bytes:
    """A JSON text without the white space between its parts: one line."""
    try:
        return msgspec.json.format(text, indent=-1)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _SPACE.sub(rb"\1", text)


def request(method: bytes, params: bytes | None, id_: bytes | None) -> bytes:
    """The text of a request, or without `id_` of a notification, from the texts of its parts.

    `params` of null are left out: a message has none then (JSON-RPC 2.0, section 4).
    """
    parts = {"id": id_, "method": method, "params": None if params == b"null" else params}
    return message({key: part for key, part in parts.items() if part is not None})


def response(id_: bytes, payload: bytes, *, is_error: bool) -> bytes:
    """The text of a response, from the texts of its parts."""
    return message({"id": id_, "error" if is_error else "result": payload})


def message(parts: Mapping[str, bytes]) -> bytes:
    """The text of a JSON-RPC message with these members, one line."""
    written = b"".join(b',"%b":%b' % (key.encode(), compact(part)) for key, part in parts.items())
    return b'{"jsonrpc":"2.0"%b}' % written


def written(value: Any) -> bytes:
    """The compact text of a value that `json` has read. Half a surrogate pair becomes `?`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def looks_like_error(payload: bytes) -> bool:
    """Whether a response's payload is an error object: a whole number as `code`, a string as `message`.

    Only `data` may accompany them. No result of ACP has both (its schemas, 2026-08).
    """
    parts = members(payload)
    if parts is None or not parts.keys() <= {"code", "message", "data"}:
        return False
    code = jsontext.value_or_none(parts.get("code"))
    return isinstance(code, int) and not isinstance(code, bool) and string(parts.get("message")) is not None


def _key(text: bytes) -> str:
    return string(text) or ""


def _parts(text: bytes) -> Iterator[bytes]:
    """The texts on the first level of a valid array or object: items, or keys and values by turns."""
    depth, start = 0, 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in (b"]", b"}"):
            depth -= 1
        if (depth == 1 and mark in (b",", b":")) or (depth == 0 and mark in (b"]", b"}")):
            if part := text[start : token.start()].strip():
                yield part
            start = token.end()
        if mark in (b"[", b"{"):
            depth += 1
            if depth == 1:
                start = token.end()
