"""Strings of an entry that are pieces of a longer text: chunks of a message, output of a tool, lines.

A table of what comes in pieces, and how texts are distinguished. `joiner` puts them together.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from acp_trace.protocol.methods import UPDATE
from acp_trace.protocol.payloads import ParamsView
from acp_trace.redact.kept import is_kept
from acp_trace.redact.places import StringPlace
from acp_trace.redact.secret_names import words
from acp_trace.trace.capture_lines import LONGEST_LOG
from acp_trace.trace.entries import Entry, EntryKind
from acp_trace.trace.jsontext import as_object, object_in, value_or_none

#: Kinds of session/update whose `content.text` continues in the next update of the same message.
_CHUNKS = words(
    "agent_message_chunk agent_thought_chunk user_message_chunk compaction_summary_chunk "
    "session_message_chunk"
)
#: Kinds in which any string may continue: output of tools, in whatever member an agent puts it.
_OUTPUTS = words("tool_call tool_call_update tool_call_content_chunk terminal_update terminal_output_chunk")
_ALL = _CHUNKS | _OUTPUTS
_IDS = ("messageId", "toolCallId", "terminalId")
_LINES = {EntryKind.TEXT: "text", EntryKind.LOG: "log"}


class Piece:
    """One string. `cuts` is set once it is known what is removed from it: see `joiner`.

    `may_go_on`: the next piece is another line, or the rest of this long line.
    """

    __slots__ = ("cuts", "final", "may_go_on", "path", "plain", "text")

    def __init__(self, path: tuple[str | int | None, ...], text: str, *, may_go_on: bool = False) -> None:
        self.path, self.text, self.may_go_on = path, text, may_go_on
        self.final = False
        self.plain = False  #: it contains nothing of interest by itself
        self.cuts: list[Any] = []


class PieceOfText(NamedTuple):
    """A piece, the text that it belongs to, and its relation to that text."""

    key: tuple[object, ...]
    piece: Piece
    separator: str = ""
    #: A text that begins with the previous one replaces it, and does not continue it.
    grows: bool = False


class _Content(msgspec.Struct, gc=False):
    text: str


class _Chunk(msgspec.Struct, gc=False):
    sessionUpdate: str  # noqa: N815  (the protocol's names)
    content: _Content
    messageId: str | None = None  # noqa: N815


class _ChunkParams(msgspec.Struct, gc=False):
    update: _Chunk
    sessionId: str = ""  # noqa: N815


class _ChunkFrame(msgspec.Struct, gc=False):
    params: _ChunkParams


_chunk = msgspec.json.Decoder(_ChunkFrame).decode
_TEXT = ("frame", "params", "update", "content", "text")
#: In every update with pieces, unless its kind has escapes.
_MAY_BE = re.compile(rb"_c(?:hunk|all)|terminal_|\\u")


def parts(entry: Entry, places: Sequence[StringPlace]) -> list[PieceOfText]:
    """Return the pieces in an entry; most entries have none."""
    if entry.kind is EntryKind.MODEL:
        return _received(entry)
    if entry.kind is not EntryKind.FRAME:
        name = _LINES.get(entry.kind)
        if name is None:
            return []
        text = entry.data.decode("utf-8", "replace")
        is_long = entry.kind is EntryKind.LOG and len(entry.data) > LONGEST_LOG
        return [PieceOfText((name, entry.sender), Piece((name,), text, may_go_on=is_long), "\n")]
    if len(places) != 1:
        mine = (place for place in places if place.method == UPDATE and not place.rules)
        return [part for place in mine for part in _strings(entry, place)]
    if places[0].method != UPDATE or places[0].rules:
        return []
    data = entry.data
    if not _MAY_BE.search(data):
        return []
    if places[0].base == ("frame",) and b"_chunk" in data:
        try:
            params = _chunk(data).params
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return list(_strings(entry, places[0]))
        update = params.update
        if update.sessionUpdate in _CHUNKS:
            key = (entry.sender, params.sessionId, update.sessionUpdate, update.messageId)
            return [PieceOfText(key, Piece(_TEXT, update.content.text))]
    return list(_strings(entry, places[0]))


def _received(entry: Entry) -> list[PieceOfText]:
    """Return a piece of a model's response."""
    event = object_in(entry.data)
    if not isinstance(text := event.get("received"), str):
        return []
    return [PieceOfText(("model", event.get("exchange")), Piece(("model", "received"), text))]


def _strings(entry: Entry, place: StringPlace) -> Iterator[PieceOfText]:
    """Yield every string of an update that may continue, by its path."""
    message = value_or_none(entry.data)
    for name in place.base[1:]:
        if isinstance(name, int):
            message = message[name] if isinstance(message, list) else None
        else:
            message = as_object(message).get(name)
    params = ParamsView(as_object(message).get("params"))
    update = params.update
    if update.session_update not in _ALL:
        return
    ids = [id_ for name in _IDS if isinstance(id_ := update.members.get(name), str)]
    key = (entry.sender, params.session_id, update.session_update, *ids)
    waiting: list[tuple[tuple[str | int, ...], Any]] = [(("params", "update"), update.members)]
    while waiting:
        above, value = waiting.pop()
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(inner, str):
                path = (*above, name)
                if not _is_kept(path):
                    yield PieceOfText((*key, path), Piece((*place.base, *path), inner), grows=True)
            elif isinstance(inner, dict | list):
                waiting.append(((*above, name), inner))


@lru_cache(1024)
def _is_kept(path: tuple[str | int, ...]) -> bool:
    """Whether it is kept, for all updates: they differ in little but their texts."""
    return is_kept(path, UPDATE)
