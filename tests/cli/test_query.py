"""`query`: values of every type, names of every kind, and an end by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from acp_trace.store import query
from acp_trace.trace import lock
from tests.support import ACP_TRACE, DEADLINE_S, TRACES, Home, stores_below, trace, until

_VALUES = (
    "SELECT MAP {1: 'one'} AS m, INTERVAL 3 DAY AS i, {'x': [1.5, 'NaN'::DOUBLE], 'b': '\\xFF'::BLOB} AS s, "
    "MAP {'k': INTERVAL 1 HOUR} AS n, [[1], NULL] AS l"
)


def test_values_that_json_does_not_have(home: Home) -> None:
    """Maps with keys of any type, spans of time, bytes and no numbers deep inside."""
    assert home.json("query", _VALUES) == [
        {
            "m": {"1": "one"},
            "i": "3 days, 0:00:00",
            "s": {"x": [1.5, None], "b": "/w=="},
            "n": {"k": "1:00:00"},
            "l": [[1], None],
        }
    ]
    table = home.run("query", _VALUES, COLUMNS="200").splitlines()
    assert [len(table), table[0].split()] == [2, ["m", "i", "s", "n", "l"]]
    assert table[1].startswith("{1: 'one'}  3 days, 0:00:00  {'x': [1.5, nan], 'b': b'\\xff'}")
    head, row = home.run("query", _VALUES, "--csv").splitlines()
    assert (head, row[:35]) == ("m,i,s,n,l", "{'1': 'one'},\"3 days, 0:00:00\",\"{'x")


@pytest.mark.parametrize(
    "sql", ["SELECT INTERVAL 3000000 YEAR", "SELECT INTERVAL 178956970 YEAR", "SELECT 1, 9223372036854775807 + 1"]
)  # fmt: skip
def test_values_that_do_not_fit(home: Home, sql: str) -> None:
    """A span of time longer than Python's, a sum longer than its column: said, with exit code 2."""
    for form in ("--json", "--csv"):
        done = home.outcome("query", sql, form)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr
        assert b"Traceback" not in done.stderr


def test_a_terminal_of_one_column(home: Home, tmp_path: Path) -> None:
    """It wraps as it likes; nothing is lost, and nothing breaks."""
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes(TRACES[0].read_bytes() + b"garbage\n")
    home.run("load", str(damaged))
    said = home.run("query", _VALUES, COLUMNS="1")
    assert "{1: 'one'}" in said.replace("\n", "").replace(" " * 3, "")
    for args in (["ls"], ["show"], ["frames", "last"], ["query", "--schema"]):
        assert home.run(*args, COLUMNS="1")


def _ticks(pid: int) -> int:
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return int(user) + int(system)


def _has_open(pid: int, path: Path) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        return any(os.readlink(f"{folder}/{fd}") == str(path) for fd in os.listdir(folder))
    except FileNotFoundError:
        return False


_HUGE = "FROM range(100000) a, range(100000) b, range(1000) c"


@pytest.mark.parametrize(
    ("sql", "form"),
    [
        (f"SELECT count(*) {_HUGE} WHERE a.range + b.range + c.range = -1", "--json"),
        (f"SELECT a.range {_HUGE} WHERE a.range + b.range + c.range = -1", "--csv"),
        (f"SELECT a.range {_HUGE}", "--csv"),
    ],
    ids=["working", "looking for rows", "giving rows"],
)
def test_ctrl_c_ends_a_query(home: Home, sql: str, form: str) -> None:
    """At once, with 130 and no word, wherever DuckDB and we are just then."""
    home.run("query", "SELECT 1")
    running = subprocess.Popen(
        [*ACP_TRACE, "query", sql, form],
        env=home.environment,
        stdout=subprocess.DEVNULL if form == "--csv" else subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until(lambda: _has_open(running.pid, home.store), "the store to be opened")
        busy = _ticks(running.pid) + 20
        until(lambda: _ticks(running.pid) > busy, "the query to run")
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=DEADLINE_S)
        assert (out or b"", err, running.returncode) == (b"", b"", 130)
    finally:
        running.kill()
        running.communicate()


#: Takes DuckDB minutes to plan, and it does not look for an interruption then.
_UNPLANNED = "SELECT " + "list_transform([1], lambda x: " * 150 + "1" + ")" * 150


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGTERM])
def test_a_signal_ends_a_query_that_duckdb_is_planning(home: Home, tmp_path: Path, number: int) -> None:
    """Soon, by that signal and without a word; no copy of a trace stays."""
    file = tmp_path / "t.jsonl"
    file.write_bytes(trace(("client", {"text": "SECRET"})))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    running = subprocess.Popen(
        [*ACP_TRACE, "query", _UNPLANNED, "--trace", str(file)],
        env={**home.environment, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        until(lambda: stores_below(scratch), "the store to be made")
        until(
            lambda: any(_has_open(running.pid, store) for store in stores_below(scratch)),
            "it to be opened",
        )
        busy = _ticks(running.pid) + 50
        until(lambda: _ticks(running.pid) > busy, "the query to be planned")
        running.send_signal(number)
        out, err = running.communicate(timeout=DEADLINE_S)
        ended = 130 if number == signal.SIGINT else -number
        assert (out, err, running.returncode) == (b"", b"", ended)
        assert not [one for one in scratch.rglob("*") if one.is_file() and b"SECRET" in one.read_bytes()]
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize(
    "raised", [OverflowError("too large"), ValueError("year 0 is out of range"), RuntimeError("odd")]
)
def test_what_is_raised_while_rows_are_fetched(raised: Exception) -> None:
    """Between two pages as in the statement itself."""

    class Connection:
        def fetchmany(self, _: int) -> list[tuple[Any, ...]]:
            raise raised

    connection: Any = Connection()
    with pytest.raises(query.BadQuery, match=str(raised)):
        list(query._rows(connection))


def test_columns_of_one_name(home: Home) -> None:
    """JSON keeps them all: the later ones get a number."""
    sql = "SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS a, 5 AS b"
    assert home.json("query", sql) == [{"a": 1, "a_3": 2, "a_2": 3, "a_4": 4, "b": 5}]
    assert home.json("query", "SELECT * FROM (SELECT 1 AS n) x, (SELECT 2 AS n) y") == [{"n": 1, "n_2": 2}]
    assert home.run("query", sql, "--csv").splitlines() == ["a,a,a_2,a,b", "1,2,3,4,5"]


def test_names_of_live_traces(home: Home) -> None:
    """They are those of files in the spool, and may be anything."""
    home.spool.mkdir(parents=True)
    path = home.spool / "live\x1b]0;owned\x07\u202e.jsonl"
    path.write_bytes(trace(("client", {}), end=False))
    with open(path) as stream:
        lock.hold(stream.fileno())
        said = home.outcome("query", "SELECT 1").stderr.decode()
    assert said == "acp-trace: still being recorded, so not in the store yet: live\\e]0;owned\\x07\\u202e\n"
