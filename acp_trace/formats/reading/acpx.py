"""acpx's journal of a session: `~/.acpx/sessions/ID.stream.ndjson`, and its older parts `ID.stream.N.ndjson`.

    {"schema":"acpx.session.journal.v1","type":"segment","record_id":"…","sequence":0,…}
    {"jsonrpc":"2.0","id":0,"method":"initialize","params":{…}}
    {"jsonrpc":"2.0","id":0,"result":{…}}

- Messages of both sides, parsed and rewritten by acpx, without direction and time. Lines with `schema` are
  its own (older versions have none): where a part begins in the journal, turns and their ends.
- The highest N is the oldest part, the one without N the newest. acpx keeps six.
- Only what belongs to a prompt is there: not what `acpx sessions new` and `acpx set-mode` say to the agent.
- acpx restarts an agent after some idle time: each start is its own connection.

Learned from openclaw/acpx, src/session-events.ts, and from acpx 0.19.1 itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from acp_trace.formats.reading import connections, directions, json_parts, text_lines
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.trace import jsontext

NAME = "acpx"

_SCHEMA = "acpx.session.journal."
_PART = re.compile(r"\.stream\.(\d{1,9})\.ndjson$")
_NEWEST = re.compile(r"\.stream\.ndjson$")
_MOST = 200


class _Part(NamedTuple):
    """One file: a part of a session's journal."""

    file: File
    lines: list[tuple[int, bytes, dict[str, bytes] | None]]  #: number, text, members if it is an object
    session: str  #: acpx's own id of it; empty: not said
    begins: int | None  #: how many lines of the journal are before it; None: not said


def recognises(files: Sequence[File]) -> bool:
    """Lines with acpx's schema; or messages of both sides, in one file."""
    if not text_lines.mostly(files, lambda line: _is_own(json_parts.members(line)) or _is_message(line), 0.9):
        return False  # a file with messages among other lines is a log of another tool
    return all(_has_schema(file) or _has_both_sides(file) for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each connection: of each session, in the order of its parts."""
    sessions: dict[str, list[_Part]] = {}
    for file in files:
        part = _part(file)
        sessions.setdefault(part.session, []).append(part)
    logs = [log for parts in sessions.values() for log in connections.split(_log(files, parts))]
    if not logs:
        raise NotThisFormat("looked for JSON-RPC messages, one a line: a `.stream.ndjson` of acpx")
    return logs


def _log(files: Sequence[File], parts: list[_Part]) -> Log:
    log = Log(transport="stdio", lacks=("some_client_calls",))
    if parts[0].session:
        log.labels["acpx_record"] = parts[0].session
    following = 0
    for part in sorted(parts, key=_place):
        if part.begins is not None:
            if missing := max(part.begins - following, 0):
                log.unused.append(
                    Unused(part.file.name, f"{missing} lines of the journal are missing before it")
                )
            following = part.begins
        for number, line, parts_of_line in part.lines:
            why = _why_unused(line, parts_of_line)
            if why:
                log.unused.append(Unused(text_lines.where(files, part.file, number), why))
            else:
                log.messages.append(Sent(line.strip(), None))
            following += not _is_anchor(parts_of_line)
    return log


def _why_unused(line: bytes, parts: dict[str, bytes] | None) -> str:
    if parts is None:
        return "is not JSON" if not jsontext.is_json(line) else "is not an object"
    if _is_own(parts):
        return "is a note of acpx, not a message"
    return "" if _is_call_or_response(parts) else "is not a message"


def _place(part: _Part) -> tuple[int, int]:
    """Where a part belongs: by the journal itself, or else by its file's name."""
    if part.begins is not None:
        return 0, part.begins
    if _NEWEST.search(part.file.name):
        return 2, 0
    number = _PART.search(part.file.name)
    return (1, -int(number[1])) if number else (3, 0)


def _part(file: File) -> _Part:
    lines = [(number, line, json_parts.members(line)) for number, line in text_lines.numbered(file.data)]
    anchor = next((parts for _, _, parts in lines if _is_anchor(parts)), {}) or {}
    begins = jsontext.as_integer(jsontext.value_or_none(anchor.get("sequence")))
    return _Part(file, lines, json_parts.string(anchor.get("record_id")) or "", begins)


def _is_own(parts: dict[str, bytes] | None) -> bool:
    return bool(parts) and (json_parts.string((parts or {}).get("schema")) or "").startswith(_SCHEMA)


def _is_anchor(parts: dict[str, bytes] | None) -> bool:
    return _is_own(parts) and (parts or {}).get("type") == b'"segment"'


def _is_call_or_response(parts: dict[str, bytes]) -> bool:
    return any(key in parts for key in ("method", "result", "error"))


def _is_message(line: bytes) -> bool:
    parts = json_parts.members(line)
    return parts is not None and parts.get("jsonrpc") == b'"2.0"' and _is_call_or_response(parts)


def _head(file: File) -> Iterator[bytes]:
    return (line for _, line in islice(text_lines.numbered(file.data), _MOST))


def _has_schema(file: File) -> bool:
    return any(_is_own(json_parts.members(line)) for line in _head(file))


def _has_both_sides(file: File) -> bool:
    """Whether a file has messages of both sides, unlike two files of one side each."""
    found = directions.infer(Log([Sent(line, None) for line in _head(file) if _is_message(line)]))
    return {item.sender for item in found.messages if isinstance(item, Sent)} == {"client", "agent"}
