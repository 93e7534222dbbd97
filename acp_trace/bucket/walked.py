"""The files of a place that is a directory, if obstore cannot list them: others keep theirs there, too.

It ends a list at the first name that is not UTF-8 or has a control character (a Mac puts an `Icon` with a
carriage return into shared directories), and at links in a circle. What can be the name of no object is
passed over here.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

#: What obstore says of such a name, or such a link.
SIGNS = ("invalid path", "File system loop")


def is_cause(error: Exception) -> bool:
    """Whether obstore has ended a list because of a name or a link that is none of ours."""
    return any(sign in str(error) for sign in SIGNS)


def files(root: Path, prefix: str) -> Iterator[tuple[str, int, datetime]]:
    """The name, size and time of each file below a prefix that could be an object. Raises OSError."""
    seen: set[tuple[int, int]] = set()
    for where, directories, names in os.walk(root / prefix, onerror=_raised, followlinks=True):
        status = os.stat(where)
        if (status.st_dev, status.st_ino) in seen:
            directories.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        directories[:] = filter(_is_name, directories)
        for name in filter(_is_name, names):
            with contextlib.suppress(FileNotFoundError):  # a link that leads nowhere, or just removed
                found = os.stat(os.path.join(where, name))
                if stat.S_ISREG(found.st_mode):
                    path = Path(where, name).relative_to(root).as_posix()
                    yield path, found.st_size, datetime.fromtimestamp(found.st_mtime, UTC)


def directories(root: Path, prefix: str) -> list[str]:
    """The directories below a prefix that could have objects, by their names. Raises OSError."""
    with os.scandir(root / prefix) as entries:
        return [f"{prefix}{each.name}" for each in entries if _is_name(each.name) and each.is_dir()]


def _is_name(text: str) -> bool:
    return text.isprintable() and "#" not in text


def _raised(error: OSError) -> None:
    raise error
