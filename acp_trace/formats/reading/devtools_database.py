"""The database of acp-devtools -> its sessions with their messages. Pure: the bytes are opened in memory.

Nobody knows who made the file. So only plain columns of plain tables are read, without an index and without
an order of SQLite's: nothing that the file defines is computed. What a damaged page holds is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from acp_trace.formats.reading import sqlite_wal
from acp_trace.formats.reading.devtools_rows import MessageRow, SessionRows

_SESSIONS = ("id", "started_at", "agent_command", "name")
_MESSAGES = ("session_id", "seq", "timestamp", "direction", "raw", "payload_json")
#: Of the second table, without which there is nothing to read.
_NEEDED = ("timestamp", "direction", "raw")
#: A row needs so many bytes of its file at least: a damaged file can count its pages many times.
_SMALLEST_ROW = 16
#: A message of SQLite's that quotes bytes of the file may be no UTF-8.
_DAMAGED = (sqlite3.Error, UnicodeDecodeError)


class DamagedDatabase(Exception):
    """The database cannot be read, or is not one of acp-devtools. The message says which, in one line."""


def is_database(data: bytes) -> bool:
    """Whether the bytes are a database, or the log of one, that seems to have the tables."""
    begins = data.startswith(sqlite_wal.DATABASE) or sqlite_wal.is_wal(data)
    return begins and b"payload_json" in data and b"sessions" in data


def sessions_in(database: bytes, wal: bytes, where: str) -> tuple[list[SessionRows], str]:
    """All sessions, in the order of their ids, and what is damaged, if something is.

    Raises DamagedDatabase.
    """
    waits = not wal and sqlite_wal.is_waiting(database)
    image = sqlite_wal.plain(sqlite_wal.applied(database, wal))
    hint = "; what its tool wrote last is in the file with the same name and -wal" if waits else ""
    if not hasattr(sqlite3.Connection, "deserialize"):
        raise DamagedDatabase("this Python cannot read a database in memory")
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.text_factory = bytes
            connection.deserialize(image)
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, len(image) + 1_000_000)
            return _sessions(connection, len(image) // _SMALLEST_ROW, where, hint)
    except (*_DAMAGED, OverflowError, MemoryError):
        raise DamagedDatabase("the database is damaged") from None


def _sessions(
    connection: sqlite3.Connection, most: int, where: str, hint: str
) -> tuple[list[SessionRows], str]:
    if any(name not in _columns(connection, "messages") for name in _NEEDED):
        raise DamagedDatabase(f"the database has no messages{hint}")
    sessions: dict[object, SessionRows] = {}
    damage: list[str] = []
    for row in _rows(connection, "sessions", _SESSIONS, most, damage):
        labels = {"name": _text(row["name"])}
        sessions[row["id"]] = SessionRows(
            _spelt(row["id"]), _integer(row["started_at"]), _text(row["agent_command"]), labels
        )
    for n, row in enumerate(_rows(connection, "messages", _MESSAGES, most, damage), 1):
        session = sessions.setdefault(row["session_id"], SessionRows(_spelt(row["session_id"])))
        session.messages.append(
            MessageRow(
                f"{where}row {n}",
                _integer(row["seq"]),
                _integer(row["timestamp"]),
                _text(row["direction"]),
                row["raw"] if isinstance(row["raw"], bytes) else None,
                row["payload_json"] if isinstance(row["payload_json"], bytes) else None,
            )
        )
    in_order = sorted(
        sessions, key=lambda key: (not isinstance(key, int), key if isinstance(key, int) else 0)
    )
    return [sessions[key] for key in in_order], "; ".join(dict.fromkeys(damage))


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    """The plain columns of a plain table; none if it is a view, computed, or not there."""
    plain = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND rootpage > 0", (table,)
    )
    if plain.fetchone() is None:
        return []
    columns = connection.execute(f"PRAGMA table_xinfo({table})").fetchall()
    return [_text(column[1]) for column in columns if column[6] == 0]


def _rows(
    connection: sqlite3.Connection, table: str, names: tuple[str, ...], most: int, damage: list[str]
) -> Iterator[dict[str, Any]]:
    """The rows up to the first that is damaged; what a schema does not have is None."""
    has = _columns(connection, table)
    wanted = ", ".join(name if name in has else "NULL" for name in names)
    if not any(name in has for name in names):
        return
    try:
        for n, row in enumerate(connection.execute(f"SELECT {wanted} FROM {table} NOT INDEXED")):
            if n >= most:
                damage.append(f"more {table} than the file can hold")
                return
            yield dict(zip(names, row, strict=True))
    except _DAMAGED:
        damage.append(f"a part of the {table} is damaged")


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and abs(value) < 2**53 else None


def _spelt(id: object) -> str:
    return _text(id) if isinstance(id, bytes) else str(id)
