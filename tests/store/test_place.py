"""What is at the store's path: a file, and still the same one once it is open."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import pytest

from acp_trace.store import connect
from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import StoreError
from acp_trace.store.place import watched
from tests.commands import Commands
from tests.posix import named_pipe, unix_socket
from tests.support import Home

Opened = Callable[[Path], AbstractContextManager[duckdb.DuckDBPyConnection]]


def _pipe(path: Path) -> None:
    named_pipe(path)


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path must be short
    try:
        with unix_socket() as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "kind"),
    [(_pipe, "a pipe"), (Path.mkdir, "a directory"), (_socket, "a socket"), (_device, "a device")],
)
def test_what_is_not_a_file_is_refused_in_one_line(
    commands: Commands, make: Callable[[Path], None], kind: str
) -> None:
    """At once: a pipe has nobody at its other end, and DuckDB would wait for one."""
    home = commands.home
    home.spool.mkdir(parents=True)
    make(home.store)
    for words in (["ls"], ["query", "SELECT 1"], ["load", "/dev/null"], ["prune", "--compact"]):
        said = commands(*words)
        assert (said.out, said.code) == ("", 3)
        assert f"the store must be a file, but {home.store} is {kind}: move it away" in said.err
        assert said.err.count("\n") == 1
    assert home.store.lstat()


def test_a_log_that_is_a_pipe_is_refused(home: Home) -> None:
    """DuckDB opens it as well."""
    with writing(home.store):
        pass
    named_pipe(f"{home.store}.wal")
    for opened in (reading, writing):
        with pytest.raises(StoreError, match=r"store\.duckdb\.wal is a pipe"), opened(home.store):
            pass


def test_another_file_in_its_place_is_noticed(tmp_path: Path) -> None:
    """Also one that goes as it came, and one that got the number of the first."""
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"1")
    with watched(path) as is_same:
        assert is_same()
        for _ in range(20):  # the system gives numbers of removed files to new ones
            other.write_bytes(b"2")
            os.replace(other, path)
            assert not is_same()
        path.unlink()
        assert not is_same()
    with pytest.raises(FileNotFoundError), watched(path):
        pass


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("opened", [reading, writing])
def test_who_opened_the_earlier_file_opens_the_later_one(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: Opened, when: str
) -> None:
    """It may be replaced between our look at the path and DuckDB's, and between DuckDB's and ours."""
    other = tmp_path / "store.duckdb"
    for path, name in ((home.store, "earlier"), (other, "later")):
        with writing(path) as connection:
            connection.execute("INSERT INTO logs VALUES (?, 1, 1, 'x')", [name])
    plain = connect._connect

    def swapped(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
        if when == "before" and other.exists():
            os.replace(other, path)
        connection = plain(path, read_only=read_only)
        if other.exists():
            os.replace(other, path)
        return connection

    monkeypatch.setattr(connect, "_connect", swapped)
    with opened(home.store) as connection:
        assert connection.execute("SELECT trace_id FROM logs").fetchall() == [("later",)]
