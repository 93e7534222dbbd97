"""`query`: values of every type, and an end by Ctrl-C."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from acp_trace.store import query
from tests.support import DEADLINE_S, PYTHON, TRACES, Home

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


@pytest.mark.parametrize("place", ["execute", "fetchmany"])
def test_a_query_that_is_interrupted(home: Home, place: str) -> None:
    """130, and no word: DuckDB's own complaint about an interrupt is no error of the query."""
    code = (
        "import sys\n"
        "from contextlib import nullcontext\n"
        "from acp_trace.cli import main\n"
        "from acp_trace.store import query\n"
        "class Connection:\n"
        "    description = [('n',)]\n"
        "    def execute(self, sql): return stop('execute') if sql == 'SELECT 1' else None\n"
        "    def fetchmany(self, most): return stop('fetchmany')\n"
        "def stop(place):\n"
        "    if place == wanted: raise RuntimeError('Query interrupted')\n"
        "query.reading = lambda path: nullcontext(Connection())\n"
        "sys.argv[:1] = ['acp-trace', 'query', 'SELECT 1']\n"
        "wanted = sys.argv.pop()\n"
        "main()\n"
    )
    done = subprocess.run(
        [*PYTHON, "-c", code, "--json", place],
        env=home.environment, capture_output=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr, done.returncode) == (b"", b"", 130)


@pytest.mark.parametrize(
    ("raised", "becomes"),
    [
        (RuntimeError("Query interrupted"), KeyboardInterrupt),
        (OverflowError("too large"), query.BadQuery),
        (ValueError("year 0 is out of range"), query.BadQuery),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_is_raised_while_rows_are_fetched(raised: Exception, becomes: type[BaseException]) -> None:
    """Between two pages as in the statement itself."""

    class Connection:
        def fetchmany(self, _: int) -> list[tuple[Any, ...]]:
            raise raised

    connection: Any = Connection()
    with pytest.raises(becomes):
        list(query._rows(connection))
