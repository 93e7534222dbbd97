"""acp-devtools' databases and exports become logs, whatever state they are in."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from acp_trace.formats.reading import devtools
from acp_trace.formats.reading.log import File, Log, NotThisFormat, Sent
from tests.formats.reading.comparing import facts_without_times, lines_of, mutated, read_or_refused, sample

_DB = sample("acp-devtools/captures.db.gz")
_WAL = sample("acp-devtools/captures.db-wal.gz")
_EXPORT = sample("acp-devtools/session2.json")
_FIRST_SCHEMA = """
    CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, agent_command TEXT,
        started_at INTEGER NOT NULL, ended_at INTEGER);
    CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id INTEGER NOT NULL, seq INTEGER NOT NULL,
        timestamp INTEGER NOT NULL, direction TEXT NOT NULL, kind TEXT NOT NULL, method TEXT, rpc_id TEXT,
        raw TEXT NOT NULL, payload_json TEXT, parse_error TEXT);
"""
_T0 = 1_700_000_000_000


def _read(*files: tuple[str, bytes]) -> list[Log]:
    named = [File(*file) for file in files]
    assert devtools.recognises(named)
    return devtools.read(named)


def _database(*statements: str, schema: str = _FIRST_SCHEMA) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema + ";".join(statements))
        return connection.serialize()


def _message(
    session: object = 1, seq: object = 1, ms: object = _T0, side: str = "editor-to-agent", raw: str = "'{}'"
) -> str:
    columns = "session_id, seq, timestamp, direction, kind, raw"
    return f"INSERT INTO messages ({columns}) VALUES ({session}, {seq}, {ms}, '{side}', 'unknown', {raw})"


def _session(id: int = 1, started: object = _T0) -> str:
    return f"INSERT INTO sessions (id, name, agent_command, started_at) VALUES ({id}, 'n', 'my agent', {started})"


def _exported(*messages: Any, **session: Any) -> bytes:
    tool = {"name": "acp-devtools", "version": "0.4.0"}
    words = {"id": 7, "name": None, "agentCommand": None, "startedAt": _T0, "endedAt": None, **session}
    return json.dumps(
        {"version": 1, "exportedAt": _T0, "tool": tool, "session": words, "messages": messages}
    ).encode()


def _item(**changes: Any) -> dict[str, Any]:
    item = {
        "seq": 1,
        "timestamp": _T0,
        "direction": "agent-to-editor",
        "kind": "unknown",
        "raw": "{}",
        "payload": {},
    }
    return item | changes


def test_a_session_is_as_we_recorded_it() -> None:
    """Real: all facts but times are equal; each line, its sender and its session are there."""
    first, second = _read(("captures.db", _DB), ("captures.db-wal", _WAL))
    recorded = sample("acp-devtools/recorded1.jsonl")
    assert facts_without_times(lines_of(first)) == facts_without_times(recorded)
    assert (first.argv, first.labels) == (("node", "agent.js"), {"session": "1", "name": "first try"})
    assert first.started_ns is not None
    assert (first.started_ns // 10**9, first.verbatim, first.ordered, first.unused) == (
        1795420932,
        True,
        True,
        [],
    )
    times = [message.t for message in first.messages]
    assert times == sorted(times, key=lambda t: t or 0)
    assert 6 * 10**9 < (times[-1] or 0) < 8 * 10**9
    assert second.argv == ("python3", "odd.py")


def test_what_the_tool_loses_of_odd_lines() -> None:
    """Real: blank lines are not there, bytes that are not UTF-8 are U+FFFD, and a carriage return at the end is gone."""
    [log] = _read(("captures.db-wal", _WAL), ("captures.db", _DB))[1:]
    assert [message.data for message in log.messages][1:] == [
        b"plain text",
        b'{"jsonrpc":"2.0","id":1.0,"result":{"a":1e2,"b":"\\u00e9\xc3\xa9","a":2}}',
        "\ufffd\ufffd".encode(),
        b"[1, 2]",
        b'{"id":"x","result":null}',
    ]


def test_a_database_without_its_log() -> None:
    """What had been written into the database itself is there; no more."""
    [log] = _read(("captures.db", _DB))
    assert (log.labels["session"], len(log.messages)) == ("1", 21)


def test_a_database_that_is_all_in_its_log() -> None:
    """As the tool leaves it after its first session: the database alone has no tables, and the error says where they are."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("PRAGMA user_version = 1")
        empty = connection.serialize()
    waiting = empty[:18] + b"\x02\x02" + empty[20:]
    with pytest.raises(
        NotThisFormat, match=r"no messages; what its tool wrote last is in the file .* and -wal"
    ):
        devtools.read([File("a.db", waiting)])
    with pytest.raises(NotThisFormat, match=r"no messages$"):
        devtools.read([File("a.db", empty)])


