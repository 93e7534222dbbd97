"""Reading a trace back while others remove or replace it, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from acp_trace.store import export, read
from acp_trace.store.connect import reading, writing
from acp_trace.store.errors import TraceGone
from acp_trace.store.load import load
from acp_trace.store.remove import remove
from tests.support import HEADER, Home, analyzed, trace

_ID = HEADER["id"]
#: More frames than are read in the first go.
_WHOLE = trace(*[("agent", {"n": n}) for n in range(3000)])
_HALF = b"".join(_WHOLE.splitlines(keepends=True)[:2000])


def _load(home: Home, data: bytes) -> str:
    path = home.path.parent / "t.jsonl"
    path.write_bytes(data)
    with writing(home.store) as connection:
        return load(connection, path).state


def _file(home: Home) -> Iterator[bytes]:
    return export.file(partial(reading, home.store), _ID)


def _stream(home: Home) -> Iterator[bytes]:
    return export.stream(read.frames(partial(reading, home.store), _ID), "agent")


@pytest.mark.parametrize("pieces_of", [_file, _stream], ids=["file", "stream"])
def test_a_trace_that_is_removed_while_it_is_read(home: Home, pieces_of: Any) -> None:
    """Half a file that looks whole would be worse than none."""
    _load(home, _WHOLE)
    pieces = pieces_of(home)
    assert sum(1 for _, _ in zip(pieces, range(500), strict=False)) == 500
    remove(home.store, [_ID])
    with pytest.raises(TraceGone, match=f"{_ID} was removed or replaced while it was being read: try again"):
        list(pieces)
    with pytest.raises(TraceGone):
        list(_stream(home))
    with reading(home.store) as connection, pytest.raises(TraceGone):
        read.trace_facts(connection, _ID)


@pytest.mark.parametrize("pieces_of", [_file, _stream], ids=["file", "stream"])
def test_a_trace_that_is_replaced_while_it_is_read(home: Home, pieces_of: Any) -> None:
    """A page of one and a page of the other are neither of them."""
    _load(home, _HALF)
    pieces = pieces_of(home)
    assert sum(1 for _, _ in zip(pieces, range(500), strict=False)) == 500
    assert _load(home, _WHOLE) == "replaced"
    with pytest.raises(TraceGone):
        list(pieces)
    assert b"".join(_file(home)) == _WHOLE


def test_other_traces_come_and_go(home: Home) -> None:
    """They are nobody's business."""
    _load(home, _WHOLE)
    _load(home, trace(("client", {}), id="other"))
    pieces = _file(home)
    found = next(pieces)
    remove(home.store, ["other"])
    _load(home, trace(("client", {}), id="another"))
    assert found + b"".join(pieces) == _WHOLE


@pytest.mark.parametrize(
    ("pad", "pages"), [(b"", [10, 200, 200]), (b"x" * 498, [10, 2, 2]), (b"x" * 5000, [10, 1, 1])]
)
def test_pages_are_bounded_by_bytes(
    home: Home, monkeypatch: pytest.MonkeyPatch, pad: bytes, pages: list[int]
) -> None:
    """Small frames are read many at a time, large ones few."""
    monkeypatch.setattr(read, "_FIRST_PAGE", 10)
    monkeypatch.setattr(read, "_PAGE", 200)
    monkeypatch.setattr(read, "_PAGE_BYTES", 1000)
    data = trace(*[("agent", pad.decode()) for _ in range(450)])
    _load(home, data)
    sizes = []

    class Watched:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def execute(self, sql: str, values: list[Any]) -> Any:
            if "BETWEEN" in sql:
                sizes.append(values[2] - values[1] + 1)
            return self._connection.execute(sql, values)

    @contextmanager
    def opened() -> Iterator[Any]:
        with reading(home.store) as connection:
            yield Watched(connection)

    frames = read.frames(opened, _ID)
    taken = [frame for frame, _ in zip(frames, range(sum(pages)), strict=False)]
    assert sizes[:3] == pages
    assert taken == analyzed(data)[1][: len(taken)]
