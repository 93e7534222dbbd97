"""The files of a place that is a directory, and which of them are in it.

A stranger may have made the directory, and filled it with links: to a file that only the user can read, or to
a directory into which objects would be put. So nothing is touched if a link to it leads out of the place. The
place itself may be a link.

obstore knows no such rule. It also ends a list at the first name that is not UTF-8 or has a control character
(a Mac puts an `Icon` with a carriage return into shared directories), and at links in a circle. Names that no
object can have are passed over here.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path


class LeadsOut(Exception):
    """A name in a directory is a link, or below a link, that leads out of the directory."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def check(root: Path, name: str) -> None:
    """Raises LeadsOut if a name leads out of a directory. There may be no such file."""
    inside, file = os.path.realpath(root), os.path.realpath(root / name)
    if os.path.commonpath([inside, file]) != inside:
        raise LeadsOut(name)


def files(root: Path, prefix: str) -> Iterator[tuple[str, int, datetime]]:
    """The name, size and time of each file below a prefix that could be an object.

    Raises OSError, and LeadsOut for a link to a file or directory elsewhere.
    """
    seen: set[tuple[int, int]] = set()
    waiting = [prefix.rstrip("/")]
    while waiting:
        for name, found in _entries(root, waiting.pop()):
            if stat.S_ISREG(found.st_mode):
                yield name, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC)
            elif stat.S_ISDIR(found.st_mode) and (found.st_dev, found.st_ino) not in seen:
                seen.add((found.st_dev, found.st_ino))  # links may lead in a circle
                waiting.append(name)


def directories(root: Path, prefix: str) -> list[str]:
    """The directories below a prefix that could have objects, by their names. Raises as `files` does."""
    return [name for name, found in _entries(root, prefix.rstrip("/")) if stat.S_ISDIR(found.st_mode)]


def _entries(root: Path, above: str) -> Iterator[tuple[str, os.stat_result]]:
    """The names of what is in a directory, and what it is; nothing if the directory is not there."""
    check(root, above)
    try:
        with os.scandir(root / above) as entries:
            for each in entries:
                if each.name.isprintable() and "#" not in each.name:
                    try:
                        found = each.stat()
                    except OSError:  # a link that leads nowhere, or to itself, or just removed
                        continue
                    name = f"{above}/{each.name}" if above else each.name
                    if each.is_symlink():
                        check(root, name)
                    yield name, found
    except FileNotFoundError:
        return