def test_a_log_that_ends_within_a_frame() -> None:
    """What was committed before is there; a frame with a wrong checksum ends the log as well."""
    broken = _WAL[:-2000] + bytes([_WAL[-2000] ^ 1]) + _WAL[-1999:]
    counts = [
        sum(len(log.messages) for log in _read(("a", _DB), ("a-wal", wal)))
        for wal in (_WAL, broken, _WAL[:-1000], _WAL[:-60_000], _WAL[:40])
    ]
    assert counts == [27, 27, 27, 23, 21]


def test_a_log_alone(tmp_path: Path) -> None:
    """Every page is in it where its tool never moved one."""
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.executescript(f"PRAGMA journal_mode = WAL; {_FIRST_SCHEMA}; {_session()}; {_message()}")
        wal = (tmp_path / "a.db-wal").read_bytes()
    [log] = _read(("a.db-wal", wal))
    assert log.messages == [Sent(b"{}", "client", 0)]


def test_a_log_that_lies_about_its_size() -> None:
    """A commit that says the database has four billion pages: the rest ends there, and nothing becomes so long."""
    huge = _WAL[:36] + b"\xff" * 4 + _WAL[40:]
    assert sum(len(log.messages) for log in _read(("a", _DB), ("a-wal", huge))) == 21


def test_an_export() -> None:
    """Real: it says which version wrote it; what it redacted it wrote anew, so it is not verbatim."""
    [log] = _read(("-", _EXPORT))
    [database] = _read(("captures.db", _DB), ("captures.db-wal", _WAL))[1:]
    assert log.labels == {"session": "2", "tool_version": "0.4.0"}
    assert log.messages[1:] == database.messages[1:]
    assert b"<REDACTED>" in log.messages[0].data
    assert (log.verbatim, database.verbatim) == (False, True)
    assert log.started_ns == database.started_ns


def test_an_older_schema() -> None:
    """The first one had neither a client's name nor versions; an agent's command is split at its spaces."""
    [log] = _read(("old.db", _database(_session(), _message())))
    assert log.messages == [Sent(b"{}", "client", 0)]
    assert (log.argv, log.labels) == (("my", "agent"), {"session": "1", "name": "n"})


def test_messages_are_in_the_order_of_their_numbers() -> None:
    """Not in that of the rows; one without a number is last. A clock that was set back does not turn time back."""
    rows = [
        _message(seq=2, ms=_T0 + 1, raw="'2'"),
        _message(seq=1, ms=_T0 + 5, raw="'1'"),
        _message(seq="'x'", ms=_T0 + 9, raw="'3'"),
    ]
    [log] = _read(("a.db", _database(_session(), *rows)))
    assert [(message.data, message.t) for message in log.messages] == [
        (b"1", 5_000_000),
        (b"2", 5_000_000),
        (b"3", 9_000_000),
    ]


@pytest.mark.parametrize("started", [_T0 + 99, "'soon'", -1])
def test_a_start_that_cannot_be(started: object) -> None:
    """Behind the first message, or no number: then the first message is the start."""
    [log] = _read(("a.db", _database(_session(started=started), _message(ms=_T0 + 5))))
    assert (log.started_ns, log.messages[0].t) == ((_T0 + 5) * 1_000_000, 0)


def test_rows_that_cannot_be_used_are_counted() -> None:
    """Each with its reason; the others are there."""
    rows = [
        _message(side="up"),
        _message(ms="'now'"),
        _message(ms=1 << 60),
        _message(raw="'a' || char(10) || 'b'"),
        _message(raw="'{' || char(10) || '}'"),
    ]
    [log] = _read(("a.db", _database(_session(), *rows)))
    assert [message.data for message in log.messages] == [b"{}"]
    assert not log.verbatim
    assert [each.where for each in log.unused] == ["row 1", "row 2", "row 3", "row 4"]
    assert [each.why for each in log.unused] == [
        "names neither side as its sender",
        "has no time",
        "has no time",
        "has no line of a message",
    ]


