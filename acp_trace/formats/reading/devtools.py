r"""acp-devtools: its database (SQLite, schemas 1 to 4), and the JSON that it exports of one session.

Learned from its sources (0.4.0, packages/core/src/storage). It keeps each line as text, without a `\r` at
its end and without blank lines; bytes that are not UTF-8 are U+FFFD there. Its export replaces secrets with
`<REDACTED>`, and rewrites those lines. Times are of the wall clock, in ms. `devtools_database` reads the
database.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from acp_trace.formats.reading import json_parts
from acp_trace.formats.reading.devtools_database import (
    DATABASE,
    DamagedDatabase,
    is_database,
    is_wal,
    sessions_in,
)
from acp_trace.formats.reading.devtools_rows import MessageRow, SessionRows
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent, Unused
from acp_trace.trace import jsontext
from acp_trace.trace.entries import Sender
from acp_trace.trace.jsontext import as_integer, as_object, as_string

NAME = "acp-devtools"
_SENDERS: dict[str, Sender] = {"editor-to-agent": "client", "agent-to-editor": "agent"}
#: What its export puts in the place of a secret.
_REDACTED = b"<REDACTED>"
_WANTED = "no database or export of acp-devtools"
#: ms since 1970: in 2255. A later one is a mistake, and in ns it fits no column.
_LATEST_MS = 9_000_000_000_000


def recognises(files: Sequence[File]) -> bool:
    """Whether one of the files is such a database, or such an export."""
    return any(is_database(file.data) or _export(file.data) is not None for file in files)


def read(files: Sequence[File]) -> list[Log]:
    """A log for each session that has messages. `FILE-wal`, the log of a database, is read with its FILE."""
    sessions: list[SessionRows] = []
    unused: list[Unused] = []
    for file in files:
        where = f"{file.name}: " if len(files) > 1 else ""
        if file.data.startswith(DATABASE):
            sessions += _of_database(file, _wal_of(file, files), where, unused)
        elif is_wal(file.data):
            if _is_alone(file, files):
                sessions += _of_database(File(file.name, b""), file.data, where, unused)
        elif (export := _export(file.data)) is not None:
            sessions.append(_exported(export, where))
        else:
            unused.append(Unused(file.name, _WANTED))
    logs = [_log(session, unused) for session in sessions]
    logs = [log for log in logs if log.messages]
    if not logs:
        why = next((each.why for each in unused if each.why != _WANTED), "")
        raise NotThisFormat(f"acp-devtools: {why}" if why else f"{_WANTED}, or one without messages")
    logs[0].unused[:0] = unused
    return logs


def _wal_of(file: File, files: Sequence[File]) -> bytes:
    """The log beside a database: the one of its name, or the only one there is."""
    logs = [each for each in files if is_wal(each.data)]
    named = [each.data for each in logs if each.name == f"{file.name}-wal"]
    databases = sum(each.data.startswith(DATABASE) for each in files)
    alone = [each.data for each in logs] if len(logs) == databases == 1 else []
    return next(iter(named or alone), b"")


def _is_alone(wal: File, files: Sequence[File]) -> bool:
    return all(_wal_of(each, files) is not wal.data for each in files if each.data.startswith(DATABASE))


def _of_database(file: File, wal: bytes, where: str, unused: list[Unused]) -> list[SessionRows]:
    try:
        sessions, damage = sessions_in(file.data, wal, where)
    except DamagedDatabase as error:
        unused.append(Unused(file.name, str(error)))
        return []
    if damage:
        unused.append(Unused(file.name, damage))
    return sessions


def _export(data: bytes) -> dict[str, Any] | None:
    """The document of an export; None if this is none."""
    if b'"messages"' not in data or b'"session"' not in data:
        return None
    value = jsontext.value_or_none(data)
    if not isinstance(value, dict) or not isinstance(value.get("session"), dict):
        return None
    messages = value.get("messages")
    is_ours = isinstance(value.get("tool"), dict) or as_integer(value.get("version")) is not None
    return value if is_ours and isinstance(messages, list) else None


def _exported(export: dict[str, Any], where: str) -> SessionRows:
    words = export["session"]
    tool = as_object(export.get("tool"))
    session = SessionRows(
        id=str(words.get("id", "")),
        started_ms=as_integer(words.get("startedAt")),
        command=as_string(words.get("agentCommand")),
        labels={"tool_version": as_string(tool.get("version")), "name": as_string(words.get("name"))},
    )
    for n, given in enumerate(export["messages"], 1):
        item = as_object(given)
        raw = item.get("raw")
        payload = item.get("payload")
        session.messages.append(
            MessageRow(
                f"{where}item {n}",
                as_integer(item.get("seq")),
                as_integer(item.get("timestamp")),
                as_string(item.get("direction")),
                raw.encode() if isinstance(raw, str) else None,
                jsontext.text(payload) if isinstance(payload, dict) else None,
            )
        )
    return session


def _log(session: SessionRows, unused: list[Unused]) -> Log:
    """What a session has; one without messages is counted in `unused`."""
    log = Log(argv=tuple(session.command.split()), transport="stdio", verbatim=True)
    log.labels = {name: text for name, text in {"session": session.id, **session.labels}.items() if text}
    usable = list(_usable(session.messages, log))
    if not usable:
        unused += log.unused or [Unused(f"session {session.id}", "has no messages")]
        return log
    first_ms = min(ms for _, ms, _ in usable)
    started_ms = session.started_ms
    if started_ms is None or not 0 <= started_ms <= first_ms:
        started_ms = first_ms
    log.started_ns = started_ms * 1_000_000
    t = 0
    for sender, ms, data in usable:
        t = max(t, (ms - started_ms) * 1_000_000)  # a wall clock may be set back
        log.messages.append(Sent(data, sender, t))
    return log


def _usable(messages: Iterable[MessageRow], log: Log) -> Iterable[tuple[Sender, int, bytes]]:
    """Sender, ms and line of those that have all three, in their order; of the others, what they lack."""
    in_order = sorted(messages, key=lambda message: (message.seq is None, message.seq or 0))
    for message in in_order:
        data = message.raw if message.raw is not None else message.payload
        if message.raw is None or _REDACTED in message.raw:
            log.verbatim = False
        if data is not None and b"\n" in data and jsontext.is_json(data):
            data, log.verbatim = json_parts.compact(data), False
        sender = _SENDERS.get(message.direction)
        if data is None or b"\n" in data:
            log.unused.append(Unused(message.where, "has no line of a message"))
        elif sender is None:
            log.unused.append(Unused(message.where, "names neither side as its sender"))
        elif message.ms is None or not 0 <= message.ms < _LATEST_MS:
            log.unused.append(Unused(message.where, "has no time"))
        else:
            yield sender, message.ms, data
