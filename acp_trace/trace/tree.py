"""The names below a directory, in a tree of any depth.

`os.walk` of Python 3.11 ends in a RecursionError in a tree that is a thousand directories deep. This module
imports nothing that takes time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator


def walk(directory: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each directory with the names of the directories and of the other entries in it, like `os.walk`.

    A caller may shorten the first list: directories that are not in it are skipped. No link is followed;
    directories that cannot be read, or whose path is too long for the system, are skipped.
    """
    waiting = [directory]
    while waiting:
        here = waiting.pop()
        below: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    (below if _is_directory(entry) else files).append(entry.name)
        except OSError:
            continue
        yield here, below, files
        paths = [os.path.join(here, name) for name in reversed(below)]
        waiting += [path for path in paths if not os.path.islink(path)]


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