def test_sessions_without_messages_and_messages_without_a_session() -> None:
    """The first are counted, the second are a log of their own."""
    one, two = _read(("a.db", _database(_session(1), _session(2), _message(session=1), _message(session=9))))
    assert [each[:2] for each in one.unused] == [("session 2", "has no messages")]
    assert (two.labels, two.argv) == ({"session": "9"}, ())
    with pytest.raises(NotThisFormat, match="has no messages"):
        devtools.read([File("a.db", _database(_session(1)))])


def test_several_files() -> None:
    """Databases, exports and others in one go: where something is names its file."""
    bad = _item(direction="up")
    logs = _read(("a.db", _database(_message())), ("b.json", _exported(_item(), bad, 7)), ("c.txt", b"hello"))
    assert len(logs) == 2
    assert [each.where for each in logs[0].unused] == ["c.txt"]
    assert [each.where for each in logs[1].unused] == ["b.json: item 2", "b.json: item 3"]


def test_an_item_without_its_line() -> None:
    """Its parsed form is taken, and it is not called verbatim."""
    [log] = _read(("-", _exported(_item(raw=None, payload={"id": 1}))))
    assert (log.messages, log.verbatim) == ([Sent(b'{"id":1}', "agent", 0)], False)


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("CREATE TABLE other (x)", "no messages"),
        ("CREATE VIEW messages AS SELECT 1 AS timestamp, 2 AS direction, 3 AS raw", "no messages"),
        ("CREATE TABLE messages (timestamp, direction, raw AS (hex(zeroblob(1000000000))))", "no messages"),
        ("CREATE TABLE messages (timestamp, direction)", "no messages"),
    ],
)
def test_databases_of_other_tools_and_of_nobody(schema: str, why: str) -> None:
    """Nothing that a file defines is computed."""
    with pytest.raises(NotThisFormat, match=why):
        devtools.read([File("a.db", _database(schema=schema))])


def test_a_damaged_database() -> None:
    """What is before the damage is there, and the damage is said."""
    rows = [_message(seq=n, raw=f"'{n:3000}'") for n in range(50)]
    data = _database(_session(), *rows)
    [log] = _read(("a.db", data[: len(data) * 2 // 3]))
    assert 0 < len(log.messages) < 50
    assert "damaged" in log.unused[0].why
    with pytest.raises(NotThisFormat, match="damaged"):
        devtools.read([File("a.db", data[:700])])


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b'{"session":{},"messages":[]}', b"SQLite format 3\0", _EXPORT[:-100], b"7\x7f\x06\x82"],
)
def test_what_is_not_recognised(data: bytes) -> None:
    """Nor read."""
    assert not devtools.recognises([File("-", data)])
    with pytest.raises(NotThisFormat):
        devtools.read([File("-", data)])


_CHANGES = st.lists(
    st.tuples(st.integers(0, 1 << 20), st.integers(0, 40), st.binary(max_size=20)), min_size=1, max_size=6
)


@given(st.binary(max_size=300) | _CHANGES.map(lambda changes: mutated(_EXPORT, changes)))
@example(b"SQLite format 3\0" + b"\0" * 100)
def test_any_bytes_as_an_export(data: bytes) -> None:
    """They are refused, or read with the promises kept."""
    read_or_refused(devtools, [File("-", data)])


@settings(max_examples=60)
@given(_CHANGES, _CHANGES)
def test_any_change_of_a_database(
    changes: list[tuple[int, int, bytes]], of_log: list[tuple[int, int, bytes]]
) -> None:
    """Of its log, too."""
    read_or_refused(devtools, [File("a", mutated(_DB, changes)), File("a-wal", mutated(_WAL, of_log))])
    read_or_refused(devtools, [File("a", mutated(_DB, changes))])
    read_or_refused(devtools, [File("a-wal", mutated(_WAL, of_log))])


@given(st.lists(st.tuples(st.integers(0, 7000), st.integers(1, 255)), min_size=1, max_size=8))
def test_any_flipped_bytes_of_a_database(flips: list[tuple[int, int]]) -> None:
    """Sizes stay as they are, so SQLite looks further."""
    data = bytearray(_DB)
    for at, by in flips:
        data[at * 5] ^= by
    read_or_refused(devtools, [File("a", bytes(data))])
