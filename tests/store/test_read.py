"""Reading a trace back while others remove or replace it, page by page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
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


def test_a_trace_that_is_replaced_between_its_lines_and_its_frames(home: Home) -> None:
    """The header is read in another go than the first frames."""
    short = trace(*[("agent", {"n": n}) for n in range(30)])
    _load(home, b"".join(short.splitlines(keepends=True)[:20]))
    pieces = _file(home)
    assert next(pieces) == short.splitlines(keepends=True)[0]
    assert _load(home, short) == "replaced"
    with pytest.raises(TraceGone):
        list(pieces)
    assert b"".join(_file(home)) == short


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "pages"),
    [
        ([2] * 450, [10, 200, 200, 40]),
        ([500] * 7, [2, 2, 2, 1]),
        ([5002] * 3, [1, 1, 1]),
        ([2] * 100 + [5002] * 2 + [2] * 20, [10, 90, 1, 1, 20]),
        ([900, 90, 10, 2], [3, 1]),
    ],
    ids=["small", "large", "each larger than a page", "mixed", "just so"],
)
@pytest.mark.parametrize("table", ["frames", "lines"])
def test_pages_are_bounded_by_bytes(
    home: Home, monkeypatch: pytest.MonkeyPatch, sizes: list[int], pages: list[int], table: str
) -> None:
    """Small rows are read many at a time, large ones few, whatever came before; none is left out.

    The store is opened for each page, and not once more to see that nothing is left.
    """
    monkeypatch.setattr(read, "_FIRST_PAGE", 10)
    monkeypatch.setattr(read, "_PAGE", 200)
    monkeypatch.setattr(read, "_PAGE_BYTES", 1000)
    data = trace(*[("agent", "x" * (size - 2)) for size in sizes])
    _load(home, data)
    kept = [(3 * n, "damaged", b"x" * size) for n, size in enumerate(sizes, 1)]  # numbers with holes
    with writing(home.store) as connection:
        connection.execute("DELETE FROM lines")
        connection.executemany(f"INSERT INTO lines VALUES ('{_ID}', ?, ?, ?)", kept)
    found = []
    opens = 0

    class Watched:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def execute(self, sql: str, values: list[Any]) -> Any:
            rows = self._connection.execute(sql, values)
            if "BETWEEN" not in sql:
                return rows
            found.append(rows.fetchall())
            return SimpleNamespace(fetchall=lambda: found[-1])

    @contextmanager
    def opened() -> Iterator[Any]:
        nonlocal opens
        opens += 1
        with reading(home.store) as connection:
            yield Watched(connection)

    if table == "frames":
        assert list(read.frames(opened, _ID)) == analyzed(data)[1]
    else:
        assert list(read.lines(opened, _ID)) == kept
    assert [len(page) for page in found] == pages
    assert opens == len(pages)
