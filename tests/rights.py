"""Commands that may do only what the modes of files allow, for root as well."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.posix import lacks

#: Whether this process may do anything. Windows has nobody like that.
IS_ROOT = sys.platform != "win32" and os.geteuid() == 0


def give_away(file: Path | int) -> None:
    """Makes a file, or what is open, that of another user."""
    if sys.platform == "win32":
        lacks("owners that have numbers")
    else:
        os.chown(file, 12_345, -1)


@contextmanager
def as_nobody() -> Iterator[None]:
    """A user without rights, for root to be for a moment."""
    if sys.platform == "win32":
        lacks("users that have numbers")
    else:
        os.seteuid(65_534)
        try:
            yield
        finally:
            os.seteuid(0)


def limited(scratch: Path) -> list[str] | None:
    """What stands before such a command: nothing, unless this is root. None if the system cannot do it.

    `scratch`: a directory to try it in.
    """
    if os.name == "nt":
        return None
    if not IS_ROOT:  # root writes everywhere, unless this capability is taken from it
        return []
    words = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--"]
    probe = scratch / "probe"
    probe.mkdir(mode=0o500)
    tried = [*words, "touch", str(probe / "file")]
    if not shutil.which(words[0]) or not subprocess.run(tried, capture_output=True, check=False).returncode:
        return None
    return words
