"""Which trace is meant, while recorders end and others load what they left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_trace.store import catalog
from acp_trace.store import listings as listings_module
from acp_trace.store.connect import reading, writing
from acp_trace.store.listings import listings
from acp_trace.store.sources import FileSource, StoredSource
from acp_trace.store.sweep import sweep
from acp_trace.trace import lock
from acp_trace.trace.home import Home as Folder
from tests.support import HEADER, Home, trace

_ID = HEADER["id"]
_TRACE = trace(("client", {"n": 1}), ("agent", {"n": 2}))


@pytest.fixture(params=["lies in the spool", "is loaded before we look", "is loaded while we look"])
def folder(request: pytest.FixtureRequest, home: Home, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A home with a trace in the spool that has just ended, and someone who loads it at a bad moment."""
    home.spool.mkdir(parents=True)
    (home.spool / f"{_ID}.jsonl").write_bytes(_TRACE)
    found = Folder(home.path)

    @contextmanager
    def opened(path: Path) -> Iterator[Any]:
        if "before" in request.param:
            sweep(found)
        with reading(path) as connection:
            yield connection
        if "while" in request.param:
            sweep(found)

    for module in (catalog, listings_module):
        monkeypatch.setattr(module, "reading", opened)
    return found


@pytest.mark.parametrize("name", [_ID, _ID[:10], _ID[-6:], _ID[-3:], _ID[-6:-3], "last"])
def test_a_trace_that_has_just_ended_is_found(folder: Folder, name: str) -> None:
    """It is no longer live, and not yet in the store, or only just."""
    with closing(catalog.resolve(folder, name)) as source:
        assert not source.live
        facts = source.facts()
        assert (facts.trace.id, facts.trace.complete) == (_ID, True)
        assert [frame.data for frame in source.frames()] == [b'{"n":1}', b'{"n":2}']
        assert b"".join(source.file()) == _TRACE


def test_a_trace_that_has_just_ended_is_listed_once(folder: Folder) -> None:
    """Wherever it is seen."""
    assert [(one.id, one.state, one.frames) for one in listings(folder)] == [(_ID, "complete", 2)]


def test_a_file_that_is_being_written_is_live_by_any_name(home: Home) -> None:
    """Its last line is only being written: nothing of it is torn."""
    home.spool.mkdir(parents=True)
    path = home.spool / f"{_ID}.jsonl"
    path.write_bytes(_TRACE[:-20])
    for live in (True, False):
        with open(path, "rb") as stream:
            if live:
                lock.hold(stream.fileno())
            for name in (_ID, str(path)):
                with closing(catalog.resolve(Folder(home.path), name)) as source:
                    assert source.live == live
                    assert bool(source.facts().trace.torn_bytes) != live


def test_an_empty_name_names_nothing(home: Home) -> None:
    """Every id begins with it: `rm ""` must not take the only trace for it."""
    home.spool.mkdir(parents=True)
    (home.spool / f"{_ID}.jsonl").write_bytes(_TRACE)
    sweep(Folder(home.path))
    with pytest.raises(catalog.UnknownTrace, match="the name of the trace is empty"):
        catalog.resolve(Folder(home.path), "")


@pytest.mark.parametrize("column", ["agent_argv", "labels"])
def test_json_in_the_store_that_another_program_broke(home: Home, column: str) -> None:
    """A list leaves it out; the report comes from the frames, which are the truth."""
    home.spool.mkdir(parents=True)
    (home.spool / f"{_ID}.jsonl").write_bytes(_TRACE)
    folder = Folder(home.path)
    sweep(folder)
    with closing(catalog.resolve(folder, _ID)) as source:
        facts = source.facts()
    for json in ("{broken", "", "[1]", '{"a":1}', "1"):
        with writing(home.store) as connection:
            connection.execute(f"UPDATE traces SET {column} = ?", [json])
            connection.execute("UPDATE sessions SET config = '{', usage = '{'")
        (listed,) = listings(folder)
        argv = () if column == "agent_argv" else ("opencode", "acp")
        assert (listed.argv, listed.labels) == (argv, {}), json
        with closing(catalog.resolve(folder, _ID)) as source:
            assert source.facts() == facts, json


def test_ids_that_look_like_paths(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is there is meant; else the id; a directory never is."""
    folder = Folder(home.path)
    home.spool.mkdir(parents=True)
    (home.spool / "t.jsonl").write_bytes(trace(("client", {"n": 1}), id="evil.jsonl"))
    sweep(folder)
    monkeypatch.chdir(tmp_path)
    for name in ("last", "evil.jsonl", "evil"):
        (tmp_path / name).mkdir()
    for name in ("last", "evil.jsonl", "evil"):
        source = catalog.resolve(folder, name)
        assert (type(source), source.name) == (StoredSource, "evil.jsonl")
    with pytest.raises(FileNotFoundError):
        catalog.resolve(folder, "other.jsonl")
    with pytest.raises(IsADirectoryError):
        catalog.resolve(folder, "./evil")
    (tmp_path / "evil.jsonl").rmdir()
    (tmp_path / "evil.jsonl").write_bytes(_TRACE)
    with closing(catalog.resolve(folder, "evil.jsonl")) as found:
        assert isinstance(found, FileSource)
    assert catalog.named(folder, "evil.jsonl").name == "evil.jsonl"


def test_a_run_that_is_being_made_is_not_the_last_trace(home: Home) -> None:
    """What it is stands in its header, before it is in the store; a header that cannot be read says nothing."""
    folder = Folder(home.path)
    home.spool.mkdir(parents=True)
    for second, (end, origin) in enumerate((("aaaaa1", "recorded"), ("bbbbb2", "replay"))):
        started: dict[str, Any] = {
            "origin": origin,
            "id": f"20261120T13000{second}Z-{end}",
            "started_at": f"2026-11-20T13:00:0{second}Z",
        }
        (home.spool / f"{started['id']}.jsonl").write_bytes(trace(("client", {}), **started))
    with open(home.spool / "20261120T130001Z-bbbbb2.jsonl", "rb") as stream:
        lock.hold(stream.fileno())
        sweep(folder)
        for name, end in (("last", "aaaaa1"), ("last-run", "bbbbb2")):
            with closing(catalog.resolve(folder, name)) as source:
                assert source.facts().trace.id.endswith(end)


def test_a_near_miss_is_proposed(home: Home) -> None:
    """Of the short id as well as of the whole one; what is like nothing gets no proposal."""
    home.spool.mkdir(parents=True)
    (home.spool / f"{_ID}.jsonl").write_bytes(_TRACE)
    folder = Folder(home.path)
    sweep(folder)
    for text in ("7f3a9d", _ID[:-1] + "d"):
        with pytest.raises(catalog.UnknownTrace, match="there is no trace") as raised:
            catalog.named(folder, text)
        assert raised.value.candidates == [_ID]
    with pytest.raises(catalog.UnknownTrace) as raised:
        catalog.named(folder, "zzz")
    assert raised.value.candidates == []
