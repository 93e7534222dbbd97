"""The file that a killed put leaves in a directory: it was being written, and never got its name.

obstore writes `NAME#1`, or `#2` if that exists, and then renames it: a file called NAME is complete.
A list leaves such files out, and no object has such a name (apache/arrow-rs-object-store, src/local.rs: a put
is staged). A bucket has no such files: it does not keep an incomplete upload.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from acp_trace.places import layout
from acp_trace.places.place import PlaceError, SharedPlace

_STAGED = re.compile(r"(.+)#\d+", re.DOTALL)


def unfinished(
    place: SharedPlace, prefix: str, is_ours: Callable[[str], bool], now: datetime
) -> dict[str, Path]:
    """The files below a prefix, a directory's name, that a put left a day ago, by their names; sorted.

    `is_ours`: whether an object could have such a name. What is younger may still be written.
    """
    root, found = place.path_of(""), {}
    if root is not None:
        place.check(prefix)
        for where, _, files in os.walk(root / prefix):
            for file in files:
                name = Path(where, file).relative_to(root).as_posix()
                staged = _STAGED.fullmatch(name)
                if staged is not None and is_ours(staged[1]) and _is_old(Path(where, file), now):
                    found[name] = Path(where, file)
    return dict(sorted(found.items()))


def remove(place: SharedPlace, files: Iterable[Path]) -> None:
    """Remove them. A file that is already gone is not an error. Raises PlaceError."""
    try:
        for file in files:
            file.unlink(missing_ok=True)
    except OSError as error:
        raise PlaceError(f"{place.url}: {error.filename} cannot be removed: {error.strerror}") from error


def _is_old(file: Path, now: datetime) -> bool:
    try:
        modified = file.lstat().st_mtime
    except OSError:  # it has got its name meanwhile
        return False
    return datetime.fromtimestamp(modified, UTC) < now - layout.LEAST_AGE
