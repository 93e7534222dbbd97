"""Load what waits in the spool. Code that reads the store does this first; so does the recorder."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from acp_trace.store import aside
from acp_trace.store.connect import PATIENCE_S, writing
from acp_trace.store.errors import Conflict
from acp_trace.trace import lock, spool
from acp_trace.trace.files import open_trace
from acp_trace.trace.home import Home
from acp_trace.trace.inputs import Unreadable
from acp_trace.trace.os_errors import reason
from acp_trace.trace.parse import NewerFormat

if TYPE_CHECKING:
    import duckdb

    from acp_trace.store.load import Loaded

#: A file that a recorder was making when it was killed: no header, so no trace.
_ABANDONED_S = 60
#: How long to keep the store in one go, and to leave it alone then: others wait, and look again every
#: 0.15 s at the latest (`connect`).
_TURN_S = 1.0
_PAUSE_S = 0.25


@dataclass(slots=True)
class Swept:
    """The results. `failed`: files that stay where they are, each with the reason."""

    loaded: list[Loaded] = field(default_factory=list)
    failed: list[tuple[Path, str]] = field(default_factory=list)


def sweep(
    home: Home,
    *,
    patience: float = PATIENCE_S,
    tick: Callable[[Path, int], None] | None = None,
) -> Swept:
    """Load the traces of the spool that are not live, and remove their files. Return the results.

    Raises StoreError.

    `tick` is called with a file and how many of its bytes were read.
    """
    waiting = spool.waiting(home.spool)
    _clear_abandoned(home.spool)
    aside.clear(home.store)
    return load_files(home, waiting, remove=True, patience=patience, tick=tick)


def load_files(
    home: Home,
    paths: list[Path],
    *,
    remove: bool = False,
    patience: float = PATIENCE_S,
    tick: Callable[[Path, int], None] | None = None,
) -> Swept:
    """Load these files, each completely or not at all. Return the results. A bad file stops no other."""
    swept = Swept()
    with ExitStack() as copies:
        left: deque[tuple[Path, Path]] = deque()
        for path in paths:  # pipes are read before the store is opened: nothing else waits for their writers
            with _noting(path, path, swept, remove=remove):
                left.append((path, copies.enter_context(_readable_twice(path))))
        while left:
            with writing(home.store, patience=patience) as connection:
                _load_some(connection, left, swept, remove=remove, tick=tick)
            if left:
                time.sleep(_PAUSE_S)
                patience = PATIENCE_S  # who has begun goes on
    return swept


def _load_some(
    connection: duckdb.DuckDBPyConnection,
    left: deque[tuple[Path, Path]],
    swept: Swept,
    *,
    remove: bool,
    tick: Callable[[Path, int], None] | None,
) -> None:
    """Loads as many of these as there is time for. A file: the path itself, or a copy of what it gave."""
    from acp_trace.store.load import load_among  # with the whole analyser: mostly nothing waits
    from acp_trace.store.rows_of_many import RowsOfMany

    let_go = time.monotonic() + _TURN_S
    loaded: list[tuple[Path, Loaded]] = []
    with RowsOfMany(connection) as rows:
        while left and time.monotonic() < let_go:
            path, file = left.popleft()
            with _noting(path, file, swept, remove=remove):
                loaded.append((path, load_among(rows, file, None if tick is None else partial(tick, path))))
    swept.loaded += [one for _, one in loaded]
    if remove:
        for path, _ in loaded:  # only now they are committed
            with _noting(path, path, swept, remove=remove):
                path.unlink(missing_ok=True)


@contextmanager
def _noting(path: Path, file: Path, swept: Swept, *, remove: bool) -> Iterator[None]:
    """An error with one path is noted, and does not stop the others. `file`: its name in messages."""
    try:
        yield
    except FileNotFoundError as error:
        if not remove:  # in the spool, another process was faster
            swept.failed.append((path, reason(error)))
    except OSError as error:
        swept.failed.append((path, reason(error)))
    except (Unreadable, NewerFormat, Conflict) as error:
        swept.failed.append((path, str(error).removeprefix(f"{file}: ").removeprefix(f"{file} ")))


@contextmanager
def _readable_twice(path: Path) -> Iterator[Path]:
    """The file itself; a copy of standard input (`-`) or of a pipe, which can be read only once.

    On Linux the copy has no name, so that nothing is left of it, however this process ends.
    """
    if str(path) != "-" and (path.is_file() or not path.exists() or path.is_dir()):
        yield path
        return
    _, lines = open_trace(path)
    with _nameless() as (name, copy):
        with lines:
            shutil.copyfileobj(lines, copy)
        copy.flush()
        yield name


@contextmanager
def _nameless() -> Iterator[tuple[Path, IO[bytes]]]:
    """A file for a copy, and a path to it, that go when this process goes, however it goes.

    Where the system has no such path to a nameless file (Linux has), the file is removed at the end.
    """
    with tempfile.TemporaryFile(prefix="acp-trace-") as copy:
        path = Path(f"/proc/self/fd/{copy.fileno()}")
        if path.exists():
            yield path, copy
            return
    with tempfile.NamedTemporaryFile(prefix="acp-trace-") as named:
        yield Path(named.name), named


def _clear_abandoned(directory: Path) -> None:
    with contextlib.suppress(OSError):
        for path in directory.glob(".*.new"):
            status = os.lstat(path)
            plain = stat.S_ISREG(status.st_mode)  # a link is not ours, and where it leads even less
            if plain and time.time() - status.st_mtime > _ABANDONED_S and not lock.held(path):
                path.unlink(missing_ok=True)
