"""`replay --watch`: replay again whenever something changes, until Ctrl-C.

Files that the command itself writes do not count as changes: otherwise each run would cause the next.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import typer

from acp_trace.cli import common, pending
from acp_trace.cli.errors import explain
from acp_trace.report.safe import safe
from acp_trace.trace.whole_files import BEING_WRITTEN

_LOOK_MS = 100
#: Directories of replays, while they are made and after.
_SCRATCH = re.compile(r"\.?acp-trace-[a-z0-9_]{8}")


class OwnFiles:
    """What a replay writes: pending runs, reports, live runs, the home directory, its scratch directories.

    And the files that standard output and standard error lead to. `outputs`: files that options name.
    `recordings`: theirs are the pending runs. `rewrites`: whether the recordings themselves are written, too.
    Then a recording counts as changed if it differs from its state after the last run (`ran`).
    """

    def __init__(self, outputs: Iterable[str], recordings: Iterable[Path], *, rewrites: bool) -> None:
        self._recordings = {_place(path) for path in recordings} if rewrites else set()
        written = {*map(_place, outputs), *(_place(pending.of(path)) for path in recordings)}
        self._written = written
        self._directories = {os.path.dirname(one) for one in written | self._recordings}
        self._below = _place(common.home().path)
        self._scratch = os.path.realpath(tempfile.gettempdir())
        self._stamps: dict[str, tuple[int, ...] | None] = {}
        self._streams = {_identity(os.fstat(fd)) for fd in (1, 2)}

    def ran(self) -> None:
        """A run is over: from now on, changes to a recording come from others."""
        self._stamps = {path: _stamp(path) for path in self._recordings}

    def has(self, path: str) -> bool:
        """Whether a change of this path is one of the command itself."""
        place = _place(path)
        directory, name = os.path.split(place)
        if place in self._recordings:
            return self._stamps.get(place) == _stamp(place)
        if place in self._written or (directory in self._directories and name.startswith(BEING_WRITTEN)):
            return True
        with suppress(OSError):  # `replay --watch . > log`
            if _identity(os.stat(place)) in self._streams:
                return True
        if place == self._below or place.startswith(self._below + os.sep):
            return True
        above = os.path.relpath(place, self._scratch).split(os.sep)[0]
        return _SCRATCH.fullmatch(above) is not None


def watching(paths: list[str], again: Callable[[], object], own: OwnFiles) -> None:
    """Runs it now, and after each change of the paths. Does not return but by Ctrl-C."""
    from watchfiles import Change, DefaultFilter, watch

    for path in paths:
        if not Path(path).exists():
            raise typer.BadParameter(f"there is no {path}", param_hint="--watch")
    usual = DefaultFilter()

    def wakes(change: Change, path: str) -> bool:
        return usual(change, path) and not own.has(path)

    # The first run waits until the watch has begun: no change may fall between the two.
    runs = 0
    for changes in watch(
        *paths, watch_filter=wakes, raise_interrupt=True, yield_on_timeout=True, rust_timeout=_LOOK_MS
    ):
        if changes or not runs:
            _once(again)
            own.ran()
            runs += 1


def _once(again: Callable[[], object]) -> None:
    """One run. What ends it with an error ends this run only: the next build may be better."""
    try:
        try:
            again()
        except Exception as error:
            if isinstance(error, (typer.Exit, typer.BadParameter)):
                raise
            explain(error)
    except typer.BadParameter as error:
        print(f"acp-trace: {safe(error.format_message())}", file=sys.stderr)
    except (SystemExit, typer.Exit):
        pass
    print("watching for changes; press Ctrl-C to end", file=sys.stderr, flush=True)


def _place(path: str | Path) -> str:
    """The place of a file; for a link, the link itself."""
    directory, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(directory), name)


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def _stamp(path: str) -> tuple[int, ...] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
