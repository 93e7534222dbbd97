"""The database of acp-devtools -> its sessions with their messages.

A tool that does not close its database leaves nearly everything in the log beside it (`FILE-wal`). SQLite
reads that of files only, so it gets a copy in a scratch directory. The file may come from anyone, so only
plain columns of plain tables are read, without an index and without an order of SQLite's. Nothing that it
defines is computed. What a damaged page holds is left out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from acp_trace.formats.reading.devtools_rows import MessageRow, SessionRows
from acp_trace.trace.os_errors import reason

#: How a database begins, and how its log does: https://www.sqlite.org/fileformat2.html, 1.3 and 4.1.
DATABASE = b"SQLite format 3\0"
_LOGS = (bytes.fromhex("377f0682"), bytes.fromhex("377f0683"))
#: Where a database says whether it has a log (2) or not (1); how long a page is, and how many there are.
_MODES, _PAGE_SIZE, _PAGES = slice(18, 20), slice(16, 18), slice(28, 32)
#: SQLite throws a log away that lies beside no page at all.
_SMALLEST_PAGE = bytes(512)

_SESSIONS = ("id", "started_at", "agent_command", "name")
_MESSAGES = ("session_id", "seq", "timestamp", "direction", "raw", "payload_json")
#: Of the second table, without which there is nothing to read.
_NEEDED = ("timestamp", "direction", "raw")
#: The fewest bytes of its file that a row needs: a damaged file can count its pages many times.
_SMALLEST_ROW = 16
#: A message from SQLite that quotes bytes of the file may not be UTF-8.
_DAMAGED = (sqlite3.Error, UnicodeDecodeError)


class DamagedDatabase(Exception):
    """The database cannot be read, or is not one of acp-devtools. The message says which, in one line."""


def is_database(data: bytes) -> bool:
    """Whether the bytes are a database, or the log of one, that seems to have the tables."""
    begins = data.startswith(DATABASE) or is_wal(data)
    return begins and b"payload_json" in data and b"sessions" in data


def is_wal(data: bytes) -> bool:
    """Whether the bytes begin as the log of a database does."""
    return data.startswith(_LOGS)


def sessions_in(database: bytes, wal: bytes, where: str) -> tuple[list[SessionRows], str]:
    """All sessions, in the order of their ids, and the damage, if any.

    No bytes of a database: all of it is in its log. Raises DamagedDatabase.
    """
    waits = not wal and database[_MODES] == b"\x02\x02"
    hint = "; what its tool wrote last is in the file with the same name and -wal" if waits else ""
    size = len(database) + len(wal)
    try:
        with _opened(database, wal) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, size + 1_000_000)
            return _sessions(connection, size // _SMALLEST_ROW, where, hint)
    except (*_DAMAGED, OverflowError, MemoryError):
        raise DamagedDatabase("the database is damaged") from None
    except OSError as error:
        raise DamagedDatabase(f"the database cannot be copied: {reason(error)}") from None


@contextmanager
def _opened(database: bytes, wal: bytes) -> Iterator[sqlite3.Connection]:
    """A copy, read only, so that SQLite never makes it as long as a log says. Text stays bytes."""
    with TemporaryDirectory(prefix="acp-trace-") as scratch:
        path = Path(scratch, "copy.db")
        path.write_bytes(_counted(database) or _SMALLEST_PAGE)
        if wal:
            path.with_name("copy.db-wal").write_bytes(wal)
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            connection.execute("PRAGMA trusted_schema = OFF")
            yield connection


def _counted(database: bytes) -> bytes:
    """The database with no more pages than are there: of one that is cut off, these can be read."""
    there = len(database) // (int.from_bytes(database[_PAGE_SIZE], "big") or 1)
    if int.from_bytes(database[_PAGES], "big") <= there:
        return database
    return database[: _PAGES.start] + there.to_bytes(4, "big") + database[_PAGES.stop :]


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
