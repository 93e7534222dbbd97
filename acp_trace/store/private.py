"""While the store is open for writing, what this process makes is for its owner only.

DuckDB makes its files as the system does, the write-ahead log again and again: only the process's mask
keeps others out of them in a home directory that others may enter. It is one for all threads: it is changed
once, however many write, and put back by the last.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_within = 0
_before = 0


@contextmanager
def private_files() -> Iterator[None]:
    """New files and directories are readable by their owner only."""
    global _within, _before  # noqa: PLW0603  (the mask is a global of the process)
    with _lock:
        if not _within:
            _before = os.umask(0o077)
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if not _within:
                os.umask(_before)
