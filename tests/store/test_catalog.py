"""Which trace is meant, while recorders end and others load what they left."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_trace.store import catalog
from acp_trace.store.connect import reading
from acp_trace.store.sweep import sweep
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

    monkeypatch.setattr(catalog, "reading", opened)
    return found


@pytest.mark.parametrize("name", [_ID, _ID[:10], _ID[-6:], "last"])
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
    assert [(one.id, one.state, one.frames) for one in catalog.listings(folder)] == [(_ID, "complete", 2)]


def test_a_file_that_is_being_written_is_live_by_any_name(home: Home) -> None:
    """Its last line is only being written: nothing of it is torn."""
    home.spool.mkdir(parents=True)
    path = home.spool / f"{_ID}.jsonl"
    path.write_bytes(_TRACE[:-20])
    for live in (True, False):
        with open(path, "rb") as stream:
            if live:
                fcntl.flock(stream, fcntl.LOCK_EX)
            for name in (_ID, str(path)):
                with closing(catalog.resolve(Folder(home.path), name)) as source:
                    assert source.live == live
                    assert bool(source.facts().trace.torn_bytes) != live


def test_an_empty_name_names_nothing(home: Home) -> None:
    """Every id begins with it: `rm ""` must not take the only trace for it."""
    home.spool.mkdir(parents=True)
    (home.spool / f"{_ID}.jsonl").write_bytes(_TRACE)
    sweep(Folder(home.path))
    with pytest.raises(catalog.UnknownTrace, match="an empty name names no trace"):
        catalog.resolve(Folder(home.path), "")
