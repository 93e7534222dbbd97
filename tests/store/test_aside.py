"""Directories beside the database: gone at the end, and cleared after a kill."""

from __future__ import annotations

import os
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from acp_trace.store import aside
from acp_trace.store.connect import reading, writing
from acp_trace.store.sweep import sweep
from acp_trace.trace import lock
from acp_trace.trace.home import Home as Folder
from tests.support import Home

_LONG_AGO = (1_000_000_000, 1_000_000_000)


def test_what_killed_processes_left_is_cleared_and_nothing_else(home: Home, tmp_path: Path) -> None:
    """Not what is in use, nor what is being made, nor what only has such a name."""
    with writing(home.store):
        pass
    left, used, fresh = (home.path / f".store.duckdb-{name}" for name in ("left", "used", "fresh"))
    for folder in (left, used, fresh):
        folder.mkdir()
        (folder / "copy.duckdb").write_bytes(b"secret")
        (folder / "lock").touch()
    file, link = home.path / ".store.duckdb-file", home.path / ".store.duckdb-link"
    file.touch()
    link.symlink_to(tmp_path)
    for path in (left, used, file):
        os.utime(path, _LONG_AGO)
    with open(used / "lock") as held:
        lock.hold(held.fileno())
        sweep(Folder(home.path))
    assert sorted(home.path.glob(".store*")) == sorted([used, fresh, file, link])
    assert (used / "copy.duckdb").exists()
    assert tmp_path.is_dir()


def test_a_directory_is_private_and_goes(home: Home) -> None:
    """However it ends."""
    home.path.mkdir()
    ending = ExitStack()
    folder = ending.enter_context(aside.aside(home.store))
    assert (folder.parent, folder.stat().st_mode & 0o777) == (home.path, 0o700)
    (folder / "x").mkdir()
    aside.clear(home.store)
    assert (folder / "x").is_dir()
    with suppress(RuntimeError), ending:
        raise RuntimeError
    assert list(home.path.iterdir()) == []


def test_a_store_that_is_a_link_has_it_where_the_link_leads(home: Home, tmp_path: Path) -> None:
    """A rename must not go from one file system to another; and the link stays one."""
    real = tmp_path / "disk" / "big.duckdb"
    real.parent.mkdir()
    home.path.mkdir()
    home.store.symlink_to(real)
    with writing(home.store) as connection:
        connection.execute("INSERT INTO logs VALUES ('a', 1, 1, 'x')")
        with aside.aside(home.store) as folder:
            assert folder.parent == real.parent
    assert home.store.is_symlink()
    with reading(home.store, apart=True) as connection:
        assert connection.execute("SELECT trace_id FROM logs").fetchall() == [("a",)]


def test_names_without_hard_links(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is read by its own name then."""
    with writing(home.store):
        pass

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    with reading(home.store, apart=True) as connection:
        assert connection.execute("SELECT count(*) FROM traces").fetchone() == (0,)
    assert [path.name for path in home.path.iterdir()] == [home.store.name]


def test_a_log_that_comes_or_goes_between_two_links_is_noticed(home: Home) -> None:
    """Names that do not belong together are no database."""
    with writing(home.store):
        pass
    for log in (".wal", ".wal.recovery"):
        with aside.by_another_name(home.store) as name:
            Path(f"{home.store}{log}").touch()
            assert not aside.forget(home.store, name)
            assert not name.exists()
        with aside.by_another_name(home.store) as name:
            Path(f"{home.store}{log}").unlink()
            assert not aside.forget(home.store, name)
    with aside.by_another_name(home.store) as name:
        assert aside.forget(home.store, name)
