"""Zed's view of ACP logs (`dev: open acp logs`), its button "Copy All": an array of objects, pretty-printed.

    {"_direction": "incoming", "_type": "response", "id": 1, "method": "initialize", "params": {…}}

- `incoming` is from the agent. A third direction, `stderr`, has the line as `params` (Zed, since 2026).
- A response has the method of its request, or `[unrecognized response]`, and *both* its result and its error
  under `params`: their shapes distinguish them.
  - Params that a message lacks are null, and so is a notification's id.
- There are no times. What was before the view was opened, or before the last 2,000 messages, may be missing.

Learned from zed-industries/zed, crates/acp_tools/src/acp_tools.rs (2025-08 to 2026-08).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from acp_trace.formats.reading import connections, json_parts, pasted, text_lines
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Said, Sent, Unused
from acp_trace.trace import jsontext
from acp_trace.trace.entries import OTHER_SIDE, Sender

NAME = "zed"

_SENDERS: dict[str, Sender] = {"incoming": "agent", "outgoing": "client"}
_STDERR = "stderr"
#: An early version wrote another word, the same one for all.
_KINDS = ("request", "response", "notification")
#: Who called, the id and the method, as JSON texts.
_Call = tuple[str, bytes, bytes]
_KEYS = ("_direction", "_type")
_PASTED = 100_000  #: bytes in which what was copied begins
_ITEM = re.compile(r'\{\s*"_direction"')
_FIRST = re.compile(rb'\{\s*"_direction"')
_LIST = re.compile(rb'\s*\[\s*\{\s*"_direction"')
_HEAD = 2000


def recognises(files: Sequence[File]) -> bool:
    """Arrays whose first object has a direction and a type, as only Zed names them."""
    return bool(files) and all(_is_array(_copied(file)) for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each array: Zed's view shows one connection at a time. Parts of a log are joined."""
    logs: list[Log] = []
    for log in (_read(files, file) for file in sorted(files, key=_place)):
        if logs and connections.continues(log, logs[-1]):
            logs[-1].messages += log.messages
            logs[-1].unused += log.unused
        elif log.messages:
            logs.append(log)
    if not logs:
        raise NotThisFormat("looked for an array of messages with `_direction` and `_type`: Zed's Copy All")
    return logs


def _place(file: File) -> list[tuple[int, str]]:
    """Orders `part-2` before `part-10`."""
    words = re.split(r"(\d{1,18})", file.name)
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in words]


def _copied(file: File) -> bytes:
    """What was copied: people paste it into other text, or leave the outer brackets out."""
    data = text_lines.utf_8(file.data)
    if _LIST.match(data):
        return data
    if b">" in data[:_PASTED]:
        data = pasted.undone(data.decode("utf-8", "replace")).encode("utf-8", "replace")
    first = _FIRST.search(data[:_PASTED])
    return data if first is None else b"[" + data[first.start() : data.rfind(b"}") + 1] + b"]"


def _is_array(data: bytes) -> bool:
    head = data[:_HEAD].lstrip()
    return head[:1] == b"[" and all(b'"%b"' % key.encode() in head for key in _KEYS)


def _read(files: Sequence[File], file: File) -> Log:
    log = Log(transport="stdio")
    asked: set[_Call] = set()
    before = "" if len(files) == 1 else f"{file.name}: "
    for number, (text, is_json) in enumerate(_items(_copied(file)), 1):
        found = _message(text, asked) if is_json else "is not JSON"
        if isinstance(found, str):
            log.unused.append(Unused(f"{before}item {number}", found))
        else:
            log.messages.append(found)
    return log


def _message(text: bytes, asked: set[_Call]) -> Sent | Said | str:
    """Returns the message of an item, or why it has no message. `asked`: the calls before it."""
    parts = json_parts.members(text)
    if parts is None:
        return "is not an object"
    direction, kind = (json_parts.string(parts.get(key)) for key in _KEYS)
    payload = parts.get("params", b"null")
    if direction == _STDERR:
        line = json_parts.string(payload)
        return "has no text" if line is None else Said(line.replace("\n", "\\n").encode())
    sender = _SENDERS.get(direction or "")
    if sender is None:
        return "has no direction"
    id_, method = parts.get("id", b"null"), parts.get("method", b"null")
    if kind not in _KINDS:
        is_answer = (OTHER_SIDE[sender], id_, method) in asked
        kind = "response" if is_answer else "notification" if id_ == b"null" else "request"
    asked.add((sender, id_, method))
    if kind == "response":
        is_error = json_parts.looks_like_error(payload)
        return Sent(json_parts.response(id_, payload, is_error=is_error), sender)
    if json_parts.string(method) is None:
        return "is neither a request nor a notification nor a response"
    return Sent(json_parts.request(method, payload, id_ if kind == "request" else None), sender)


def _items(data: bytes) -> Iterator[tuple[bytes, bool]]:
    """The text of each item, and whether it is JSON. Damage costs only the items that it hits."""
    items = json_parts.items(data)
    if items is not None:
        yield from ((item, True) for item in items)
        return
    if data.lstrip()[:1] != b"[" or jsontext.is_too_deep(data):
        return
    text = data.decode("utf-8", "replace")
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
            is_json = True
        except (ValueError, RecursionError):
            following = _ITEM.search(text, at + 1)
            end = following.start() if following else len(text)
            is_json = False
        yield text[at:end].encode("utf-8", "replace"), is_json
        at = text.find("{", end)
