"""What the store holds against the trace files that went into it: every frame once, every byte the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

from acp_trace.store import export
from acp_trace.store.connect import reading
from acp_trace.store.read import Opener
from acp_trace.store.sweep import load_files, sweep
from acp_trace.trace.home import Home
from tests.faults.stage import must
from tests.support import Home as Folder
from tests.support import lines_of


def load(home: Path) -> int:
    """Loads what waits, in this process, as any command does first; nothing may be left over."""
    found = sweep(Home(home))
    must(not found.failed, f"not loaded: {found.failed}")
    left = [path.name for path in Folder(home).spooled()]
    must(not left, f"still in the spool after a load: {left}")
    return len(found.loaded)


def load_again(home: Path, files: Iterable[Path]) -> None:
    """Loads files that are in the store already."""
    found = load_files(Home(home), list(files))
    must(not found.failed, f"not loaded again: {found.failed}")
    anew = [one.trace_id for one in found.loaded if one.state != "already there"]
    must(not anew, f"loaded a second time: {anew}")


def equal(home: Path, files: Iterable[Path], counts: dict[str, int]) -> None:
    """Whether the store is the sum of these files: their frames once each, each file's lines the same.

    `counts`: the number of frames by trace, counted without the store.
    """
    with reading(Home(home).store) as connection:
        rows = connection.execute(
            "SELECT trace_id, count(*), count(DISTINCT frame), max(frame) FROM frames GROUP BY 1"
        ).fetchall()
        traces = {one for (one,) in connection.execute("SELECT trace_id FROM traces").fetchall()}
        missing = sorted(counts.keys() - traces)
        must(not missing, f"not in the store: {missing}; the store has {sorted(traces)}")
        for file in files:
            _same(lambda: nullcontext(connection), file)
    found = {id_: tuple(more) for id_, *more in rows}
    for id_, count in counts.items():
        got = found.pop(id_, (0, 0, None))
        must(got[0] == got[1] == (got[2] or 0) == count, f"{id_}: {got} rows in the store, {count} frames")
    must(not found and traces == set(counts), f"in the store and in no file: {traces - set(counts)}")


def _same(opened: Opener, file: Path) -> None:
    digest = hashlib.sha256()
    for piece in export.file(opened, file.stem):
        digest.update(piece)
    must(digest.digest() == hashlib.sha256(lines_of(file)).digest(), f"exported otherwise: {file}")
