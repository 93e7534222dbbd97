"""Names of files from anyone: which of them stay in their directory, and can be made.

Pure. For names of a snapshot's members, and names in its list of the files at the end.
"""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from acp_trace.replay.drive.repository_names import is_of_repository

_DEEPEST = 100  #: nested directories: removing a tree uses the stack


def is_inside(name: str) -> bool:
    """Return whether a name stays in its directory: neither `/x` nor `a/../../x`."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts and "\0" not in name


def is_usable(name: str) -> bool:
    """Return whether files of this name can be made and removed, and do not make a repository."""
    parts = PurePosixPath(name).parts
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return len(parts) <= _DEEPEST and not is_of_repository(name)
