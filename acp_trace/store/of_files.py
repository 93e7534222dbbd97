"""A store of some trace files alone: they are read or queried without the common store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from acp_trace.store.errors import StoreError
from acp_trace.store.sweep import load_files
from acp_trace.trace.home import Home


class NotLoaded(StoreError):
    """A file cannot be loaded. One line says why: `F is not a trace`, `F: No such file or directory`."""

    def __init__(self, file: Path, why: str) -> None:
        super().__init__(f"{file}{' ' if why.startswith('is ') else ': '}{why}")


def store_of(paths: Sequence[Path], scratch: Path, tick: Callable[[Path, int], None] | None = None) -> Path:
    """The path of a store with these traces alone. Raises NotLoaded, OSError and StoreError.

    `scratch`: an empty directory of one's own. `tick` is called with a file and how many of its bytes were
    read.
    """
    home = Home(scratch / "home")
    for path, why in load_files(home, list(paths), tick=tick).failed:
        raise NotLoaded(path, why)
    return home.store
