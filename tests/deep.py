"""A tree of directories that is deeper than Python's stack, and than the paths that a system takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from acp_trace.trace.emptying import empty

_DEPTH = 3000


@contextmanager
def deep_tree(root: Path) -> Iterator[None]:
    """Makes such a tree in a directory, and empties the directory at the end: pytest could not."""
    make_deep(root)
    try:
        yield
    finally:
        here = os.open(root, os.O_RDONLY)
        empty(here, "")
        os.close(here)


def make_deep(root: Path) -> None:
    """Makes such a tree in a directory."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(_DEPTH):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
